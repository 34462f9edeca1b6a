// The bindings of the Worker under the tests of objects.
declare namespace Cloudflare {
  interface Env {
    DB: D1Database;
    SESSION: DurableObjectNamespace<import("../../durable-objects/session/session.ts").SessionObject>;
    CRON: DurableObjectNamespace<import("../../durable-objects/cron/cron.ts").CronObject>;
    CRON_RUN: DurableObjectNamespace<import("../../durable-objects/cron-run/cron-run.ts").CronRunObject>;
    SANDBOX: DurableObjectNamespace<import("./support/scripted-sandbox.ts").ScriptedSandbox>;
    OWN_SANDBOX: DurableObjectNamespace<import("../../durable-objects/sandbox/sandbox.ts").SandboxObject>;
    CONTAINED_SANDBOX: DurableObjectNamespace<import("./support/contained-sandbox.ts").ContainedSandbox>;
    PROJECT: DurableObjectNamespace<import("../../durable-objects/project/project.ts").ProjectObject>;
    LOGIN: DurableObjectNamespace<import("../../durable-objects/provider-login/provider-login.ts").LoginObject>;
    CODE_HOST_ACCESS: DurableObjectNamespace<import("../../durable-objects/code-host/token.ts").CodeHostAccessObject>;
    CODE_HOST_INBOX: DurableObjectNamespace<
      import("../../durable-objects/code-host/webhook-inbox.ts").CodeHostInboxObject
    >;
    REMOVAL: DurableObjectNamespace<import("../../durable-objects/deletion/deletion.ts").RemovalObject>;
    WORKSPACE_EVENTS: DurableObjectNamespace<
      import("../../durable-objects/workspace-events/workspace-events.ts").WorkspaceEventsObject
    >;
    NOTICE: DurableObjectNamespace<import("../../durable-objects/notification/notification.ts").NoticeObject>;
    PROVIDER_TOKEN: DurableObjectNamespace<
      import("../../durable-objects/notification/apns-token.ts").ProviderTokenObject
    >;
    SWEEP: DurableObjectNamespace<import("../../durable-objects/sweep/sweep.ts").SweepObject>;
    APNS_KEY_ID: string;
    APNS_TEAM_ID: string;
    SEALING_KEYS: string;
    SANDBOX_PROGRAM: string;
    SIGNING_KEY: string;
    STORE: R2Bucket;
    LEDGER: DurableObjectNamespace<import("./support/ledger-object.ts").LedgerObject>;
    CHAT_OWNER: DurableObjectNamespace<import("./support/chat-owner-object.ts").ChatOwnerObject>;
    MIGRATIONS: import("cloudflare:test").D1Migration[];
  }
}
