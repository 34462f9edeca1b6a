// The Worker under the tests of objects.
export { CodeHostAccessObject } from "../../durable-objects/code-host/token.ts";
export { CodeHostInboxObject } from "../../durable-objects/code-host/webhook-inbox.ts";
export { RemovalObject } from "../../durable-objects/deletion/deletion.ts";
export { ProviderTokenObject } from "../../durable-objects/notification/apns-token.ts";
export { NoticeObject } from "../../durable-objects/notification/notification.ts";
export { ProjectObject } from "../../durable-objects/project/project.ts";
export { LoginObject } from "../../durable-objects/provider-login/provider-login.ts";
export { SandboxObject } from "../../durable-objects/sandbox/sandbox.ts";
export { SessionObject } from "../../durable-objects/session/session.ts";
export { SweepObject } from "../../durable-objects/sweep/sweep.ts";
export { WorkspaceEventsObject } from "../../durable-objects/workspace-events/workspace-events.ts";
export { ChatOwnerObject } from "./support/chat-owner-object.ts";
export { ContainedSandbox } from "./support/contained-sandbox.ts";
export { LedgerObject } from "./support/ledger-object.ts";
export { CronObject, CronRunObject } from "./support/mortal-objects.ts";
export { ScriptedSandbox } from "./support/scripted-sandbox.ts";

export default {
  fetch: () => new Response("objects only", { status: 404 }),
} satisfies ExportedHandler;
