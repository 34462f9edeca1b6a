// Crons over the API: what a member creates, how a run proceeds from its fire to its Reply, and
// what is refused. Counts, pauses and fires are tested with the objects, schedules with the rules.
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const crons = () => `/api/organizations/${world.workspaceId}/crons`;
const body = (changes: object = {}) => ({
  name: "Nightly",
  projectIds: [world.projectId],
  prompt: "Look around.",
  cronExpression: "0 3 * * *",
  ...changes,
});

async function createCron(changes: object = {}): Promise<string> {
  const made = await createClient(world).post(crons(), body(changes));
  expect(made.status).toBe(201);
  return made.body.data.id;
}

describe("a cron is refused", () => {
  test.for<[string, object, string]>([
    ["a schedule that is none", { cronExpression: "@daily" }, "BAD_REQUEST"],
    ["an empty schedule", { cronExpression: "" }, "VALIDATION_ERROR"],
    ["a schedule of spaces", { cronExpression: "  " }, "VALIDATION_ERROR"],
    ["a schedule under the floor", { cronExpression: "*/5 * * * *" }, "BAD_REQUEST"],
    ["a timezone", { timezone: "UTC" }, "BAD_REQUEST"],
    ["no projects", { projectIds: [] }, "VALIDATION_ERROR"],
    ["an unknown project", { projectIds: [randomUUID()] }, "NOT_FOUND"],
    ["a model that is none", { model: "nobody:nothing" }, "VALIDATION_ERROR"],
    ["an empty prompt", { prompt: " " }, "VALIDATION_ERROR"],
    ["a prompt that is too long", { prompt: "a".repeat(200_001) }, "VALIDATION_ERROR"],
    ["a field that is none", { seconds: 1 }, "VALIDATION_ERROR"],
  ])("with %s", async ([, changes, code]) => {
    expect((await createClient(world).post(crons(), body(changes))).body.code).toBe(code);
  });

  test("from a member who is neither its creator nor an admin", async () => {
    const id = await createCron();
    const member = createClient(world, "member");
    expect((await member.get(`${crons()}/${id}`)).status).toBe(200);
    expect((await member.patch(`${crons()}/${id}`, { name: "Mine" })).status).toBe(403);
    expect((await member.post(`${crons()}/${id}/run`, {})).status).toBe(403);
    expect((await member.delete(`${crons()}/${id}`)).status).toBe(403);
  });
});

test("a run proceeds from its fire to its Reply, and is deleted with its cron", async () => {
  const owner = createClient(world);
  const prompt = [
    "Look around.",
    "```practice",
    '{"tool":{"name":"read","input":{"path":"README.md"}}}',
    '{"artifact":{"slug":"report","title":"Report","kind":"markdown","content":"# Report"}}',
    '{"say":"All is well.\\nNothing was filed."}',
    "```",
  ].join("\n");
  const id = await createCron({ name: "Whole run", prompt });
  const cron = `${crons()}/${id}`;
  const { runs } = (await owner.post(`${cron}/run`, {})).body.data;
  expect(runs).toEqual([{ projectId: world.projectId, runId: expect.any(String), status: "running" }]);
  const run = `${cron}/runs/${runs[0].runId}`;
  await until("the run is over", async () => (await owner.get(run)).body.data.status !== "running");
  expect((await owner.get(run)).body.data).toMatchObject({
    status: "succeeded",
    summary: "All is well.",
    report: { reply: "All is well.\nNothing was filed." },
    filedSessions: [],
  });
  const { status, messages } = (await owner.get(`${run}/messages`)).body.data;
  expect({ status, said: messages[0] }).toMatchObject({ status: "succeeded", said: { role: "user", content: prompt } });
  expect(messages[1].blocks.map(({ type }: { type: string }) => type)).toEqual(["tool", "artifact", "text"]);
  const [row] = (await owner.get(`${cron}/artifacts?kind=markdown`)).body.data.artifacts;
  expect(row).toMatchObject({ slug: "report", runId: runs[0].runId, projectName: expect.any(String) });
  expect((await owner.get(`${run}/artifacts/${row.id}`)).body.data.body).toBe("# Report");
  const { phases, log, donePayload } = (await owner.get(`${run}/diagnostics`)).body.data;
  const times: (string | null)[] = Object.values(phases);
  expect(times).toEqual(times.map(() => expect.any(String)));
  expect([...times].sort()).toEqual(times);
  expect(donePayload).toMatchObject({ modelTurns: 3, toolCalls: 1, artifacts: 1, inputTokens: expect.any(Number) });
  expect(log).not.toMatch(/svc_/);
  expect((await owner.get(`${cron}`)).body.data).toMatchObject({
    lastRunStatus: "succeeded",
    nextRunAt: expect.any(String),
  });
  const told = (await owner.get("/api/activity?kind=cron_run_succeeded,cron_created")).body.data;
  expect(told.filter(({ payload }: { payload: { cronId: string } }) => payload.cronId === id)).toHaveLength(2);
  expect((await owner.delete(cron)).status).toBe(204);
  expect((await owner.get(run)).status).toBe(404);
});

test("a slot fires once, and a timezone that makes an interval too short is refused with the crons' names", async () => {
  const owner = createClient(world);
  const id = await createCron({ name: "Short of the floor", cronExpression: "0,55 1,3 * * *" });
  const zone = `/api/organizations/${world.workspaceId}/timezone`;
  const refused = await owner.put(zone, { timezone: "America/New_York" });
  expect(refused.body).toMatchObject({ code: "BAD_REQUEST", error: expect.stringContaining("Short of the floor") });
  const slot = (await owner.get(`${crons()}/${id}`)).body.data.nextRunAt;
  const fire = async () => (await owner.post(`/dev/crons/${id}/due`, { slot })).body.data.runs;
  const [[first], [second]] = [await fire(), await fire()];
  expect(first.runId).toBe(second.runId);
  expect((await owner.get(`${crons()}/${id}/runs`)).body.data.total).toBe(1);
});

test("a preview has the fires that the saved cron gets, and says why a schedule is refused", async () => {
  const owner = createClient(world);
  const preview = async (expression: string, count?: number) => {
    const query = new URLSearchParams({ expression, ...(count !== undefined && { count: String(count) }) });
    return owner.get(`/api/organizations/${world.workspaceId}/cron-preview?${query}`);
  };
  const { fires, problem } = (await preview("0 9 1 1 *")).body.data;
  const id = await createCron({ name: "Every year", cronExpression: "0 9 1 1 *" });
  expect([fires[0], fires.length, problem]).toEqual([
    (await owner.get(`${crons()}/${id}`)).body.data.nextRunAt,
    5,
    null,
  ]);
  expect((await preview("0 9 * * *", 1_000)).body.data.fires).toHaveLength(20);
  const made = await owner.post(crons(), {
    name: "Too often",
    prompt: "Look.",
    cronExpression: "*/5 * * * *",
    projectIds: [world.projectId],
  });
  expect([made.status, (await preview("*/5 * * * *")).body.data.problem]).toEqual([400, made.body.error]);
  expect((await preview("0 9 * * *", 0)).body.code).toBe("BAD_REQUEST");
});

test("the removed routes return 410 to every method", async () => {
  const owner = createClient(world);
  for (const path of ["", "/x", "/x/run", "/x/runs", "/x/runs/y"]) {
    const at = `/api/projects/nobody/crons${path}`;
    const answers = [owner.get(at), owner.post(at, "{"), owner.put(at, {}), owner.patch(at, {}), owner.delete(at)];
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 410));
  }
  expect((await owner.get("/api/projects/nobody/crons/x/y/z")).status).toBe(404);
});
