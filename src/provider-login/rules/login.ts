// A login: the credential of a workspace or a member at a model provider, either a pasted API key
// or the tokens of an OAuth sign-in.
import type { ProviderId } from "../../model/rules/provider.ts";
import { type LoginState, listLoginStatuses } from "./login-order.ts";

export const loginOwnerTypes = ["workspace", "member"] as const;

export interface LoginOwner {
  type: (typeof loginOwnerTypes)[number];
  id: string;
}

/** Identifies a login. */
export interface LoginName {
  owner: LoginOwner;
  provider: ProviderId;
  /** Unique among all logins. */
  id: string;
}

/** The login of a workspace at a provider. A workspace has at most one per provider. */
export function getWorkspaceLogin(workspaceId: string, provider: ProviderId): LoginName {
  return { owner: { type: "workspace", id: workspaceId }, provider, id: `${workspaceId}:${provider}` };
}

/**
 * The identity that a login's sealed text is bound to. If it changed, stored logins could not be
 * unsealed.
 */
export function getSealingIdentity({ owner, provider, id }: LoginName): string {
  switch (owner.type) {
    case "workspace":
      return `workspace-credential:${owner.id}:${provider}`;
    case "member":
      return `member-login:${owner.id}:${id}`;
  }
}

/** The access of a member to a provider's models, and the credential that it uses. */
export interface AccessStatus {
  canRun: boolean;
  /** What turns run on; null if they cannot run. */
  via: "subscription" | "workspace" | null;
  /** True if the credential must be connected again. */
  needsReauth: boolean;
}

/**
 * `own` are the member's logins of the provider. `credential` is the workspace's; null if it has
 * none.
 */
export function getAccessStatus(
  own: readonly { needsReauth: boolean }[],
  credential: { needsReauth: boolean } | null,
): AccessStatus {
  if (own.length > 0) {
    const needsReauth = own.every((login) => login.needsReauth);
    return { canRun: !needsReauth, via: "subscription", needsReauth };
  }
  if (credential === null) return { canRun: false, via: null, needsReauth: false };
  return { canRun: !credential.needsReauth, via: "workspace", needsReauth: credential.needsReauth };
}

/**
 * The login that represents a subscription, which is all logins of a user at one provider: the one
 * in use, otherwise the first; null without any.
 */
export function findShownLogin<Login extends LoginState>(logins: readonly Login[], now: number): Login | null {
  const inUse = listLoginStatuses(logins, now).indexOf("in_use");
  return logins[Math.max(inUse, 0)] ?? null;
}

/** True if every login must be connected again before it can be used. */
export function isReauthNeeded(logins: readonly LoginState[]): boolean {
  return logins.every((login) => login.needsReauth);
}
