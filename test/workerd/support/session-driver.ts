// Drives a session object as the routes and a sandbox do: creates it, sends to it, and dials its
// turn link with events of the test.

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { SendRequest, WorkFacts } from "../../../durable-objects/session/rpc.ts";
import type { Sender } from "../../../src/access/rules/actor.ts";
import type { ToolStatus } from "../../../src/chat/rules/block.ts";
import { createTextMessage } from "../../../src/chat/rules/message.ts";
import type { Idempotency } from "../../../src/rules/idempotency.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import {
  type LinkCommand,
  type LinkEvent,
  type LinkOutput,
  linkPong,
  type TurnEvent,
} from "../../../src/sandbox-protocol/protocol.ts";
import type { NewSession } from "../../../src/session/rules/session.ts";
import { noSpend } from "../../../src/usage/rules/spend-limit.ts";

export const by: Sender = {
  type: "member",
  user: { id: "usr_1", name: "Mia", email: "mia@example.com", imageUrl: null },
  role: "member",
};

export const facts: WorkFacts = {
  runnable: new Set(["anthropic"]),
  subscribed: new Set(),
  workspaceSpend: noSpend,
  assigneeDefaultModel: null,
  workspaceDefaultModel: null,
  generatesTitles: false,
  sandbox: null,
  isHeldByDeploy: false,
  isSandboxLimited: false,
  hasSpare: false,
  isBlockedOnBilling: false,
};

/** Creates a session of its own for a test. */
export async function beginSession(repeat: Idempotency | null = null, changes: Partial<NewSession> = {}) {
  const id = crypto.randomUUID();
  const sandboxKey = `s${id.replaceAll("-", "").slice(0, 16)}`;
  const record: NewSession = {
    id,
    workspaceId: "ws_1",
    projectId: crypto.randomUUID(),
    title: "A test",
    prompt: null,
    status: "active",
    priority: "none",
    model: null,
    targetBranch: "main",
    sandboxKey,
    conversationId: crypto.randomUUID(),
    assignee: null,
    ...changes,
  };
  const session = () => env.SESSION.getByName(id);
  const opened = await session().create(record, { by, first: null }, repeat);
  if (isRefusal(opened)) throw new Error(opened.message);

  return {
    id,
    record,
    opened,
    /** A new stub, as every request has. */
    session,
    get sandbox() {
      return env.SANDBOX.getByName(sandboxKey);
    },
    async send(content: string, changes: Partial<SendRequest> = {}, repeat: Idempotency | null = null) {
      const unasked = { model: null, runningTurnId: null, retriedTurnId: null, seen: null };
      const order: SendRequest = { body: createTextMessage(content), by, ...unasked, ...changes };
      const sent = await session().send(order, facts, repeat);
      return isRefusal(sent) ? sent : sent.delivery;
    },
    /** Steers a queued message. */
    steer: (messageId: string) => session().steer(messageId, by, null),
    resume: (who: Sender = by) => session().resumeQueue(who, facts, null),
    sendNow: (messageId: string, who: Sender = by) => session().sendQueued(messageId, who, facts, null),
    /** Sends a message that has to start a turn, and returns the turn's id. */
    async startTurn(content: string): Promise<string> {
      const delivery = await this.send(content);
      if (isRefusal(delivery) || delivery.delivery !== "job") throw new Error(`no turn: ${JSON.stringify(delivery)}`);
      return delivery.turnId;
    },
    async state() {
      const state = await session().read();
      if (isRefusal(state)) throw new Error(state.message);
      return state;
    },
    async messages(): Promise<{ role: string; content: string | null; jobId: string; blocks: unknown[] }[]> {
      return await new Response(await session().messages()).json();
    },
    /**
     * Reads the object's storage, and changes it as only a test would. `countStorage` replaces
     * `exec` of the object: the one of the class keeps the test's own statements out of a count.
     */
    async sql<Row extends Record<string, SqlStorageValue>>(...[query, ...values]: [string, ...SqlStorageValue[]]) {
      return await runInDurableObject(session(), (_, { storage: { sql } }) => {
        const { exec }: SqlStorage = Object.getPrototypeOf(sql);
        return exec
          .call<SqlStorage, [string, ...SqlStorageValue[]], SqlStorageCursor<Row>>(sql, query, ...values)
          .toArray();
      });
    },
    /** Waits until the object has done everything that its decisions requested. */
    async settled(): Promise<void> {
      while ((await this.sql("SELECT key FROM effects")).length > 0) await scheduler.wait(5);
    },
    link: (turnId: string, generation = 1) => dial(session(), turnId, generation),
  };
}

/** Creates a session of an acme/app project, in a status, with pull request 7 in a state. */
export async function sessionWithPullRequest(status: string, prState: "draft" | "open"): Promise<SessionDriver> {
  const driver = await beginSession();
  const { projectId } = driver.record;
  await env.DB.prepare(
    `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
     VALUES (?1, 'ws_1', 'P', 'acme/app', 'main', 'deployed', '{}', 'm1', 0, 0)`,
  )
    .bind(projectId)
    .run();
  await runInDurableObject(driver.session(), (_, { storage }) => {
    storage.sql.exec("UPDATE session SET status = ?, pr_number = 7, pr_state = ?", status, prState);
  });
  await evictDurableObject(driver.session());
  return driver;
}

export type SessionDriver = Awaited<ReturnType<typeof beginSession>>;

/** Dials a turn's link and resolves once the service has said where to start, or has closed it. */
export async function dial(
  session: { fetch: (request: Request) => Promise<Response> },
  turnId: string,
  generation: number,
) {
  const headers = { upgrade: "websocket", "x-turn-link": JSON.stringify({ turnId, generation }) };
  const { webSocket } = await session.fetch(new Request("http://session/link", { headers }));
  if (!webSocket) throw new Error("no WebSocket");
  const commands: LinkCommand[] = [];
  let closeCode: number | null = null;
  let changed = Promise.withResolvers<void>();
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  let pongs = 0;
  webSocket.addEventListener("message", ({ data }) => {
    if (data === linkPong) pongs += 1;
    else commands.push(JSON.parse(String(data)));
    change();
  });
  webSocket.addEventListener("close", ({ code }) => {
    closeCode = code;
    change();
  });
  webSocket.accept();

  async function until(isThere: () => boolean): Promise<void> {
    while (!isThere()) await changed.promise;
  }

  const link = {
    commands,
    closeCode: () => closeCode,
    /** The last event that the service has stored, by its own report. */
    acked: () => commands.findLast((command) => command.type === "ack")?.seq ?? null,
    /** Sends an event and waits for its ack. */
    async tell(seq: number, event: TurnEvent): Promise<void> {
      const countAcks = () => commands.filter(({ type }) => type === "ack").length;
      const before = countAcks();
      webSocket.send(JSON.stringify({ seq, event } satisfies LinkEvent));
      await until(() => countAcks() > before || closeCode !== null);
    },
    /** Sends a piece of a running tool's output, which nobody acknowledges. */
    print: (index: number, at: number, text: string) =>
      webSocket.send(JSON.stringify({ output: { index, at, text } } satisfies LinkOutput)),
    send: (seq: number, event: TurnEvent) => webSocket.send(JSON.stringify({ seq, event } satisfies LinkEvent)),
    untilAcked: (seq: number) => until(() => (link.acked() ?? 0) >= seq || closeCode !== null),
    /** Waits for the response to a heartbeat. */
    pong: () => until(() => pongs > 0),
    sendRaw: (frame: string | ArrayBuffer) => webSocket.send(frame),
    closed: () => until(() => closeCode !== null),
    /** Waits for a command, of those after the first `known`. */
    received: (type: LinkCommand["type"], known = 0) =>
      until(() => commands.slice(known).some((command) => command.type === type)),
    close: () => webSocket.close(1000),
  };
  await until(() => commands.length > 0 || closeCode !== null);
  return link;
}

export const started: TurnEvent = { type: "started", agentVersion: "test" };
export const completed: TurnEvent = { type: "ended", outcome: { status: "completed" } };
export const toolBlock = (index: number, status: ToolStatus, output: string | null = null): TurnEvent => ({
  type: "block",
  index,
  block: {
    ...{ type: "tool", name: "bash", title: "npm test", input: {}, output, fullOutputBytes: null, status },
    ...{ startedAt: new Date(0).toISOString(), completedAt: null },
  },
});
export const textBlock = (index: number, content: string): TurnEvent => ({
  type: "block",
  index,
  block: { type: "text", content },
});
