// The code host's GraphQL endpoint: only the two mutations that make a pull request a draft or
// ready, recognized by their names.
import { parseNodeId } from "./pull-request.ts";
import type { PullRequests } from "./pull-requests.ts";
import type { ApiAnswer } from "./rest.ts";

const mutations = { markPullRequestReadyForReview: false, convertPullRequestToDraft: true } as const;
type Mutation = keyof typeof mutations;

/** Handles `{ query, variables: { id } }`. */
export function handleGraphql(
  pullRequests: PullRequests,
  body: Record<string, unknown>,
  isOpen: (repository: string) => boolean,
): ApiAnswer {
  const name = Object.keys(mutations).find((each): each is Mutation => String(body.query).includes(`${each}(`));
  if (!name) return failed("UNKNOWN", "The practice code host knows only two mutations.");
  const { id = "" } = (body.variables ?? {}) as { id?: string };
  const place = parseNodeId(id);
  const found = place && isOpen(place.repository) && pullRequests.find(place.repository, place.number);
  if (!found) return failed("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'.`);
  if (found.state === "closed") return failed("UNPROCESSABLE", "Pull request is closed.");
  const isDraft = mutations[name];
  if (found.isDraft === isDraft) {
    return failed("UNPROCESSABLE", `Pull request is ${isDraft ? "already a draft" : "not a draft"}.`);
  }
  pullRequests.change(place.repository, place.number, { isDraft });
  return { status: 200, body: { data: { [name]: { pullRequest: { id, isDraft } } } } };
}

function failed(type: string, message: string): ApiAnswer {
  return { status: 200, body: { data: null, errors: [{ type, message }] } };
}
