// The Worker with stubbed sandboxes for runs: a run's link opens, sends one text after a while, and
// ends. Everything else is the product's, including the sandboxes of sessions. `POST /crons`
// creates crons as the route does, but many at the same time.
import { SandboxObject as ProductSandboxObject } from "../../durable-objects/sandbox/sandbox.ts";
import { service } from "../../src/access/rules/actor.ts";
import type { NewCron } from "../../src/cron/rules/cron.ts";
import type { Env } from "../../src/env.ts";
import { createId } from "../../src/lib/ids.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import type { TurnHandover, TurnRequest } from "../../src/sandbox/turn-request.ts";
import type { TurnEvent } from "../../src/sandbox-protocol/protocol.ts";
import worker from "../../src/worker.ts";

export * from "../../src/worker.ts";

/** How long a stubbed run takes. */
const runMs = 5_000;

export class SandboxObject extends ProductSandboxObject {
  override async startTurn(request: TurnRequest): Promise<TurnHandover> {
    if (request.owner.type !== "cron-run") return await super.startTurn(request);
    this.ctx.waitUntil(runStub(this.env, request.turnId));
    const now = Date.now();
    return { taken: true, phases: { runningAt: now, credentialsReadyAt: now, requestedAt: now } };
  }

  override async release(turnId: string): Promise<void> {
    // A stubbed run stores nothing.
    if (this.ctx.storage.sql.databaseSize > 0) await super.release(turnId);
  }
}

async function runStub(env: Env, turnId: string): Promise<void> {
  const headers = { upgrade: "websocket", "x-turn-link": JSON.stringify({ turnId, generation: 1 }) };
  const { webSocket } = await env.CRON_RUN.getByName(turnId).fetch("https://run/", { headers });
  if (!webSocket) throw new Error("the run took no link");
  webSocket.accept();
  let seq = 0;
  const send = (event: TurnEvent) => webSocket.send(JSON.stringify({ seq: ++seq, event }));
  send({ type: "started", agentVersion: "stub" });
  await scheduler.wait(runMs);
  send({ type: "block", index: 0, block: { type: "text", content: "Nothing looks broken." } });
  send({ type: "ended", outcome: { status: "completed" } });
}

interface Filling extends Omit<NewCron, "id" | "projects" | "writtenBy"> {
  count: number;
  projectIds: string[];
}

/** Creates crons, spread evenly over the projects. */
async function createMany(env: Env, { count, projectIds, ...draft }: Filling): Promise<Response> {
  let left = count;
  const createOneByOne = async () => {
    while (left-- > 0) {
      const id = createId();
      const projectId = projectIds[left % projectIds.length] ?? "";
      const writtenBy = { userId: draft.createdBy, as: "person" } as const;
      const command: NewCron = { ...draft, id, writtenBy, projects: [{ projectId, name: projectId }] };
      const answer: unknown = await env.CRON.getByName(id).create(command, service);
      if (isRefusal(answer)) throw new Error(answer.message);
    }
  };
  await Promise.all(Array.from({ length: 16 }, createOneByOne));
  return new Response(null, { status: 204 });
}

export default {
  ...worker,
  async fetch(request, env, context) {
    if (request.method === "POST" && new URL(request.url).pathname === "/crons")
      return await createMany(env, await request.json());
    return await worker.fetch(request, env, context);
  },
} satisfies ExportedHandler<Env>;
