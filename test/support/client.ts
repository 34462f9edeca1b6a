// A client of the public API for tests. It sends bodies to paths, and returns statuses and parsed
// responses.

import { pauseSince } from "./until.ts";
import type { WorldAddress } from "./world-address.ts";

export interface Reply {
  status: number;
  headers: Headers;
  // Tests read responses like a client in an untyped language.
  // biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is what a test checks
  body: any;
}

export interface Job {
  id: string;
  status: string;
  error: string | null;
  errorCode: string | null;
  jobNumber: number;
  createdAt: string;
  startedAt: string | null;
  completedAt: string | null;
}

export interface OpenedSession {
  id: string;
  path: string;
  /** The job of its first message, if it was created with one. */
  jobId: string | undefined;
}

export type Person = keyof WorldAddress["users"];
export type Client = ReturnType<typeof createClient>;
export type Step = Record<string, unknown>;

/** The sessions that the clients of this test file have created, with their projects. */
export const createdSessions = new Map<string, string>();

const endedStatuses = ["completed", "failed", "cancelled", "awaiting_response"];

/** Creates a client for a user of a world. */
export function createClient(
  world: Pick<WorldAddress, "baseUrl" | "projectId" | "users">,
  person: Person = "owner",
): ReturnType<typeof clientWith> {
  return clientWith(world, world.users[person].apiKey);
}

/** Creates a client with a credential of any kind. */
export function clientWith(world: Pick<WorldAddress, "baseUrl" | "projectId">, credential: string) {
  const sessions = `/api/projects/${world.projectId}/chat-sessions`;

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const response = await fetch(world.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${credential}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = text === "" ? null : JSON.parse(text);
    if (path === sessions && response.status === 201) createdSessions.set(answer.data.session.id, world.projectId);
    return { status: response.status, headers: response.headers, body: answer };
  }

  async function send(sessionPath: string, content: string, more: Record<string, unknown> = {}): Promise<Reply> {
    return await call("POST", `${sessionPath}/jobs/chat`, { content, ...more });
  }

  /** Polls a job until it has one of the statuses; by default until it has ended. */
  async function jobUntil(sessionPath: string, jobId: string | undefined, statuses = endedStatuses): Promise<Job> {
    const startedAt = Date.now();
    for (;;) {
      const { status, body } = await call("GET", `${sessionPath}/jobs/chat/${jobId}`);
      if (status !== 200) throw new Error(`a job read answered ${status}: ${JSON.stringify(body)}`);
      const { job } = body.data;
      if (statuses.includes(job.status)) return job;
      await pauseSince(startedAt);
    }
  }

  async function messages(sessionPath: string) {
    return (await call("GET", `${sessionPath}/messages`)).body.data.messages;
  }

  return {
    call,
    get: (path: string) => call("GET", path),
    post: (path: string, body?: unknown, headers?: Record<string, string>) => call("POST", path, body, headers),
    put: (path: string, body?: unknown) => call("PUT", path, body),
    patch: (path: string, body?: unknown) => call("PATCH", path, body),
    delete: (path: string) => call("DELETE", path),
    sessions,
    /** Creates a session. With a message, its first turn runs. */
    async createSession(body: Record<string, unknown> = {}): Promise<OpenedSession> {
      const created = await call("POST", sessions, body);
      if (created.status !== 201) throw new Error(`create answered ${created.status}: ${JSON.stringify(created.body)}`);
      const { id } = created.body.data.session;
      return { id, path: `${sessions}/${id}`, jobId: created.body.data.chatJobId };
    },
    send,
    jobUntil,
    /** Sends a practice script to an idle session. Returns the ended job. */
    async run(sessionPath: string, ...steps: Step[]): Promise<Job> {
      const startedAt = Date.now();
      let sent = await send(sessionPath, script(...steps));
      // A sandbox that is starting for another reason refuses messages.
      while (sent.body?.code === "SANDBOX_STARTING") {
        await pauseSince(startedAt);
        sent = await send(sessionPath, script(...steps));
      }
      if (sent.body?.data?.delivery !== "job") throw new Error(`a send answered ${JSON.stringify(sent.body)}`);
      return await jobUntil(sessionPath, sent.body.data.chatJobId);
    },
    /** The key of a session's sandbox. This wakes the sandbox. */
    async getSandboxKey(sessionId: string): Promise<string> {
      const { body } = await call("GET", `/api/projects/${world.projectId}/preview?sessionId=${sessionId}`);
      return body.data.sandboxKey;
    },
    messages,
    /** The blocks that the agent wrote in a job. */
    async listBlocks(sessionPath: string, jobId: string | undefined) {
      const all: { role: string; jobId: string; blocks: Record<string, unknown>[] }[] = await messages(sessionPath);
      return all.filter((message) => message.role === "assistant" && message.jobId === jobId).flatMap((m) => m.blocks);
    },
    /** The messages of Up next, and the reason why it is paused. */
    async upNext(sessionPath: string): Promise<{ messages: { id: string; content: string }[]; paused: unknown }> {
      return (await call("GET", `${sessionPath}/queue`)).body.data;
    },
  };
}

/** A message with a practice script. */
export function script(...steps: Step[]): string {
  return `Please do this.\n\`\`\`practice\n${steps.map((step) => JSON.stringify(step)).join("\n")}\n\`\`\``;
}
