// The example that gates a build, against a running service.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { apiWorld, openApiWorld } from "../support/api-world.ts";
import { createdSessions, script } from "../support/client.ts";
import { examples, startExample } from "./support/example.ts";

beforeAll(openApiWorld);

async function runGate(task: string, settings?: Record<string, string>) {
  const { baseUrl, users, projectId } = apiWorld();
  const env = { SWITCHYARD_URL: baseUrl, SWITCHYARD_API_KEY: users.owner.apiKey, SWITCHYARD_PROJECT: projectId };
  const { code, output } = await startExample("ci-gate/gate.mjs", settings ?? env, [task]).ended;
  const [, id] = /chat-sessions\/([\da-f-]{36})/.exec(output) ?? [];
  if (id) createdSessions.set(id, projectId);
  return { code, output };
}

const option = (title: string) => ({ title, description: title, isRecommended: title === "yes" });
const question = { topic: "Scope", question: "All of it?", options: [option("yes"), option("no")] };

test.each<[string, object, number]>([
  ["passes", { submit: { pass: true, reasons: [] } }, 0],
  ["fails", { submit: { pass: false, reasons: ["The board is not sorted."] } }, 1],
  ["ends without a verdict", { say: "I could not say." }, 3],
  ["breaks", { fail: "unauthorized" }, 3],
  ["asks", { ask: { questions: [question] } }, 4],
])("a review that %s", async (_, step, code) => {
  expect((await runGate(script(step as Record<string, unknown>))).code).toBe(code);
});

test("a missing setting is named", async () => {
  expect(await runGate("x", {})).toEqual({
    code: 2,
    output: "Set SWITCHYARD_URL, SWITCHYARD_API_KEY and SWITCHYARD_PROJECT.\n",
  });
});

const startAt = (baseUrl: string, apiKey: string, more: Record<string, string>) =>
  runGate("x", {
    SWITCHYARD_URL: baseUrl,
    SWITCHYARD_API_KEY: apiKey,
    SWITCHYARD_PROJECT: apiWorld().projectId,
    ...more,
  });

test("a branch that the service refuses is an error, not a failed review", async () => {
  const { baseUrl, users } = apiWorld();
  const { code, output } = await startAt(baseUrl, users.owner.apiKey, { BRANCH: "12/merge" });
  expect(code).toBe(6);
  expect(output).toMatch(/^[^\n]*12\/merge[^\n]*\n$/);
});

test("a service that is not reached is an error, not a failed review", async () => {
  const { code, output } = await startAt("http://127.0.0.1:9", "none", {});
  expect(code).toBe(6);
  expect(output).toMatch(/^[^\n]+ got no response: [^\n]+\n$/);
});

test("the recipe sets no variable that GitHub sets", async () => {
  const recipe = await readFile(join(examples, "ci-gate/README.md"), "utf8");
  const [, env = ""] = /^ +env:\n((?: +\w+: .*\n)+)/m.exec(recipe) ?? [];
  const names = [...env.matchAll(/^ +(\w+):/gm)].map(([, name]) => name);
  expect(names).toEqual(["SWITCHYARD_URL", "SWITCHYARD_API_KEY", "SWITCHYARD_PROJECT", "BRANCH"]);
});
