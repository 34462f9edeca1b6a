// The limit of a trigger's key: it counts the calls of each key, and refuses before a run.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { getKeyHash } from "../../../src/lib/base64url.ts";
import { createId, createSecret } from "../../../src/lib/ids.ts";
import { isRefusal, type Refusal } from "../../../src/rules/refusal.ts";
import { writeTriggerKey, writeTriggers } from "../../../src/trigger/queries.ts";
import { triggerRoutes } from "../../../src/trigger/routes.ts";
import { membersOnly, type Trigger } from "../../../src/trigger/rules/trigger.ts";
import { addWorkspaceWith } from "../support/people.ts";

const route = triggerRoutes.find(({ operation }) => operation === "runTrigger");
const perMinute = 2;

test("a key may call as often as the limit says, and its calls do not count for another key", async () => {
  const { workspaceId } = await addWorkspaceWith({ owner: "owner" });
  const projectId = createId();
  await env.DB.prepare(
    `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
     VALUES (?1, ?2, 'P', ?1, 'main', 'deployed', '{}', ?1, 0, 0)`,
  )
    .bind(projectId, workspaceId)
    .run();
  const rule: Omit<Trigger, "id"> = {
    ...{ name: "Ideas", enabled: true, on: "http", do: { action: "file", prompt: null, underReview: "notice" } },
    when: { branches: [], checks: [], reviews: [], labels: [], place: null, cause: null },
    ...{ who: membersOnly, caps: { perDay: 20, attempts: 3 }, answer: "link" },
  };
  const triggers = ["one", "other"].map((name) => ({ ...rule, id: `${name} ${projectId}` }));
  await writeTriggers(env.DB, { projectId, version: 0, triggers });
  const keys = await Promise.all(
    triggers.map(async ({ id }) => {
      const key = createSecret("svc_trg_");
      const hash = await getKeyHash(key);
      expect(await writeTriggerKey(env.DB, { projectId, triggerId: id, hash }, 0)).toBe(true);
      return { id, key };
    }),
  );
  const counted = new Map<string, number>();
  const service = {
    ...env,
    ...{ PUBLIC_URL: "http://service.test", SANDBOX_HOST_URL: "" },
    FAILED_CREDENTIALS: { limit: async () => ({ success: true }) },
    TRIGGER_REQUESTS: {
      async limit({ key }: { key: string }) {
        counted.set(key, (counted.get(key) ?? 0) + 1);
        return { success: (counted.get(key) ?? 0) <= perMinute };
      },
    },
  } as unknown as Env;
  const call = async ({ id, key }: { id: string; key: string }) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const request = new Request(`http://service.test/api/triggers/${id}`, { method: "POST", headers, body: "{}" });
    const answer = await route?.serve(request, service, { triggerId: id });
    return isRefusal(answer) ? (answer as Refusal).code : answer?.status;
  };
  const [one, other] = keys;
  if (!one || !other) throw new Error("a key is missing");
  expect([await call(one), await call(one), await call(one)]).toEqual([202, 202, "TOO_MANY_REQUESTS"]);
  expect(await call(other)).toBe(202);
  expect([...counted.keys()].some((key) => key.includes(one.key))).toBe(false);
  const runs = env.DB.prepare("SELECT count(*) AS runs FROM trigger_runs WHERE project_id = ?1").bind(projectId);
  expect(await runs.first("runs")).toBe(3);
});
