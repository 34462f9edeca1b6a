// A login: what a workspace or a member holds at a model provider, a pasted key or the tokens that came of signing in there.
import type { ProviderId } from "./provider.ts";

export interface LoginOwner {
  type: "workspace" | "member";
  id: string;
}

/** Which login is meant. */
export interface LoginName {
  owner: LoginOwner;
  provider: ProviderId;
  /** Differs from that of every other login, whoever holds it. */
  id: string;
}

/** The login of a workspace at a provider, where it holds one alone. */
export function workspaceLogin(workspaceId: string, provider: ProviderId): LoginName {
  return { owner: { type: "workspace", id: workspaceId }, provider, id: `${workspaceId}:${provider}` };
}

/** What the sealed text of a login is bound to: no text opens any more whose login gets another identity. */
export function sealingIdentity({ owner, provider, id }: LoginName): string {
  switch (owner.type) {
    case "workspace":
      return `workspace-credential:${owner.id}:${provider}`;
    case "member":
      return `member-login:${owner.id}:${id}`;
  }
}
