// The limits of calls of HTTP triggers: those of a key or a secret, and those of strangers.

import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { getKeyHash } from "../../../src/lib/base64url.ts";
import { createId, createSecret } from "../../../src/lib/ids.ts";
import { isRefusal, type Refusal } from "../../../src/rules/refusal.ts";
import { writeTriggerKey, writeTriggers } from "../../../src/trigger/queries/triggers.ts";
import { triggerRoutes } from "../../../src/trigger/routes.ts";
import { sealTriggerSecret } from "../../../src/trigger/secrets.ts";
import { createWebhookSecret } from "../../../src/webhook/secrets.ts";
import { signDelivery, toSigningKey } from "../../../src/webhook/signature.ts";
import { usualTrigger } from "../../support/trigger.ts";
import { addWorkspaceWith } from "../support/people.ts";
import { addProject } from "../support/repository-world.ts";

const route = triggerRoutes.find(({ operation }) => operation === "runTrigger");

let projectId: string;
let keys: { id: string; key: string; secret: string }[];

beforeEach(async () => {
  const { workspaceId } = await addWorkspaceWith({ owner: "owner" });
  ({ projectId } = await addProject(workspaceId));
  const rule = { ...usualTrigger, name: "Ideas", on: "http", do: { ...usualTrigger.do, action: "file" } } as const;
  const triggers = ["one", "other"].map((name) => ({ ...rule, id: `${name}-${projectId}` }));
  await writeTriggers(env.DB, { projectId, version: 0, triggers, writtenBy: null });
  keys = await Promise.all(
    triggers.map(async ({ id }) => {
      const [key, secret] = [createSecret("svc_trg_"), createWebhookSecret()];
      const stored = {
        hash: await getKeyHash(key),
        sealed: await sealTriggerSecret(env as unknown as Env, id, secret),
      };
      expect(await writeTriggerKey(env.DB, { projectId, triggerId: id, ...stored }, 0)).toBe(true);
      return { id, key, secret };
    }),
  );
});

interface Counts {
  /** What the counter of triggers counted, by its name. */
  triggers: Map<string, number>;
  /** Invalid credentials. */
  failures: number;
  /** Statements that D1 prepared. */
  statements: number;
}

/** The service, whose counters refuse above these numbers. */
function createService({ perMinute = 60, failuresMax = 60 }) {
  const counts: Counts = { triggers: new Map(), failures: 0, statements: 0 };
  const service = {
    ...env,
    DB: {
      prepare(sql: string) {
        counts.statements += 1;
        return env.DB.prepare(sql);
      },
      batch: (statements: D1PreparedStatement[]) => env.DB.batch(statements),
    },
    ...{ PUBLIC_URL: "http://service.test", SANDBOX_HOST_URL: "" },
    FAILED_CREDENTIALS: {
      async limit() {
        counts.failures += 1;
        return { success: counts.failures <= failuresMax };
      },
    },
    TRIGGER_REQUESTS: {
      async limit({ key }: { key: string }) {
        const count = (counts.triggers.get(key) ?? 0) + 1;
        counts.triggers.set(key, count);
        return { success: count <= perMinute };
      },
    },
  } as unknown as Env;
  async function call(id: string, headers: Record<string, string>, address = createId()) {
    const all = { "cf-connecting-ip": address, "content-type": "application/json", ...headers };
    const request = new Request(`http://service.test/api/triggers/${id}`, { method: "POST", headers: all, body: "{}" });
    const answer = await route?.serve(request, service, { triggerId: id });
    return isRefusal(answer) ? (answer as Refusal).code : answer?.status;
  }
  return { call, counts };
}

const withKey = ({ key }: { key: string }) => ({ authorization: `Bearer ${key}` });
const signed = ({ secret }: { secret: string }, at = Date.now()) =>
  toSigningKey(secret).then((key) => signDelivery({ id: createId(), body: "{}", at }, [key]));
async function countRuns() {
  const runs = env.DB.prepare("SELECT count(*) AS runs FROM trigger_runs WHERE project_id = ?1").bind(projectId);
  return await runs.first("runs");
}

test("a trigger is called as often as the limit says, by key and by signature together", async () => {
  const { call, counts } = createService({ perMinute: 2 });
  const [one, other] = keys;
  if (!one || !other) throw new Error("a key is missing");
  expect([
    await call(one.id, withKey(one)),
    await call(one.id, await signed(one)),
    await call(one.id, withKey(one)),
    await call(one.id, await signed(one)),
  ]).toEqual([202, 202, "TOO_MANY_REQUESTS", "TOO_MANY_REQUESTS"]);
  expect(await call(other.id, withKey(other))).toBe(202);
  expect([...counts.triggers.keys()].some((key) => key.includes(one.key))).toBe(false);
  expect(await countRuns()).toBe(3);
});

test("an address with many wrong signatures is refused without a read, and the trigger's other callers are not", async () => {
  const { call, counts } = createService({ perMinute: 3, failuresMax: 60 });
  const [one, other] = keys;
  if (!one || !other) throw new Error("a key is missing");
  const attacker = createId();
  const wrong = async () => await call(one.id, await signed(other), attacker);
  expect([await wrong(), await wrong(), await wrong()]).toEqual(Array(3).fill("UNAUTHORIZED"));
  const { statements } = counts;
  expect([await wrong(), await wrong()]).toEqual(Array(2).fill("TOO_MANY_REQUESTS"));
  expect(counts.statements).toBe(statements);
  expect(await call(one.id, await signed(one))).toBe(202);
});

test("a wrong signature counts as an invalid credential, and a caller with a valid one passes", async () => {
  const { call, counts } = createService({ failuresMax: 2 });
  const [one, other] = keys;
  if (!one || !other) throw new Error("a key is missing");
  const shared = createId();
  const old = await signed(one, Date.now() - 301_000);
  expect(await call(one.id, await signed(one), shared)).toBe(202);
  expect(await call(other.id, await signed(one), shared)).toBe("UNAUTHORIZED");
  expect(await call(one.id, old, shared)).toBe("UNAUTHORIZED");
  expect(counts.failures).toBe(2);
  expect(await call(one.id, {}, shared)).toBe("TOO_MANY_REQUESTS");
  expect(await call(other.id, await signed(other), shared)).toBe("TOO_MANY_REQUESTS");
  expect(await call(one.id, await signed(one), shared)).toBe(202);
});
