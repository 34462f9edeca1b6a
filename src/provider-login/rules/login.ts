// A login: the credential of a workspace or a member at a model provider, either a pasted API key
// or the tokens of an OAuth sign-in.
import type { ProviderId } from "../../model/rules/provider.ts";

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
