// The forge's REST interface: the subset of GitHub's that concerns pull requests.
import { onWire, type PullRequest } from "./pull-request.ts";
import type { PullRequests } from "./pull-requests.ts";

/** Merges what a pull request proposes. False for what cannot be merged. */
export type Merge = (repository: string, pullRequest: PullRequest) => Promise<boolean>;

export interface ApiAnswer {
  status: number;
  body: unknown;
}

export interface RestCall {
  method: string;
  repository: string;
  /** Null for the pull requests as a whole. */
  number: number | null;
  isMerge: boolean;
  query: URLSearchParams;
  body: Record<string, unknown>;
}

/** What a path such as `/repos/owner/name/pulls/1/merge` asks for; null for any other path. */
export function restPath(path: string): Pick<RestCall, "repository" | "number" | "isMerge"> | null {
  const [, repository, number, merge] = /^\/repos\/([^/]+\/[^/]+)\/pulls(?:\/(\d+)(\/merge)?)?$/.exec(path) ?? [];
  if (repository === undefined) return null;
  return { repository, number: number === undefined ? null : Number(number), isMerge: merge !== undefined };
}

/** Answers a call on a repository that exists. */
export async function answerRest(
  url: string,
  { pullRequests, merge }: { pullRequests: PullRequests; merge: Merge },
  call: RestCall,
): Promise<ApiAnswer> {
  const { method, repository, number, isMerge, body } = call;
  if (number === null) {
    if (method === "GET") return list(url, pullRequests, repository, call.query);
    return method === "POST" ? open(url, pullRequests, repository, body) : notFound;
  }
  const found = pullRequests.find(repository, number);
  if (!found) return notFound;
  const changed = (changes: Parameters<PullRequests["change"]>[2]): ApiAnswer => {
    const after = pullRequests.change(repository, number, changes);
    return after ? { status: 200, body: onWire(url, repository, after) } : notFound;
  };
  switch (`${method}${isMerge ? " merge" : ""}`) {
    case "GET":
      return { status: 200, body: onWire(url, repository, found) };
    case "PATCH": {
      const changes = changesIn(body);
      if (changes === null || (changes.state && found.isMerged)) return unprocessable("Validation Failed");
      return changed(changes);
    }
    case "PUT merge":
      if (found.state === "closed" || found.isDraft || !(await merge(repository, found)))
        return { status: 405, body: { message: "Pull Request is not mergeable" } };
      changed({ state: "closed", isMerged: true });
      return { status: 200, body: { merged: true, message: "Pull Request successfully merged" } };
    default:
      return notFound;
  }
}

/** Narrowed to a state and to `owner:branch`, as they are asked for. */
function list(url: string, pullRequests: PullRequests, repository: string, query: URLSearchParams): ApiAnswer {
  const [owner = ""] = repository.split("/", 1);
  const [state, head] = [query.get("state") ?? "open", query.get("head")];
  const found = pullRequests
    .of(repository)
    .filter((one) => (state === "all" || one.state === state) && (head === null || head === `${owner}:${one.head}`));
  return { status: 200, body: found.map((one) => onWire(url, repository, one)) };
}

/** Null for a change that cannot be. */
function changesIn({ state, title, body }: Record<string, unknown>): Partial<PullRequest> | null {
  if (state !== undefined && state !== "open" && state !== "closed") return null;
  return {
    ...(state === undefined ? {} : { state }),
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof body === "string" ? { body } : {}),
  };
}

function open(url: string, pullRequests: PullRequests, repository: string, body: Record<string, unknown>): ApiAnswer {
  const { title, head, base, draft = false } = body;
  if (typeof title !== "string" || typeof head !== "string" || typeof base !== "string") {
    return unprocessable("Validation Failed");
  }
  const same = pullRequests
    .of(repository)
    .find((one) => one.state === "open" && one.head === head && one.base === base);
  if (same) return unprocessable(`A pull request already exists for ${head}.`);
  const text = typeof body.body === "string" ? body.body : null;
  const opened = pullRequests.open(repository, { title, body: text, head, base, isDraft: draft === true });
  return { status: 201, body: onWire(url, repository, opened) };
}

function unprocessable(message: string): ApiAnswer {
  return { status: 422, body: { message } };
}

export const notFound: ApiAnswer = { status: 404, body: { message: "Not Found" } };
