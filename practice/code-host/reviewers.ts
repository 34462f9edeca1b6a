// The code host's REST endpoints for collaborators and requested reviewers.
import { people, personCalled, personOnWire } from "./people.ts";
import type { PullRequest } from "./pull-request.ts";
import { type ApiAnswer, notFound, pageOf, unprocessable } from "./rest.ts";

/** Returns the repository of a path to collaborators; null for any other path. */
export function repositoryOfCollaborators(path: string): string | null {
  return /^\/repos\/([^/]+\/[^/]+)\/collaborators$/.exec(path)?.[1] ?? null;
}

/** Returns a page of the collaborators: all users. */
export function answerCollaborators(method: string, query: URLSearchParams): ApiAnswer {
  if (method !== "GET") return notFound;
  return { status: 200, body: pageOf(people, query).map(personOnWire) };
}

/** Handles a call on the reviewers of a pull request. */
export function answerReviewers(
  method: string,
  { reviewers = [] }: PullRequest,
  { reviewers: given = [] }: Record<string, unknown>,
  change: (reviewers: string[]) => ApiAnswer,
): ApiAnswer {
  const named = Array.isArray(given) ? given.map(String).map(personCalled) : [null];
  const logins = named.flatMap((one) => (one ? [one.login] : []));
  const isKnown = logins.length === named.length;
  switch (method) {
    case "GET": {
      const asked = reviewers.map(personCalled).flatMap((one) => (one ? [personOnWire(one)] : []));
      return { status: 200, body: { users: asked, teams: [] } };
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
