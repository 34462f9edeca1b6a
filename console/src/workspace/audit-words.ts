// Events of the audit log in words.
import type { Schemas } from "@switchyard/client";

type AuditEvent = Schemas["AuditEvent"];

/** What a change is in words, after the name of who made it. */
const words: Record<string, string> = {
  "agent.project_settings": "changed the settings of a project or proposed its network",
  "agent.ship": "merged a pull request",
  "operator.credential": "connected a provider for the workspace",
  "operator.delete-person": "deleted a person",
  "operator.key": "made an API key",
  "operator.owner": "made the owner",
  "operator.plan": "changed the plan",
  "oauth.reuse-code": "disconnected an agent whose code was used twice",
  "oauth.reuse-token": "disconnected an agent whose refresh token was used twice",
  acceptInvitation: "accepted an invitation",
  beginSignIn: "began a sign-in at a provider",
  beginWorkspaceSignIn: "began a sign-in at a provider for the workspace",
  cancelCronRun: "stopped a run of a cron",
  changeCron: "changed a cron",
  changeMember: "changed the role of a member",
  changeProfile: "changed their profile",
  changeProject: "changed a project",
  changeWebhook: "changed a webhook",
  changeWorkspace: "changed the settings of the workspace",
  changeWorkspaceSkill: "changed a skill",
  completeOnboarding: "completed their first visit",
  completeSignIn: "signed in at a provider",
  completeWorkspaceSignIn: "signed in at a provider for the workspace",
  connectAgent: "connected an agent",
  connectCodeHost: "connected their account at the code host",
  createApiKey: "made an API key",
  createCron: "made a cron",
  createInvitation: "invited somebody",
  createProject: "added a project",
  createRelayKey: "made a relay key",
  createShareLink: "shared a preview",
  createTriggerKey: "made the key of a trigger",
  createWebhook: "added a webhook",
  createWorkspace: "made the workspace",
  createWorkspaceSkill: "wrote a skill",
  deleteCron: "deleted a cron",
  deleteInvitation: "revoked an invitation",
  deleteNetworkSecret: "deleted a network secret",
  deleteProject: "deleted a project",
  deletePrototype: "deleted a prototype",
  deleteSession: "deleted a session",
  deleteWebhook: "deleted a webhook",
  deleteWorkspace: "deleted the workspace",
  deleteWorkspaceCredential: "removed a credential of the workspace",
  deleteWorkspaceLogo: "deleted the logo",
  deleteWorkspaceSkill: "deleted a skill",
  disconnectAgent: "disconnected an agent",
  disconnectCodeHost: "disconnected their account at the code host",
  disconnectLogin: "disconnected a login of a provider",
  disconnectProvider: "disconnected a provider",
  leaveWorkspace: "left the workspace",
  openTerminal: "opened a terminal",
  orderLogins: "changed the order of their logins",
  pushBranch: "pushed a branch",
  putNetwork: "changed the network of a project",
  putNetworkSecret: "set a network secret",
  putProfileImage: "changed their picture",
  putProjectSettings: "changed the settings of a project",
  putSubscriptionKey: "connected a provider by a key",
  putTriggers: "changed the triggers of a project",
  putWorkspaceCredential: "connected a provider for the workspace",
  putWorkspaceLogo: "changed the logo",
  putWorkspaceNetwork: "changed the network of the workspace",
  recoverWebhookDeliveries: "sent failed deliveries of a webhook again",
  removeMember: "removed a member",
  resendWebhookDelivery: "sent a delivery of a webhook again",
  resumeCronProject: "resumed a cron in a project",
  revokeApiKey: "revoked an API key",
  revokeCurrentApiKey: "revoked the API key that they used",
  revokeRelayKey: "revoked a relay key",
  revokeShareLink: "ended the sharing of a preview",
  rotateWebhookSecret: "made a new secret of a webhook",
  runCron: "ran a cron",
  setWorkspaceTimezone: "changed the time zone",
  signIn: "signed in",
  signOut: "signed out",
  testWebhook: "tested a webhook",
  transferOwnership: "transferred the ownership",
};

/** What was done. A kind that this page does not know is shown by its name. */
export function describeOperation(operation: string): string {
  const known = Object.hasOwn(words, operation) ? words[operation] : undefined;
  if (known !== undefined) return known;
  return `ran ${operation.replace(/^\w+\./, "")}`;
}

/** Who did it. */
export function describeActor(actor: AuditEvent["actor"]): string {
  switch (actor.kind) {
    case "member":
      return actor.name;
    case "agent":
      return "An agent";
    case "cron":
      return "A cron";
    case "relay":
      return "A relay";
    case "service":
      return "The service";
    case "operator":
      return "An operator of the service";
  }
}

const ways: Record<AuditEvent["via"], string> = {
  browser: "in a browser",
  "api-key": "with an API key",
  agent: "from a session",
  "cron-run": "from a run of a cron",
  relay: "with a relay key",
  client: "from a connected agent",
  operator: "by the operator's command",
};

/** With what it was done. */
export const describeVia = (via: AuditEvent["via"]): string => ways[via];

/** The ids of what was changed, by a word for each. The workspace itself says nothing. */
export function listTargets(target: AuditEvent["target"], workspaceId: string): [name: string, id: string][] {
  return Object.entries(target)
    .filter(([, id]) => id !== workspaceId)
    .map(([name, id]) => [name === "id" ? "made" : name.replace(/Id$/, ""), id]);
}
