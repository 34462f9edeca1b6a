// The limits of workspaces, which `limits.ts` exports with all others.

const dayMs = 86_400_000;

/** Of the workspaces that one person owns. */
export const ownedWorkspacesMax = 50;
/** Decisions 5: of one stream over all workspaces of a caller. */
export const followedWorkspacesMax = 100;
/** Of one workspace. */
export const projectsPerWorkspace = 200;
/** Decisions 11. */
export const workspaceNameCharactersMax = 100;
/** Decisions 11. */
export const workspaceSlugCharactersMin = 2;
/** Decisions 11. */
export const workspaceSlugCharactersMax = 40;
/** Decisions 11. */
export const invitationLifetimeMs = 7 * dayMs;
/** Decisions 11: of one workspace. */
export const openInvitationsMax = 500;
/**
 * Of one person, over all workspaces on the free plan that they own: session sandboxes that run
 * concurrently.
 */
export const freeSandboxesPerOwner = 6;
