// A project's repository at the code host: its name, which its owner may change, and the ids that
// identify it.
import { type Refusal, refuse } from "../../rules/refusal.ts";

export interface RepositoryRef {
  /** `owner/name`, as last reported by the code host. */
  repository: string;
  /** The app's installation with access to it; null until it is known. */
  installationId: number | null;
  /** The code host's id, which no other repository ever gets; null until it is known. */
  repositoryId: number | null;
}

const owner = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
const name = /^[A-Za-z0-9._-]{1,100}$/;

/**
 * True for `owner/name` in the code host's own alphabet. Any other text could change the path of a
 * request.
 */
export function isRepositoryName(text: string): boolean {
  const [before = "", behind = "", ...rest] = text.split("/");
  if (rest.length > 0 || !owner.test(before) || !name.test(behind)) return false;
  return !/^\.{1,2}$/.test(behind) && !/\.git$/i.test(behind);
}

/** Refuses a repository that the service cannot read at the code host. */
export function refuseRepository(repository: string): Refusal {
  return refuse(
    "BAD_REQUEST",
    `The code host has no repository ${repository}, or the service has no access to it. Check the name, and install the service's app for this repository at the code host.`,
  );
}

/**
 * Refuses a repository that is invisible to the service or to a person. The refusal does not reveal
 * which.
 */
export function refuseRepositoryTo(repository: string, login: string): Refusal {
  return refuse(
    "BAD_REQUEST",
    `The code host has no repository ${repository} that both the service and your account ${login} see. Check the name, and install the service's app for this repository at the code host. If your account's name has changed, connect it again.`,
  );
}

const connectFirst = "Open /api/auth/github/connect in a browser, where you are signed in, and try again.";

/** Refuses a person without an account at the code host, whose access is unknown. */
export const notConnected: Refusal = refuse(
  "FORBIDDEN",
  `You have no account at the code host connected. ${connectFirst}`,
);

/** Refuses a person whose connection the code host no longer accepts. */
export function refuseConnection(login: string): Refusal {
  return refuse(
    "FORBIDDEN",
    `The code host no longer accepts the connection of your account ${login}. ${connectFirst}`,
  );
}

/** Refuses to list repositories where people do not sign in with an app of the service. */
export const cannotList: Refusal = refuse(
  "BAD_REQUEST",
  "The code host does not list your repositories for this service. Write the name of the repository instead.",
);

/** Refuses a person whose account may not push. */
export function refusePush(repository: string, login: string): Refusal {
  return refuse(
    "FORBIDDEN",
    `Your account ${login} may not push to ${repository}. Ask for write access there, or connect another account.`,
  );
}

/** Refuses a branch that a repository does not have. */
export function refuseBranch(repository: string, branch: string): Refusal {
  return refuse("BAD_REQUEST", `${repository} has no branch ${branch}. Push it there, or name another Target Branch.`);
}

export const noRepositoryName: Refusal = refuse(
  "BAD_REQUEST",
  "This is not a repository name. Send `owner/name`, in letters, digits, `.`, `-` and `_`.",
);
