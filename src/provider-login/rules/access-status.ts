// The access of a member to a provider's models: on which credential their turns run, and whether
// they can (decisions, "Who pays" and "Logins").

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
