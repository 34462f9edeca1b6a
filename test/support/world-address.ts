// The URLs, ids and users of a running world.

export interface WorldAddress {
  baseUrl: string;
  workspaceId: string;
  projectId: string;
  /**
   * The project like it whose sandboxes serve a preview. Those of `projectId` start no service,
   * which most tests have no use for.
   */
  previewProjectId: string;
  /** Another project of the same workspace. */
  siblingProjectId: string;
  /** A project of the workspace whose only member is the outsider. */
  outsideProjectId: string;
  forgeUrl: string;
  /** The link by which a browser may sign in at the practice code host. */
  signInUrl: string;
  /** The link that opens the console, signed in as the owner. It works once. */
  openUrl: string;
  providerUrl: string;
  pushUrl: string;
  sandboxHostUrl: string;
  stateDir: string;
  /** The URL of the world's database and object storage; see `world-inside.ts`. */
  insideUrl: string;
  users: Record<"owner" | "admin" | "member" | "outsider", { id: string; apiKey: string }>;
  /** Agent tokens of a session in the workspace's Backlog: one acts as the owner, one as nobody. */
  agentTokens: { ofOwner: string; ofNobody: string };
}
