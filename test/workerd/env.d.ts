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
    PROVIDER_LOGIN: DurableObjectNamespace<
      import("../../durable-objects/provider-login/provider-login.ts").ProviderLoginObject
    >;
    CODE_HOST_TOKEN_OBJECT: DurableObjectNamespace<
      import("../../durable-objects/code-host/token.ts").CodeHostTokenObject
    >;
    WEBHOOK_INBOX: DurableObjectNamespace<
      import("../../durable-objects/code-host/webhook-inbox.ts").WebhookInboxObject
    >;
    WEBHOOK: DurableObjectNamespace<import("../../durable-objects/webhook/webhook.ts").WebhookObject>;
    DELETION: DurableObjectNamespace<import("../../durable-objects/deletion/deletion.ts").DeletionObject>;
    WORKSPACE_EVENTS: DurableObjectNamespace<
      import("../../durable-objects/workspace-events/workspace-events.ts").WorkspaceEventsObject
    >;
    NOTIFICATION: DurableObjectNamespace<
      import("../../durable-objects/notification/notification.ts").NotificationObject
    >;
    APNS_TOKEN: DurableObjectNamespace<import("../../durable-objects/notification/apns-token.ts").ApnsTokenObject>;
    SWEEP: DurableObjectNamespace<import("../../durable-objects/sweep/sweep.ts").SweepObject>;
    APNS_KEY_ID: string;
    APNS_TEAM_ID: string;
    SEALING_KEYS: string;
    JURISDICTION: string;
    PREVIEW_DOMAIN: string;
    PUBLIC_URL: string;
    SANDBOX_HOST_URL: string;
    SANDBOX_PROGRAM: string;
    SIGNING_KEY: string;
    STORE: R2Bucket;
    LEDGER: DurableObjectNamespace<import("./support/ledger-object.ts").LedgerObject>;
    CHAT_OWNER: DurableObjectNamespace<import("./support/chat-owner-object.ts").ChatOwnerObject>;
    EMPTY_DB: D1Database;
    MIGRATIONS: import("cloudflare:test").D1Migration[];
  }
}
