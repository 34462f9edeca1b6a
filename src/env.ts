// The bindings and settings of the Worker, as wrangler.toml names them. Every outside party is reached by a base URL from here.
import type { CodeHostAccessRpc } from "../durable-objects/code-host/rpc.ts";
import type { LoginRpc } from "../durable-objects/login/rpc.ts";
import type { ContainerRpc, SandboxRpc } from "../durable-objects/sandbox/rpc.ts";
import type { SessionRpc } from "../durable-objects/session/rpc.ts";

export interface Env {
  DB: D1Database;
  /** What is too large for rows: saved work and bases of sandboxes, attachments, whole outputs of tools, artifacts and Prototypes. */
  STORE: R2Bucket;
  SESSION: DurableObjectNamespace<SessionRpc>;
  SANDBOX: DurableObjectNamespace<SandboxRpc>;
  LOGIN: DurableObjectNamespace<LoginRpc>;
  CODE_HOST_ACCESS: DurableObjectNamespace<CodeHostAccessRpc>;
  /** The containers of sandboxes; not there on one machine. */
  CONTAINER?: DurableObjectNamespace<ContainerRpc>;
  /** Counts the requests of each key. */
  KEY_REQUESTS: RateLimit;
  /** Counts how often each visitor asks for shared previews. */
  SHARED_PREVIEW_REQUESTS: RateLimit;
  /** Counts how often each visitor asks for shared artifacts. */
  SHARED_ARTIFACT_REQUESTS: RateLimit;

  /** Where people and clients reach the service. */
  PUBLIC_URL: string;
  /** Where a sandbox reaches the service. */
  SANDBOX_TO_SERVICE_URL: string;
  /** Previews live under this domain, port included; never the domain of the API. */
  PREVIEW_DOMAIN: string;
  /** Where the sandbox host of one machine is reached; empty where sandboxes are containers. */
  SANDBOX_HOST_URL: string;
  /** Where the code host serves git over HTTP. */
  CODE_HOST_GIT_URL: string;
  /** Where the code host answers REST and GraphQL. */
  CODE_HOST_API_URL: string;
  /** JSON: provider → base URL, for those that are not the real service's. */
  PROVIDER_URLS: string;
  /** JSON: provider → `{ tokenUrl, clientId }`, the operator's own client there; without it no login of that provider is refreshed. */
  MODEL_LOGIN_CLIENTS?: string;
  /** Where the bucket speaks S3, its name included; without it and its keys, images and videos are not served. */
  S3_ENDPOINT?: string;
  /** Stands behind every model's label, such as `practice` where no real provider answers. */
  MODEL_LABEL_NOTE?: string;

  /** `off` creates sandboxes that a visit to their preview does not bring back once they are paused. */
  PREVIEW_AUTO_RESUME?: string;
  /** `on` lets anybody sign in as anybody, in the one-machine world and nowhere else. */
  DEV_SIGN_IN?: string;
  /** `off` lifts the limits on requests, in the one-machine world and nowhere else. */
  RATE_LIMITS?: string;

  /** Signs the tokens of sandboxes and Auth Tokens. */
  SIGNING_KEY: string;
  /** `<key id>:<32 bytes in base64url>`, several separated by commas; the first one seals. */
  SEALING_KEYS: string;
  /** The service's app at the code host, and the key that proves it, in PEM. */
  CODE_HOST_APP_ID?: string;
  CODE_HOST_APP_PRIVATE_KEY?: string;
  /** The app's client, by which people sign in; without it nobody can. */
  CODE_HOST_CLIENT_ID?: string;
  CODE_HOST_CLIENT_SECRET?: string;
  /** What the service shows to the code host where no app is set up. */
  CODE_HOST_TOKEN?: string;
  /** The code host signs its webhooks with it; without it they are refused. */
  CODE_HOST_WEBHOOK_SECRET?: string;
  /** Reads the bucket over S3. */
  S3_ACCESS_KEY_ID?: string;
  S3_SECRET_ACCESS_KEY?: string;
}
