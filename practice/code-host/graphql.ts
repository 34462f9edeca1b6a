// The code host's GraphQL endpoint: only the mutations that make a pull request a draft or ready,
// and the one that adds a reaction, recognized by their names.
import type { Comments } from "./comments.ts";
import { parseNodeId, parseSubjectId } from "./pull-request.ts";
import type { PullRequests } from "./pull-requests.ts";
import type { ApiAnswer } from "./rest.ts";

const mutations = { markPullRequestReadyForReview: false, convertPullRequestToDraft: true } as const;
type Mutation = keyof typeof mutations;

/** Handles `{ query, variables: { id } }`. */
export function handleGraphql(
  { pullRequests, comments }: { pullRequests: PullRequests; comments: Comments },
  body: Record<string, unknown>,
  { isOpen, by }: { isOpen: (repository: string) => boolean; by: string },
): ApiAnswer {
  if (String(body.query).includes("addReaction(")) return addReaction({ pullRequests, comments }, body, { isOpen, by });
  const name = Object.keys(mutations).find((each): each is Mutation => String(body.query).includes(`${each}(`));
  if (!name) return failed("UNKNOWN", "The practice code host knows only three mutations.");
  const { id = "" } = (body.variables ?? {}) as { id?: string };
  const place = parseNodeId(id);
  const found = place && isOpen(place.repository) && pullRequests.find(place.repository, place.number);
  if (!found) return failed("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'.`);
  if (found.state === "closed") return failed("UNPROCESSABLE", "Pull request is closed.");
  const isDraft = mutations[name];
  if (found.isDraft === isDraft) {
    return failed("UNPROCESSABLE", `Pull request is ${isDraft ? "already a draft" : "not a draft"}.`);
  }
  pullRequests.change(place.repository, place.number, { isDraft }, by);
  return { status: 200, body: { data: { [name]: { pullRequest: { id, isDraft } } } } };
}

/** The service reacts with eyes, and with nothing else. */
function addReaction(
  { pullRequests, comments }: { pullRequests: PullRequests; comments: Comments },
  body: Record<string, unknown>,
  { isOpen, by }: { isOpen: (repository: string) => boolean; by: string },
): ApiAnswer {
  const { id = "" } = (body.variables ?? {}) as { id?: string };
  const found = parseSubjectId(id);
  const missing = failed("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'.`);
  if (!found || !isOpen(found.repository)) return missing;
  const { repository, number, place } = found;
  if (id.startsWith("R_")) {
    const { reviews = [] } = pullRequests.find(repository, number) ?? {};
    if (!reviews[place - 1]) return missing;
    const reacted = reviews.map((one, at) =>
      at === place - 1 ? { ...one, reactions: [...new Set([...(one.reactions ?? []), by])] } : one,
    );
    pullRequests.change(repository, number, { reviews: reacted }, by);
  } else if (!comments.react(repository, place, by, "eyes")) return missing;
  return { status: 200, body: { data: { addReaction: { reaction: { content: "EYES" } } } } };
}

function failed(type: string, message: string): ApiAnswer {
  return { status: 200, body: { data: null, errors: [{ type, message }] } };
}
