// The Worker's bindings and settings, as named in wrangler.toml. Every external service has its
// base URL here.
import type { CodeHostTokenRpc, WebhookInboxRpc } from "../durable-objects/code-host/rpc.ts";
import type { CronRpc } from "../durable-objects/cron/rpc.ts";
import type { CronRunRpc } from "../durable-objects/cron-run/rpc.ts";
import type { DeletionRpc } from "../durable-objects/deletion/rpc.ts";
import type { ApnsTokenRpc, NotificationRpc } from "../durable-objects/notification/rpc.ts";
import type { ProjectRpc } from "../durable-objects/project/rpc.ts";
import type { ProviderLoginRpc } from "../durable-objects/provider-login/rpc.ts";
import type { ContainerRpc, SandboxRpc } from "../durable-objects/sandbox/rpc.ts";
import type { SessionRpc } from "../durable-objects/session/rpc.ts";
import type { SweepRpc } from "../durable-objects/sweep/rpc.ts";
import type { WebhookRpc } from "../durable-objects/webhook/rpc.ts";
import type { WorkspaceEventsRpc } from "../durable-objects/workspace-events/rpc.ts";

export interface Env {
  DB: D1Database;
  /**
   * Saved work and prebuild layers of sandboxes, attachments, whole tool outputs, artifacts and
   * Prototypes.
   */
  STORE: R2Bucket;
  SESSION: DurableObjectNamespace<SessionRpc>;
  PROJECT: DurableObjectNamespace<ProjectRpc>;
  CRON: DurableObjectNamespace<CronRpc>;
  CRON_RUN: DurableObjectNamespace<CronRunRpc>;
  SANDBOX: DurableObjectNamespace<SandboxRpc>;
  PROVIDER_LOGIN: DurableObjectNamespace<ProviderLoginRpc>;
  /** Its name has a suffix, because `CODE_HOST_TOKEN` is a setting. */
  CODE_HOST_TOKEN_OBJECT: DurableObjectNamespace<CodeHostTokenRpc>;
  WEBHOOK_INBOX: DurableObjectNamespace<WebhookInboxRpc>;
  WEBHOOK: DurableObjectNamespace<WebhookRpc>;
  DELETION: DurableObjectNamespace<DeletionRpc>;
  WORKSPACE_EVENTS: DurableObjectNamespace<WorkspaceEventsRpc>;
  NOTIFICATION: DurableObjectNamespace<NotificationRpc>;
  SWEEP: DurableObjectNamespace<SweepRpc>;
  APNS_TOKEN: DurableObjectNamespace<ApnsTokenRpc>;
  /**
   * Reaches only the internet, for sandboxes and webhooks. Not set on Cloudflare, where `fetch`
   * does that.
   */
  PUBLIC_NETWORK?: Fetcher;
  /** The sandboxes' containers; missing if a sandbox host runs sandboxes. */
  CONTAINER?: DurableObjectNamespace<ContainerRpc>;
  /** Counts the requests of each key and each browser session. */
  KEY_REQUESTS: RateLimit;
  /** Counts the requests of each person, over all their API keys and browser sessions. */
  USER_REQUESTS: RateLimit;
  /** Counts the wrong credentials of each visitor. */
  FAILED_CREDENTIALS: RateLimit;
  KEY_TRIALS: RateLimit;
  /** Counts the sign-ins from a terminal that each visitor starts, and the codes of each person. */
  DEVICE_SIGN_INS: RateLimit;
  /** Counts the requests of each trigger's key. */
  TRIGGER_REQUESTS: RateLimit;
  /** Counts each visitor's requests for shared previews. */
  SHARED_PREVIEW_REQUESTS: RateLimit;
  /** Counts each visitor's requests for shared artifacts. */
  SHARED_ARTIFACT_REQUESTS: RateLimit;

  /** The jurisdiction of all objects: `eu`, `us`, or empty; see `durable-objects/address.ts`. */
  JURISDICTION: string;
  /** The service's URL for people and clients. */
  PUBLIC_URL: string;
  /** Who may sign up, see `account/rules/sign-up.ts`; everybody if it is missing. */
  SIGN_UP?: string;
  /** The service's URL for sandboxes. */
  SANDBOX_TO_SERVICE_URL: string;
  /**
   * The parent domain of all preview hosts, with its port. It must not be the domain of the API.
   */
  PREVIEW_DOMAIN: string;
  /**
   * Where sandboxes run in one-machine mode: the URL of the sandbox host, or
   * `containers://localhost`. Empty on the platform.
   */
  SANDBOX_HOST_URL: string;
  /**
   * A hash of the contents of new sandboxes' program. A spare that runs another program is not
   * claimed.
   */
  SANDBOX_PROGRAM: string;
  /** `held` if what runs sandboxes here can hold one to a network. */
  SANDBOX_NETWORKS?: string;
  /** The code host's website, which also serves git over HTTP. */
  CODE_HOST_GIT_URL: string;
  /** The code host's REST and GraphQL API. */
  CODE_HOST_API_URL: string;
  /** JSON: provider → base URL, for providers that are not reached at their own URL. */
  PROVIDER_URLS: string;
  /**
   * JSON: provider → the operator's OAuth client there; see
   * `provider-login/connect/oauth-client.ts`. Without one, nobody can sign in, and no login is
   * refreshed.
   */
  MODEL_LOGIN_CLIENTS?: string;
  /**
   * The bucket's S3 URL, including the bucket name. Without it and its keys, images and videos are
   * not served.
   */
  S3_ENDPOINT?: string;
  /**
   * JSON: provider → a note that is appended to its models' labels, such as `practice` for a
   * provider that is not real.
   */
  MODEL_LABEL_NOTES?: string;

  /**
   * JSON: `[{ provider, repository, ref? }]`, the Official Marketplaces, as public repositories of
   * the code host.
   */
  MARKETPLACES?: string;
  /** JSON: `sandbox` and `production` → base URL, if APNs is not reached at its own URL. */
  APNS_URLS?: string;
  /** With `off`, new sandboxes are not resumed by a visit to their preview. */
  PREVIEW_AUTO_RESUME?: string;
  /** With `on`, a sign-in needs no proof. One-machine mode only. */
  DEV_SIGN_IN?: string;
  /**
   * `off` lifts all rate limits, `visitors` those of requests with a credential. One-machine mode
   * only.
   */
  RATE_LIMITS?: string;
  /** With `on`, webhooks may lead to loopback addresses. One-machine mode only. */
  WEBHOOKS_TO_LOOPBACK?: string;
  /**
   * How many minutes an unused sandbox stays up, if that is longer than the usual time. One-machine
   * mode only.
   */
  IDLE_MINUTES?: string;

  /**
   * Signs the tokens of sandboxes and Auth Tokens. The previous key still verifies what it signed.
   */
  SIGNING_KEY: string;
  SIGNING_KEY_PREVIOUS?: string;
  /**
   * `<key id>:<32 bytes in base64url>`, several separated by commas. The first one seals; all
   * unseal.
   */
  SEALING_KEYS: string;
  /** The service's app at the code host, and its private key in PEM. */
  CODE_HOST_APP_ID?: string;
  CODE_HOST_APP_PRIVATE_KEY?: string;
  /**
   * With `on`, sessions may push workflows of the code host, which run with the repository's
   * secrets.
   */
  CODE_HOST_WORKFLOWS?: string;
  /** The app's OAuth client. Without it nobody can sign in. */
  CODE_HOST_CLIENT_ID?: string;
  CODE_HOST_CLIENT_SECRET?: string;
  /** The access token for the code host if no app is set up. */
  CODE_HOST_TOKEN?: string;
  /** The secret of the code host's webhooks. Without it they are refused. */
  CODE_HOST_WEBHOOK_SECRET?: string;
  /** Gives `npm run operator` access. Without it, there is no such access. */
  OPERATOR_KEY?: string;
  /** Lets the last deployment try a sandbox, and nothing else. Each deployment draws one. */
  DEPLOYMENT_KEY?: string;
  /**
   * The token key of APNs: its id, its team, and the key in PEM. Without all three, no push
   * notifications are sent.
   */
  APNS_KEY_ID?: string;
  APNS_TEAM_ID?: string;
  APNS_PRIVATE_KEY?: string;
  /**
   * The private key of Web Push (RFC 8292): 32 bytes in base64url. Without it, browsers cannot be
   * registered, and get no notifications.
   */
  WEB_PUSH_PRIVATE_KEY?: string;
  /** The S3 key that reads the bucket. */
  S3_ACCESS_KEY_ID?: string;
  S3_SECRET_ACCESS_KEY?: string;
}
