// The memory of the Worker during many long concurrent model calls, each of which may still have to
// be retried on another login.
import assert from "node:assert";
import { claimFreePort } from "../../practice/free-port.ts";
import { startWorld, type World } from "../../practice/local-service.ts";
import { loadSecrets } from "../../practice/secrets.ts";
import { toModelGrant, toTurnModel } from "../../src/model/turn-model.ts";
import { issueToken } from "../../src/sandbox/token.ts";
import { createHttpClient } from "../lib/http-client.ts";
import { startIsolateWatch } from "../lib/isolate-memory.ts";
import { endlessTurn } from "../lib/practice-turn.ts";
import { createProductClient, getJobId } from "../lib/product.ts";
import { type Finding, toCountedFinding } from "../lib/result.ts";

export interface CallMemorySize {
  calls: number;
  megabytes: number;
}

const memoryBarKb = 100 * 1_024;
const model = "zai:glm__high";
const turnModel = toTurnModel(model) ?? assert.fail(`the catalog has no ${model}`);
const path = "/api/user/subscriptions/zai";
const toKey = (end: string) => `sk-practice-${end}-0123456789abcdef`;
/** The delay of each response, so that all calls run at the same time. */
const answerAfterMs = 3_000;

/**
 * Measures the peak memory of the Worker's isolate during `calls` concurrent calls. The first of
 * two logins reaches its limit for each call, so that each body is sent twice. The calls are those
 * of one turn, made without its sandbox. Starts a separate service on the state.
 */
export async function measureCallMemory(stateDir: string, { calls, megabytes }: CallMemorySize): Promise<Finding[]> {
  const inspectorPort = await claimFreePort();
  const world = await startWorld({
    port: await claimFreePort(),
    stateDir,
    inspectsObjects: true,
    inspectorPort,
    rateLimits: "off",
  });
  const owner = createProductClient(world);
  const client = createHttpClient(world.baseUrl, owner.headers);
  try {
    for (const end of ["limit-memory", "good-memory"]) await client.put(path, { apiKey: toKey(end) });
    const { session } = await owner.create(undefined, { model });
    const turnId = getJobId(await session.send(endlessTurn));
    const token = await turnToken(world, stateDir, session.id, turnId);
    const forget = world.database.prepare(
      `UPDATE provider_logins SET exhausted_until = NULL WHERE owner_id = '${world.users.owner.id}'`,
    );
    const body = longCall(megabytes);
    const callAll = async (count: number) => {
      await forget.run();
      await Promise.all(Array.from({ length: count }, () => answered(world, token, body)));
    };
    const memory = await startIsolateWatch(inspectorPort);
    await callAll(calls);
    const mostKb = await memory.stop();
    await session.cancel(turnId);
    await session.ended();
    return [
      toCountedFinding(
        `memory of the Worker, ${calls} calls of ${megabytes} MiB with two logins`,
        mostKb,
        "KB",
        memoryBarKb,
        "all of its isolate, garbage included",
      ),
    ];
  } finally {
    await client.delete(path);
    client.close();
    owner.close();
    await world.close();
  }
}

/** The token for the sandbox of a running turn. */
async function turnToken(world: World, stateDir: string, id: string, turnId: string): Promise<string> {
  const { signingKey } = await loadSecrets(stateDir);
  for (;;) {
    const query = `SELECT generation FROM turns WHERE id = '${turnId}' AND status = 'running'`;
    const [running] = await world.objectSql("SessionObject", id, query);
    if (running) {
      const owner = { type: "session", id } as const;
      const payer = { type: "member", userId: world.users.owner.id } as const;
      const turn = { turnId, generation: Number(running.generation), model: toModelGrant(turnModel) };
      const claims = { ...turn, owner, payer, git: "push", branch: "b" } as const;
      const place = { workspaceId: world.workspaceId, projectId: world.projectId, sandboxKey: "s" };
      return await issueToken({ SIGNING_KEY: signingKey }, { ...claims, ...place }, Date.now() + 600_000);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A call of exactly this many megabytes, with a script of one delayed response. */
function longCall(megabytes: number): string {
  const script = [{ sleep: answerAfterMs }, { say: "Done." }].map((step) => JSON.stringify(step)).join("\n");
  const call = (filling: string) =>
    JSON.stringify({
      model: turnModel.id,
      max_tokens: 100,
      stream: true,
      messages: [{ role: "user", content: `${filling}\n\`\`\`practice\n${script}\n\`\`\`` }],
    });
  return call("x".repeat(megabytes * 1_024 * 1_024 - call("").length));
}

async function answered({ baseUrl }: World, token: string, body: string): Promise<void> {
  const headers = { "x-api-key": token, "content-type": "application/json" };
  const answer = await fetch(`${baseUrl}/internal/models/zai/v1/messages`, { method: "POST", headers, body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`a measured call was answered ${answer.status}: ${text.slice(0, 300)}`);
}
