// A login: the credential of a workspace or a member at a model provider, either a pasted API key
// or the tokens of an OAuth sign-in.
import type { ProviderId } from "../../model/rules/provider.ts";
import { type LoginState, loginStatusesOf } from "./order.ts";

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

/** The login of a workspace at a provider. It has at most one for each provider. */
export function workspaceLogin(workspaceId: string, provider: ProviderId): LoginName {
  return { owner: { type: "workspace", id: workspaceId }, provider, id: `${workspaceId}:${provider}` };
}

/**
 * The identity that a login's sealed text is bound to. If it changed, stored logins could not be
 * unsealed.
 */
export function sealingIdentity({ owner, provider, id }: LoginName): string {
  switch (owner.type) {
    case "workspace":
      return `workspace-credential:${owner.id}:${provider}`;
    case "member":
      return `member-login:${owner.id}:${id}`;
  }
}

// The access of a member to a provider's models, and the credential that it uses.

export interface AccessStatus {
  canRun: boolean;
  /** What turns run on; null for nothing. */
  via: "subscription" | "workspace" | null;
  /** True if the credential has to be connected again. */
  needsReauth: boolean;
}

/**
 * `own` are the member's logins of the provider, `credential` is the workspace's; null if it has
 * none.
 */
export function accessStatus(
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

// A subscription: what a user holds at one provider, as a whole.

/** The login that a subscription is shown by: the one in use, else the first; null without any. */
export function shownLogin<Login extends LoginState>(logins: readonly Login[], now: number): Login | null {
  const inUse = loginStatusesOf(logins, now).indexOf("in_use");
  return logins[Math.max(inUse, 0)] ?? null;
}

/** True if no login can be used before it is connected again. */
export function needsReauth(logins: readonly LoginState[]): boolean {
  return logins.every((login) => login.needsReauth);
}
