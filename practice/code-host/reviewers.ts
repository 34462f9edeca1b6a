// The code host's REST endpoints for collaborators and requested reviewers.
import { findPerson, people, toWirePeople, toWirePerson } from "./people.ts";
import type { PullRequest, SubmittedReview } from "./pull-request.ts";
import { type ApiAnswer, getPage, notFound, unprocessable } from "./rest.ts";

/** Returns the repository of a path to collaborators; null for any other path. */
export function parseCollaboratorsPath(path: string): string | null {
  return /^\/repos\/([^/]+\/[^/]+)\/collaborators$/.exec(path)?.[1] ?? null;
}

/** Returns a page of the collaborators: all users. */
export function handleCollaborators(method: string, query: URLSearchParams): ApiAnswer {
  if (method !== "GET") return notFound;
  return { status: 200, body: getPage(people, query).map((one) => ({ ...toWirePerson(one), name: one.name })) };
}

/** Handles a call on the reviewers of a pull request. */
export function handleReviewers(
  method: string,
  { reviewers = [] }: PullRequest,
  { reviewers: given = [] }: Record<string, unknown>,
  change: (reviewers: string[]) => ApiAnswer,
): ApiAnswer {
  const named = Array.isArray(given) ? given.map(String).map(findPerson) : [null];
  const logins = named.flatMap((one) => (one ? [one.login] : []));
  const isKnown = logins.length === named.length;
  switch (method) {
    case "GET": {
      return { status: 200, body: { users: toWirePeople(reviewers), teams: [] } };
    }
    case "POST":
      if (!isKnown) {
        return unprocessable("Reviews may only be requested from collaborators. One or more of these is none.");
      }
      return { ...change([...new Set([...reviewers, ...logins])]), status: 201 };
    case "DELETE":
      return isKnown
        ? change(reviewers.filter((login) => !logins.includes(login)))
        : unprocessable("Unknown reviewer.");
    default:
      return notFound;
  }
}

const verdicts: Record<string, SubmittedReview["state"]> = {
  APPROVE: "APPROVED",
  REQUEST_CHANGES: "CHANGES_REQUESTED",
  COMMENT: "COMMENTED",
};

/**
 * Handles a call on the reviews of a pull request. The token of a call is no user's, so the body
 * names the reviewer in `user`.
 */
export function handleReviews(
  { method, query, body }: { method: string; query: URLSearchParams; body: Record<string, unknown> },
  { reviewers = [], reviews = [] }: PullRequest,
  change: (changes: Pick<PullRequest, "reviewers" | "reviews">) => ApiAnswer,
): ApiAnswer {
  if (method === "GET") {
    const listed = getPage(reviews, query).map(({ login, state }) => {
      const person = findPerson(login);
      return { user: person && toWirePerson(person), state };
    });
    return { status: 200, body: listed };
  }
  const [person, state] = [findPerson(String(body.user)), verdicts[String(body.event)]];
  if (method !== "POST") return notFound;
  if (!person || !state) return unprocessable("Unknown reviewer or event.");
  const { login } = person;
  return change({
    reviewers: reviewers.filter((one) => one !== login),
    reviews: [...reviews, { login, state, ...parseTexts(body) }],
  });
}

function parseTexts({ body, comments }: Record<string, unknown>): Pick<SubmittedReview, "body" | "comments"> {
  return {
    ...(typeof body === "string" ? { body } : {}),
    ...(Array.isArray(comments) ? { comments: comments as NonNullable<SubmittedReview["comments"]> } : {}),
  };
}
