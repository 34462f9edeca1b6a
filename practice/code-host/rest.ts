// The code host's REST endpoints for pull requests, a subset of GitHub's.
import type { BareRepository } from "./bare-repository.ts";
import { usualLogin } from "./people.ts";
import { type Heads, type PullRequest, toWirePullRequest } from "./pull-request.ts";
import type { PullRequests } from "./pull-requests.ts";
import { handleReviewers, handleReviews } from "./reviewers.ts";

/** Merges a pull request. False if it cannot be merged. */
export type Merge = (repository: string, pullRequest: PullRequest) => Promise<boolean>;

export interface ApiAnswer {
  status: number;
  body: unknown;
}

const parts = ["merge", "requested_reviewers", "reviews", "files"] as const;

export interface RestCall {
  method: string;
  repository: string;
  /** Null for the collection. */
  number: number | null;
  /** The part of the pull request; null for all of it. */
  part: (typeof parts)[number] | null;
  query: URLSearchParams;
  body: Record<string, unknown>;
  /** The login of the caller; undefined for the token of no account that names none. */
  by?: string | undefined;
}

interface RestParts {
  pullRequests: PullRequests;
  merge: Merge;
  open(repository: string): Pick<BareRepository, "heads" | "canMerge" | "listChangedFiles">;
  getId(repository: string): number;
}

const pullPath = /^\/repos\/([^/]+\/[^/]+)\/pulls(?:\/(\d+)(?:\/(merge|requested_reviewers|reviews|files))?)?$/;

/** Parses a path such as `/repos/owner/name/pulls/1/merge`; null for any other path. */
export function parseRestPath(path: string): Pick<RestCall, "repository" | "number" | "part"> | null {
  const [, repository, number, part] = pullPath.exec(path) ?? [];
  if (repository === undefined) return null;
  const known = parts.find((one) => one === part) ?? null;
  return { repository, number: number === undefined ? null : Number(number), part: known };
}

/** Handles a call on a repository that exists. */
export async function handleRest(url: string, codeHost: RestParts, call: RestCall): Promise<ApiAnswer> {
  const { pullRequests, merge } = codeHost;
  const { method, repository, number, part, body, by = usualLogin } = call;
  const heads = await codeHost.open(repository).heads();
  const repo = { id: codeHost.getId(repository), full_name: repository };
  const wire = (one: PullRequest) => {
    const { head, base, ...whole } = toWirePullRequest(url, repository, one, heads);
    return { ...whole, head: { ...head, repo }, base: { ...base, repo } };
  };
  if (number === null) {
    if (method === "GET") return { status: 200, body: listed(pullRequests.of(repository), call).map(wire) };
    return method === "POST" ? open(pullRequests, repository, { body, by }, wire) : notFound;
  }
  const found = pullRequests.find(repository, number);
  if (!found) return notFound;
  const changed = (changes: Parameters<PullRequests["change"]>[2]): ApiAnswer => {
    const after = pullRequests.change(repository, number, changes, by);
    return after ? { status: 200, body: wire(after) } : notFound;
  };
  if (part === "requested_reviewers") {
    return handleReviewers(method, found, body, (reviewers) => changed({ reviewers }));
  }
  if (part === "reviews") return handleReviews(call, found, changed);
  if (part === "files") {
    if (method !== "GET") return notFound;
    const files = await codeHost.open(repository).listChangedFiles(found.base, found.head);
    return { status: 200, body: getPage(files, call.query) };
  }
  switch (`${method}${part === "merge" ? " merge" : ""}`) {
    case "GET": {
      const isOpen = found.state === "open";
      const mergeable = isOpen ? await codeHost.open(repository).canMerge(found.base, found.head) : null;
      return { status: 200, body: { ...wire(found), mergeable } };
    }
    case "PATCH": {
      const changes = parseChanges(body);
      if (changes === null || (changes.state && found.isMerged)) return unprocessable("Validation Failed");
      return changed(changes);
    }
    case "PUT merge":
      if (body.sha !== undefined && body.sha !== findSha(found, heads))
        return { status: 409, body: { message: "Head branch was modified. Review and try the merge again." } };
      if (found.state === "closed" || found.isDraft || !(await merge(repository, found)))
        return { status: 405, body: { message: "Pull Request is not mergeable" } };
      changed({ state: "closed", isMerged: true, ...(call.by === undefined ? {} : { mergedBy: call.by }) });
      return { status: 200, body: { merged: true, message: "Pull Request successfully merged" } };
    default:
      return notFound;
  }
}

function findSha({ head }: PullRequest, heads: Heads): string | undefined {
  return heads.get(head);
}

/** Filters by the query's state and `owner:branch`. */
function listed(all: readonly PullRequest[], { repository, query }: RestCall): PullRequest[] {
  const [owner = ""] = repository.split("/", 1);
  const [state, head] = [query.get("state") ?? "open", query.get("head")];
  return all.filter(
    (one) => (state === "all" || one.state === state) && (head === null || head === `${owner}:${one.head}`),
  );
}

/** Parses the changes; null if they are invalid. */
function parseChanges({ state, title, body, base }: Record<string, unknown>): Partial<PullRequest> | null {
  if (state !== undefined && state !== "open" && state !== "closed") return null;
  return {
    ...(state === undefined ? {} : { state }),
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof body === "string" ? { body } : {}),
    ...(typeof base === "string" ? { base } : {}),
  };
}

function open(
  pullRequests: PullRequests,
  repository: string,
  { body, by }: { body: Record<string, unknown>; by: string },
  wire: (opened: PullRequest) => object,
): ApiAnswer {
  const { title, head, base, draft = false } = body;
  if (typeof title !== "string" || typeof head !== "string" || typeof base !== "string") {
    return unprocessable("Validation Failed");
  }
  const same = pullRequests
    .of(repository)
    .find((one) => one.state === "open" && one.head === head && one.base === base);
  if (same) return unprocessable(`A pull request already exists for ${head}.`);
  const text = typeof body.body === "string" ? body.body : null;
  const opened = pullRequests.open(repository, { title, body: text, head, base, isDraft: draft === true }, by);
  return { status: 201, body: wire(opened) };
}

/** GitHub's response to a well-formed request that it refuses. */
export function unprocessable(message: string): ApiAnswer {
  return { status: 422, body: { message } };
}

/** The requested page of a list. */
export function getPage<Item>(all: readonly Item[], query: URLSearchParams): Item[] {
  const [size, page] = [Number(query.get("per_page") ?? 30), Number(query.get("page") ?? 1)];
  return all.slice((page - 1) * size, page * size);
}

export const notFound: ApiAnswer = { status: 404, body: { message: "Not Found" } };
