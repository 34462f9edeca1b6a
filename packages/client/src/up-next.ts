// Up next: the messages that wait while a turn runs.
import type { Schemas } from "./generated/api.ts";
import type { AnyInput, Http } from "./http.ts";
import { type SessionPath, Turn } from "./turn.ts";

const path = "/api/projects/{projectId}/chat-sessions/{sessionId}/queue";
const one = `${path}/{queuedMessageId}`;
type Once = Pick<AnyInput, "signal">;

export class UpNext {
  readonly #http: Http;
  readonly #session: SessionPath;

  constructor(http: Http, session: SessionPath) {
    this.#http = http;
    this.#session = session;
  }

  async list(): Promise<Schemas["Queue"]> {
    return (await this.#call(`GET ${path}`)) as Schemas["Queue"];
  }

  /** Edits a message. With the `version` that was read, an edit of another version is refused. */
  async edit(id: string, change: { content: string; version?: number }): Promise<void> {
    await this.#call(`PATCH ${one}`, id, { body: change });
  }

  async move(id: string, toIndex: number): Promise<void> {
    await this.#call(`POST ${one}/move`, id, { body: { toIndex } });
  }

  async delete(id: string): Promise<void> {
    await this.#call(`DELETE ${one}`, id);
  }

  /** Starts a turn with a message. */
  async send(id: string, options: Once = {}): Promise<Turn> {
    const sent = await this.#call(`POST ${one}/send`, id, withKey(options));
    return new Turn(this.#http, this.#session, (sent as Schemas["JobDelivery"]).chatJobId);
  }

  /** Steers a message into the running turn, and answers the id of the steer. */
  async steer(id: string, options: Once = {}): Promise<string> {
    return ((await this.#call(`POST ${one}/steer`, id, withKey(options))) as Schemas["SteerDelivery"]).steerId;
  }

  /** Ends the pause of Up next. */
  async resume(): Promise<void> {
    await this.#call(`POST ${path}/resume`, undefined, withKey({}));
  }

  async #call(operation: string, id?: string, input: AnyInput = {}): Promise<unknown> {
    const named = { ...this.#session, ...(id === undefined ? {} : { queuedMessageId: id }) };
    return (await this.#http.call(operation, { ...input, path: named })).data;
  }
}

const withKey = ({ signal }: Once): AnyInput => ({ signal, idempotencyKey: crypto.randomUUID() });
