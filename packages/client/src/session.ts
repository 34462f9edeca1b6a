// A session: its messages, its turns and its state as they change.
import type { OperationName } from "./errors.ts";
import type { Event, SessionEvents } from "./events.ts";
import { type SendOptions, sendOperation, toSendBody } from "./form.ts";
import type { Schemas } from "./generated/api.ts";
import type { Answer, AnyInput, Http, Input } from "./http.ts";
import { type LineOptions, listLiveEvents } from "./live.ts";
import type { SessionState } from "./state.ts";
import { listStates, type StatesOptions } from "./states.ts";
import {
  isDeletion,
  type Queued,
  type SessionPath,
  type Steered,
  stopJob,
  Turn,
  type TurnResult,
  toDelivery,
  type WaitOptions,
} from "./turn.ts";
import { UpNext } from "./up-next.ts";
import { Changes, Comments, Preview, Work } from "./work.ts";

const path = "/api/projects/{projectId}/chat-sessions/{sessionId}";
type Update = Input<`PUT ${typeof path}`>["body"];

export interface PullRequestOptions {
  draft?: boolean | undefined;
  /** Logins of the code host. */
  reviewers?: readonly string[] | undefined;
  text?: string | undefined;
}

export class Session {
  readonly id: string;
  readonly projectId: string;
  /** The session as it was read last. */
  data: Schemas["Session"];
  /** The turn that a create has just started; null if it started none. */
  readonly turn: Turn | null;
  readonly upNext: UpNext;
  readonly comments: Comments;
  readonly preview: Preview;
  readonly work: Work;
  readonly #changes: Changes;
  readonly #http: Http;
  readonly #path: SessionPath & Record<string, string>;

  constructor(http: Http, data: Schemas["Session"], jobId: string | null = null) {
    this.#http = http;
    this.data = data;
    this.id = data.id;
    this.projectId = data.projectId;
    this.#path = { projectId: data.projectId, sessionId: data.id };
    this.turn = jobId === null ? null : new Turn(http, this.#path, jobId);
    this.upNext = new UpNext(http, this.#path);
    this.comments = new Comments(http, this.#path);
    this.preview = new Preview(http, this.#path);
    this.work = new Work(http, this.#path);
    this.#changes = new Changes(http, this.#path);
  }

  /** Sends a message. It starts a turn, or waits Up next while one runs. */
  async send(text: string, options: SendOptions = {}): Promise<Turn | Queued> {
    // What is not asked for a steer is never steered.
    return (await this.#send(text, options)) as Turn | Queued;
  }

  /** Sends a message into the running turn. What no turn takes waits Up next, or starts one. */
  async steer(text: string, options: SendOptions = {}): Promise<Steered | Queued | Turn> {
    return await this.#send(text, options, true);
  }

  /** Answers the questions that wait, by options and by words. */
  async answer(
    answers: NonNullable<SendOptions["answers"]>,
    text = "",
    options: SendOptions = {},
  ): Promise<Turn | Queued> {
    return await this.send(text, { ...options, answers });
  }

  /** Waits until the newest turn has ended; null for a session without one. */
  async wait(options: WaitOptions = {}): Promise<TurnResult | null> {
    await this.refresh(options);
    const { latestChatJob } = this.data;
    return latestChatJob && (await new Turn(this.#http, this.#path, latestChatJob.id).result(options));
  }

  /** The turn with this id, such as the `jobId` of an event or of a webhook. Nothing is read. */
  getTurn(jobId: string): Turn {
    return new Turn(this.#http, this.#path, jobId);
  }

  /** Stops the newest turn, unless it has ended. Up next pauses. */
  async stop(): Promise<void> {
    await this.refresh();
    const { latestChatJob } = this.data;
    if (latestChatJob) await stopJob(this.#http, this.#path, latestChatJob.id);
  }

  /** Reads the session again. */
  async refresh({ signal }: Pick<WaitOptions, "signal"> = {}): Promise<this> {
    const { session } = (await this.#call(`GET ${path}`, { signal })) as Answer<`GET ${typeof path}`>;
    this.data = session;
    return this;
  }

  async update(fields: Update): Promise<this> {
    const { session } = (await this.#call(`PUT ${path}`, { body: fields })) as Answer<`PUT ${typeof path}`>;
    this.data = session;
    return this;
  }

  /** Has the agent open the pull request, or update it. */
  async openPullRequest({ draft, reviewers = [], text }: PullRequestOptions = {}): Promise<Turn | Queued> {
    const parts = [
      this.#skill("open-pr"),
      ...(draft ? ["-d"] : []),
      ...(reviewers.length > 0 ? [`-r ${reviewers.join(",")}`] : []),
      // A `-d` in the text is not a flag, and its words are not reviewers.
      ...(text ? [`-- ${text}`] : []),
    ];
    return await this.send(parts.join(" "));
  }

  /** The pull request as the code host shows it now, with its checks and reviewers. */
  async pullRequest({ signal }: Pick<WaitOptions, "signal"> = {}): Promise<Schemas["PullRequest"]> {
    return (await this.#call(`GET ${path}/pull-request`, { signal })) as Schemas["PullRequest"];
  }

  /** Has the agent take the target branch into the branch. */
  async syncBranch(): Promise<Turn | Queued> {
    return await this.send(this.#skill("sync-branch"));
  }

  /** Follows the session until it is deleted, also through cut connections. */
  follow(options: LineOptions = {}): AsyncIterable<Event<SessionEvents>> {
    const events = listLiveEvents(this.#http, `GET ${path}/events`, { path: this.#path }, options, isDeletion);
    return events as AsyncIterable<Event<SessionEvents>>;
  }

  /** The state of the session, again and again: the present one, and each one after it. */
  states(options: StatesOptions = {}): AsyncIterable<SessionState> {
    return listStates(this.#http, this.#path, options);
  }

  /** Reads the conversation, or a page of it where the service has pages. */
  async messages(
    query: { limit?: number; before?: string } = {},
  ): Promise<{ messages: Schemas["Message"][]; hasMore?: boolean; before?: string | null; lastEventId?: string }> {
    return (await this.#call(`GET ${path}/messages`, { query })) as Answer<`GET ${typeof path}/messages`>;
  }

  /** The files that differ from the target branch. */
  changes(): ReturnType<Changes["list"]> {
    return this.#changes.list();
  }

  /** The changes as a patch, of one file or of all. */
  diff(file?: string): ReturnType<Changes["diff"]> {
    return this.#changes.diff(file);
  }

  /** The text of a file of the sandbox. */
  file(name: string): Promise<string> {
    return this.#changes.file(name);
  }

  /** Commits what has changed, and answers the commit's hash. */
  commit(message: string): Promise<string> {
    return this.#changes.commit(message);
  }

  push(): Promise<void> {
    return this.#changes.push();
  }

  /** How a skill is called on the session's model. */
  #skill(name: string): string {
    return `${this.data.model?.startsWith("openai:") ? "$" : "/"}svc:${name}`;
  }

  async #send(text: string, options: SendOptions, steer?: true): Promise<Steered | Queued | Turn> {
    const { idempotencyKey = crypto.randomUUID(), signal } = options;
    const body = toSendBody(text, options, steer);
    const sent = (await this.#call(sendOperation, { body, idempotencyKey, signal })) as Answer<typeof sendOperation>;
    return toDelivery(this.#http, this.#path, sent);
  }

  async #call(operation: OperationName, input: Omit<AnyInput, "path">): Promise<unknown> {
    return (await this.#http.call(operation, { ...input, path: this.#path })).data;
  }
}
