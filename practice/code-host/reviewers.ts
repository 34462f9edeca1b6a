// The code host's REST endpoints for collaborators and requested reviewers.
import { findPerson, people, toWirePerson } from "./people.ts";
import type { PullRequest } from "./pull-request.ts";
import { type ApiAnswer, getPage, notFound, unprocessable } from "./rest.ts";

/** Returns the repository of a path to collaborators; null for any other path. */
export function parseCollaboratorsPath(path: string): string | null {
  return /^\/repos\/([^/]+\/[^/]+)\/collaborators$/.exec(path)?.[1] ?? null;
}

/** Returns a page of the collaborators: all users. */
export function handleCollaborators(method: string, query: URLSearchParams): ApiAnswer {
  if (method !== "GET") return notFound;
  return { status: 200, body: getPage(people, query).map(toWirePerson) };
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
      const asked = reviewers.map(findPerson).flatMap((one) => (one ? [toWirePerson(one)] : []));
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
