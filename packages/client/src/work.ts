// The work of a session: its changes, the review comments on them, and the preview of the app.
import { type OperationName, SwitchyardError } from "./errors.ts";
import { sendOperation } from "./form.ts";
import type { Schemas } from "./generated/api.ts";
import type { Answer, AnyInput, Http, Input } from "./http.ts";
import { pauseFor } from "./retries.ts";
import { type Queued, type SessionPath, type Turn, toDelivery, type WaitOptions } from "./turn.ts";

const path = "/api/projects/{projectId}/chat-sessions/{sessionId}";
const preview = "/api/projects/{projectId}/preview";

/** What reads and changes one session. */
class OfSession {
  protected readonly http: Http;
  protected readonly session: SessionPath;

  constructor(http: Http, session: SessionPath) {
    this.http = http;
    this.session = session;
  }

  protected async call<Name extends OperationName>(
    operation: Name,
    { path: more, ...input }: AnyInput = {},
  ): Promise<Answer<Name>> {
    return (await this.http.call(operation, { ...input, path: { ...this.session, ...more } })).data as Answer<Name>;
  }
}

/** While the sandbox does not run, the changes are those that were saved last. */
const kept = true;

export class Changes extends OfSession {
  async list(): Promise<Answer<`GET ${typeof path}/preview/changed-files`>> {
    return await this.call(`GET ${path}/preview/changed-files`, { query: { kept } });
  }

  async diff(file?: string): Promise<Schemas["Diff"]> {
    return await this.call(`GET ${path}/preview/diff`, { query: { kept, path: file } });
  }

  async file(name: string): Promise<string> {
    return (await this.call(`GET ${path}/preview/files/content`, { query: { path: name } })).content;
  }

  async commit(message: string): Promise<string> {
    const input = { body: { message }, idempotencyKey: crypto.randomUUID() };
    return (await this.call(`POST ${path}/preview/git/commit`, input)).sha;
  }

  async push(): Promise<void> {
    await this.call(`POST ${path}/preview/git/push`, { idempotencyKey: crypto.randomUUID() });
  }
}

const bundleMs = 10 * 60_000;

/** All work of the checkout, which leaves and returns as a git bundle. */
export class Work extends OfSession {
  /**
   * Reads the work as a bundle with `refs/switchyard/work`, without the commits that you have. Null
   * if it is the work that you know.
   */
  async get({ have, known }: { have?: readonly string[]; known?: string } = {}): Promise<Blob | null> {
    const input = { query: { have, known }, timeoutMs: bundleMs };
    // A response without a body says that nothing has changed.
    return ((await this.call(`GET ${path}/preview/work`, input)) as Blob | undefined) ?? null;
  }

  /** Replaces the work, unless it is no longer the expected one: then `CONFLICT` is thrown. */
  async put(bundle: Blob, expected: string): Promise<Schemas["WorkState"]> {
    return await this.call(`PUT ${path}/preview/work`, { body: bundle, query: { expected }, timeoutMs: bundleMs });
  }
}

type NewComment = Input<`POST ${typeof path}/review-comments`>["body"];

/** Comments on the changes, which are sent together. */
export class Comments extends OfSession {
  async list(): Promise<Schemas["ReviewComment"][]> {
    return (await this.call(`GET ${path}/review-comments`)).comments;
  }

  async add(comment: NewComment): Promise<Schemas["ReviewComment"]> {
    const input = { body: comment, idempotencyKey: crypto.randomUUID() };
    return (await this.call(`POST ${path}/review-comments`, input)).comment;
  }

  async resolve(commentId: string): Promise<void> {
    const input = { path: { commentId }, body: { resolved: true } };
    await this.call(`PATCH ${path}/review-comments/{commentId}`, input);
  }

  /** Sends all comments that are not resolved. */
  async sendAll(text = ""): Promise<Turn | Queued> {
    const open = (await this.list()).filter(({ resolved }) => !resolved);
    const body = { content: text, diffCommentsContext: open };
    const sent = await this.call(sendOperation, { body, idempotencyKey: crypto.randomUUID() });
    // Nothing was asked to be steered.
    return toDelivery(this.http, this.session, sent) as Turn | Queued;
  }
}

const lookEveryMs = 1_000;

export interface LogOptions extends Pick<WaitOptions, "signal"> {
  /** Where an earlier answer ended. */
  after?: string | undefined;
}

/**
 * Throws what other calls are refused with at a limit. Reads of a preview have only flags for it,
 * and they stay until somebody pays, or stops a sandbox.
 */
function checkLimits({ creditLimitReached, sandboxLimitReached }: Partial<Schemas["Preview"]>): void {
  if (!creditLimitReached && !sandboxLimitReached) return;
  const [code, status, message] = creditLimitReached
    ? (["CREDIT_LIMIT_REACHED", 402, "The workspace has used up its plan or its spend limit."] as const)
    : (["SANDBOX_LIMIT_REACHED", 409, "As many sandboxes run as the plan allows. Stop one."] as const);
  const failure = { code, details: undefined };
  throw new SwitchyardError(message, {
    ...{ failure, status, requestId: null, retryAfterMs: null, operation: `GET ${preview}` },
  });
}

/** The running app of a session. */
export class Preview extends OfSession {
  /** Reads where the app is. This wakes the sandbox, unless a limit forbids it. */
  async read({ signal }: Pick<WaitOptions, "signal"> = {}): Promise<Schemas["Preview"]> {
    return await this.call(`GET ${preview}`, { ...this.#named(), signal });
  }

  /** Wakes the sandbox and waits until it runs. Throws if a limit forbids it. */
  async awake({ signal }: Pick<WaitOptions, "signal"> = {}): Promise<Schemas["Preview"]> {
    for (;;) {
      const preview = await this.#wake(signal);
      if (!preview.provisioning) return preview;
      await pauseFor(lookEveryMs, signal);
    }
  }

  /** Wakes the sandbox and waits until the app answers. Throws if a limit forbids it. */
  async healthy({ signal }: Pick<WaitOptions, "signal"> = {}): Promise<Schemas["Preview"]> {
    await this.#wake(signal);
    for (;;) {
      const health = await this.call(`GET ${preview}/health`, { ...this.#named(), signal });
      // The service learned nothing by an indeterminate read: nothing else of it counts.
      if (!health.indeterminate) {
        checkLimits(health);
        // A read of the preview wakes a sandbox that has paused again.
        const isHealthy = health.state === "healthy";
        const read = isHealthy || health.paused || health.needsStart ? await this.#wake(signal) : null;
        if (isHealthy && read) return read;
      }
      await pauseFor(lookEveryMs, signal);
    }
  }

  /** Makes a link that shows the app to anyone who has it. */
  async share(): Promise<Schemas["ShareLink"] | null> {
    return (await this.call(`POST ${preview}/share`, this.#named())).share;
  }

  /** The end of a service's log. */
  async log(serviceName: string): Promise<string> {
    return (await this.readLog(serviceName)).log;
  }

  /** A service's log, or what was written since the `offset` of an earlier answer. */
  async readLog(serviceName: string, { after, signal }: LogOptions = {}): Promise<Schemas["ServiceLog"]> {
    const operation = `GET ${preview}/services/{serviceName}/log` as const;
    const { sessionId } = this.session;
    return await this.call(operation, { query: { sessionId, after }, path: { serviceName }, signal });
  }

  async #wake(signal: AbortSignal | undefined): Promise<Schemas["Preview"]> {
    const read = await this.read({ signal });
    checkLimits(read);
    return read;
  }

  #named(): AnyInput {
    return { query: { sessionId: this.session.sessionId } };
  }
}
