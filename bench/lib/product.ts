// A client of the service that times every request. Unlike a real client, it can wait until all
// work of a session is done, and give a session a long history.
import type { World } from "../../practice/local-service.ts";
import { ofBench } from "./counts.ts";
import { createHttpClient, type HttpClient, type Reply } from "./http-client.ts";
import { createHistorySql } from "./long-history.ts";

export interface Product {
  headers: Record<string, string>;
  create(
    content?: string,
    more?: { targetBranch?: string; model?: string },
  ): Promise<{ session: ProductSession; jobId: string }>;
  /** A session that exists. */
  open(sessionId: string): ProductSession;
  /** Waits for a session's preview. Returns the demo app's address. */
  preview(sessionId: string, pollMs?: number): Promise<{ sandboxKey: string; url: URL }>;
  close(): void;
}

export interface ProductSession {
  id: string;
  path: string;
  send(content: string): Promise<Reply>;
  job(jobId: string): Promise<Reply>;
  messages(): Promise<Reply>;
  cancel(jobId: string): Promise<Reply>;
  /** Polls a job until it has started, without pauses. */
  started(jobId: string): Promise<void>;
  /** Polls a job until it has ended, without pauses. Throws if it did not complete. */
  completed(jobId: string): Promise<void>;
  /** Waits until every turn has ended, without requests to the service. */
  ended(): Promise<void>;
  /** Waits until the session's object is idle. Its sandbox may not have saved yet. */
  quiet(): Promise<void>;
  /**
   * Waits until the objects of the session and its sandbox are idle, so that the next sample runs
   * on an idle machine.
   */
  settled(): Promise<void>;
  /** Deletes the rows of Up next directly. */
  forgetUpNext(): Promise<void>;
  /** Gives a session without turns a history of `messages` messages. */
  fill(messages: number): Promise<void>;
}

const pollPauseMs = 3;
const quietMs = 20;
const undoneEffects = "SELECT count(*) AS undone FROM effects";

/** Creates a client for a person of a world. */
export function createProductClient(world: World, person: keyof World["users"] = "owner"): Product {
  const headers = { authorization: `Bearer ${world.users[person].apiKey}` };
  const client = createHttpClient(world.baseUrl, headers);
  const sessions = `/api/projects/${world.projectId}/chat-sessions`;
  const open = (id: string) => createSessionClient(world, client, `${sessions}/${id}`, id);
  return {
    headers,
    open,
    async create(content, more = undefined) {
      const { text } = await client.post(sessions, { ...(content === undefined ? {} : { content }), ...more });
      const { session, chatJobId } = JSON.parse(text).data;
      return { session: open(session.id), jobId: chatJobId ?? "" };
    },
    async preview(sessionId, pollMs = pollPauseMs) {
      const read = `/api/projects/${world.projectId}/preview`;
      for (;;) {
        const { data } = JSON.parse((await client.get(`${read}?sessionId=${sessionId}`)).text);
        const health = JSON.parse((await client.get(`${read}/health?sessionId=${sessionId}`)).text).data;
        if (data.frontendUrls.web && health.state === "healthy") {
          return { sandboxKey: data.sandboxKey, url: new URL(data.frontendUrls.web) };
        }
        await sleep(pollMs);
      }
    },
    close: () => client.close(),
  };
}

/** Returns the id of the job that a send started. Throws if it started none. */
export function getJobId({ text }: Reply): string {
  const { data } = JSON.parse(text);
  if (data.delivery !== "job") throw new Error(`the send did not start a turn: ${text}`);
  return data.chatJobId;
}

function createSessionClient(world: World, client: HttpClient, path: string, id: string): ProductSession {
  const inSession = (statement: string) => world.objectSql("SessionObject", id, `${ofBench} ${statement}`);

  async function sandboxKey(): Promise<string> {
    const found = world.database.prepare("SELECT sandbox_key FROM sessions WHERE id = ?1").bind(id);
    return (await found.first<string>("sandbox_key")) ?? "";
  }

  return {
    id,
    path,
    send: (content) => client.post(`${path}/jobs/chat`, { content }),
    job: (jobId) => client.get(`${path}/jobs/chat/${jobId}`),
    messages: () => client.get(`${path}/messages`),
    cancel: (jobId) => client.post(`${path}/jobs/chat/${jobId}/cancel`, {}),
    async started(jobId) {
      const status = async () => JSON.parse((await client.get(`${path}/jobs/chat/${jobId}`)).text).data.job.status;
      while ((await status()) === "pending") await sleep(pollPauseMs);
    },
    async completed(jobId) {
      for (;;) {
        const { job } = JSON.parse((await client.get(`${path}/jobs/chat/${jobId}`)).text).data;
        if (job.status === "completed") return;
        if (job.status !== "pending" && job.status !== "running")
          throw new Error(`a measured turn ended ${job.status}: ${job.error}`);
        await sleep(pollPauseMs);
      }
    },
    async ended() {
      const open = "SELECT count(*) AS open FROM turns WHERE status IN ('pending', 'running')";
      while ((await inSession(open))[0]?.open !== 0) await sleep(pollPauseMs);
    },
    async quiet() {
      while ((await inSession(undoneEffects))[0]?.undone !== 0) await sleep(pollPauseMs);
      await sleep(quietMs);
    },
    async settled() {
      const key = await sandboxKey();
      const ofBoth = async () => [
        ...(await inSession(undoneEffects)),
        ...(await world.objectSql("SandboxObject", key, `${ofBench} ${undoneEffects}`)),
      ];
      while ((await ofBoth()).some(({ undone }) => undone !== 0)) await sleep(pollPauseMs);
      await sleep(quietMs);
    },
    async forgetUpNext() {
      const { messages } = JSON.parse((await client.get(`${path}/queue`)).text).data;
      for (const { id: waiting } of messages) await client.delete(`${path}/queue/${waiting}`);
    },
    async fill(messages) {
      for (const statement of createHistorySql(messages)) await inSession(statement);
    },
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
