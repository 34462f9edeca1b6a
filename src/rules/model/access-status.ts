// The access of a member to a provider's models, and the credential that it uses.

export interface AccessStatus {
  canRun: boolean;
  /** What turns run on; null for nothing. */
  via: "subscription" | "workspace" | null;
  /** True if the credential has to be connected again. */
  needsReauth: boolean;
}

/** `credential` is the workspace's; null if it has none. */
export function accessStatus(credential: { needsReauth: boolean } | null): AccessStatus {
  if (credential === null) return { canRun: false, via: null, needsReauth: false };
  return { canRun: !credential.needsReauth, via: "workspace", needsReauth: credential.needsReauth };
}
