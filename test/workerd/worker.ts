// The Worker under the tests of objects.
export { CodeHostTokenObject } from "../../durable-objects/code-host/token.ts";
export { WebhookInboxObject } from "../../durable-objects/code-host/webhook-inbox.ts";
export { DeletionObject } from "../../durable-objects/deletion/deletion.ts";
export { ApnsTokenObject } from "../../durable-objects/notification/apns-token.ts";
export { NotificationObject } from "../../durable-objects/notification/notification.ts";
export { ProjectObject } from "../../durable-objects/project/project.ts";
export { ProviderLoginObject } from "../../durable-objects/provider-login/provider-login.ts";
export { SandboxObject } from "../../durable-objects/sandbox/sandbox.ts";
export { SweepObject } from "../../durable-objects/sweep/sweep.ts";
export { WebhookObject } from "../../durable-objects/webhook/webhook.ts";
export { WorkspaceEventsObject } from "../../durable-objects/workspace-events/workspace-events.ts";
export { ChatOwnerObject } from "./support/chat-owner-object.ts";
export { ContainedSandbox } from "./support/contained-sandbox.ts";
export { LedgerObject } from "./support/ledger-object.ts";
export { CronObject, CronRunObject } from "./support/mortal-objects.ts";
export { SessionObject } from "./support/recoverable-session.ts";
export { ScriptedSandbox } from "./support/scripted-sandbox.ts";

export default {
  fetch: () => new Response("objects only", { status: 404 }),
} satisfies ExportedHandler;
