// The service as a GitHub App. It signs a short-lived JWT, finds the installation of a repository,
// and requests an installation token for only that repository. The token is valid for an hour.
import type { IssuedToken } from "../../lib/cached-token.ts";
import { signJwt } from "../../lib/jwt.ts";
import { withDeadline } from "../../lib/timeout.ts";
import { isRepositoryName, noRepositoryName, type RepositoryRef } from "../../project/rules/repository.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import { type Credential, createGithubCall } from "./call.ts";

export interface AppSettings {
  apiUrl: string;
  appId: string;
  /** PEM, as issued by GitHub. */
  privateKey: string;
  /** Leaves the permission to change workflows on its tokens, if the app has it. */
  withWorkflows?: boolean;
  waitMs?: number;
}

/** A new token for one repository. */
export interface InstallationToken extends IssuedToken {
  /** The repository as the code host reports it now; null if it did not. */
  opens: RepositoryRef | null;
}

/** The app's installation for a repository: what its owner has granted, and the events it sends. */
export interface Installation {
  id: number;
  permissions: Record<string, string>;
  events: string[];
}

interface TokenResult {
  token: string;
  expires_at: string;
  repositories?: { id: number; full_name: string }[];
  permissions?: Record<string, string>;
}

// GitHub refuses a JWT that was issued in the future, so `iat` allows for a clock ahead of
// GitHub's. GitHub also refuses one that is valid for more than ten minutes.
const backdatedSeconds = 60;
const jwtSeconds = 540;
const answerWaitMs = 10_000;

const appRefused = refuse(
  "SERVICE_UNAVAILABLE",
  "The code host does not accept the service as its app. The operator of the service has to check CODE_HOST_APP_ID and CODE_HOST_APP_PRIVATE_KEY.",
);

/**
 * Requests a new token for a repository, by its id if that is known. NOT_FOUND if the app is not
 * installed.
 */
export async function issueInstallationToken(
  settings: AppSettings,
  repository: RepositoryRef,
): Promise<InstallationToken | Refusal> {
  return await withDeadline(settings.waitMs ?? answerWaitMs, (signal) => requestToken(settings, repository, signal));
}

/** Returns the app's installation for a repository. NOT_FOUND if the app is not installed. */
export async function readInstallation(
  { apiUrl, appId, privateKey, waitMs = answerWaitMs }: AppSettings,
  repository: string,
): Promise<Installation | Refusal> {
  if (!isRepositoryName(repository)) return noRepositoryName;
  const call = createGithubCall({ apiUrl, credential: asApp({ appId, privateKey }) });
  const path = `/repos/${repository}/installation`;
  const found = await call<Installation>({ method: "GET", path }, AbortSignal.timeout(waitMs));
  return isRefusal(found) && isAbsent(found) ? notInstalled(repository) : found;
}

async function requestToken(
  { apiUrl, appId, privateKey, withWorkflows = false }: AppSettings,
  ref: RepositoryRef,
  signal: AbortSignal,
): Promise<InstallationToken | Refusal> {
  if (!isRepositoryName(ref.repository)) return noRepositoryName;
  const call = createGithubCall({ apiUrl, credential: asApp({ appId, privateKey }) });
  const installed = () =>
    call<{ id: number }>({ method: "GET", path: `/repos/${ref.repository}/installation` }, signal);
  const opened =
    ref.repositoryId === null
      ? { repositories: [ref.repository.split("/")[1]] }
      : { repository_ids: [ref.repositoryId] };
  const issue = (installationId: number, narrowed: object = {}) =>
    call<TokenResult>(
      { method: "POST", path: `/app/installations/${installationId}/access_tokens`, body: { ...opened, ...narrowed } },
      signal,
    );
  const known = ref.installationId === null ? null : { id: ref.installationId };
  let installation = known ?? (await installed());
  let issued = isRefusal(installation) ? installation : await issue(installation.id);
  // The app may have been reinstalled since, or the repository may have another owner.
  if (known && isRefusal(issued) && isAbsent(issued)) {
    installation = await installed();
    issued = isRefusal(installation) ? installation : await issue(installation.id);
  }
  if (isRefusal(installation)) return isAbsent(installation) ? notInstalled(ref.repository) : installation;
  if (isRefusal(issued)) return isAbsent(issued) ? notInstalled(ref.repository) : issued;
  const { workflows, ...permissions } = issued.permissions ?? {};
  if (workflows !== undefined && !withWorkflows) {
    issued = await issue(installation.id, { permissions });
    if (isRefusal(issued)) return issued;
  }
  const [repository] = issued.repositories ?? [];
  const opens = repository
    ? { repository: repository.full_name, repositoryId: repository.id, installationId: installation.id }
    : null;
  return { token: issued.token, expiresAt: Date.parse(issued.expires_at), opens };
}

/** The app itself as a credential. If GitHub rejects a JWT, no new one is signed. */
export function asApp({ appId, privateKey }: Pick<AppSettings, "appId" | "privateKey">): Credential {
  const signed = createAppJwt(appId, privateKey, Date.now()).catch(() => appRefused);
  return async (refused) => (refused === undefined ? await signed : appRefused);
}

/**
 * True for the refusal of a repository id. GitHub rejects an id as unprocessable if the
 * installation has no access to the repository or it no longer exists.
 */
function isAbsent({ code }: Refusal): boolean {
  return code === "NOT_FOUND" || code === "BAD_REQUEST";
}

/**
 * The JWT that authenticates the app, signed with its key. Throws for a key that cannot be read.
 */
export async function createAppJwt(appId: string, privateKey: string, now: number): Promise<string> {
  const seconds = Math.floor(now / 1_000);
  const claims = { iss: appId, iat: seconds - backdatedSeconds, exp: seconds + jwtSeconds };
  return await signJwt({ algorithm: "RS256", privateKey, claims });
}

function notInstalled(repository: string): Refusal {
  const message = `The code host has no repository ${repository}, or the service's app is not installed there. Install it for this repository.`;
  return refuse("NOT_FOUND", message);
}
