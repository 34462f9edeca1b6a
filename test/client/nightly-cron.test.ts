// The example that reports what a cron did at night, against a running service.
import { Switchyard } from "@switchyard/client";
import { afterEach, beforeAll, expect, test } from "vitest";
import { apiWorld, openApiWorld } from "../support/api-world.ts";
import { createdSessions, script } from "../support/client.ts";
import { until } from "../support/until.ts";
import { startExample } from "./support/example.ts";

const crons = "/api/organizations/{workspaceId}/crons";
let sy: Switchyard;

beforeAll(async () => {
  await openApiWorld();
  const { baseUrl, users } = apiWorld();
  sy = new Switchyard({ baseUrl, apiKey: users.owner.apiKey });
});

async function runNightly(name: string, prompt: string) {
  const { baseUrl, users, projectId } = apiWorld();
  const settings = { SWITCHYARD_URL: baseUrl, SWITCHYARD_API_KEY: users.owner.apiKey, SWITCHYARD_PROJECT: projectId };
  return await startExample("nightly-cron/nightly.mjs", { ...settings, CRON_NAME: name }, [prompt]).ended;
}

async function listCrons(search: string) {
  const { workspaceId } = apiWorld();
  return (await sy.request(`GET ${crons}`, { path: { workspaceId }, query: { search } })).crons;
}

/** Fires the only cron of this name, as its schedule would, and waits until its run has ended. */
async function fire(name: string) {
  const [cron] = await listCrons(name);
  const path = { workspaceId: apiWorld().workspaceId, cronId: cron?.id ?? "" };
  const [fired] = (await sy.request(`POST ${crons}/{cronId}/run`, { path })).runs;
  return await until("the run has ended", async () => {
    const { runs } = await sy.request(`GET ${crons}/{cronId}/runs`, { path });
    const run = runs.find(({ id }) => id === fired?.runId);
    return run?.status !== "running" && run;
  });
}

afterEach(async () => {
  for (const { id: cronId } of await listCrons("Night "))
    await sy.request(`DELETE ${crons}/{cronId}`, { path: { workspaceId: apiWorld().workspaceId, cronId } });
});

test("two calls make one cron, and print the report of its run with the session that it filed", async () => {
  const prompt = script(
    { file: { title: "Found at night", prompt: "Mend it." } },
    { say: "The board is off.\nOne filed." },
  );
  const first = await runNightly("Night one", prompt);
  expect(first).toEqual({ code: 0, output: expect.stringMatching(/^The cron fires next at 20\S+Z\.\n$/) });
  await fire("Night one");
  // A cron whose name only contains the other one's is another cron.
  await runNightly("Night", "Look around.");
  const { code, output } = await runNightly("Night one", prompt);
  expect(code).toBe(0);
  const filed =
    /^succeeded, 20\S+Z\nThe board is off\.\nOne filed\.\n- Found at night \(backlog\) https?:\S+\/(\S+)\nThe cron/;
  expect(output).toMatch(filed);
  const [, id = ""] = filed.exec(output) ?? [];
  createdSessions.set(id, apiWorld().projectId);
  expect((await sy.sessions.get(id)).data.title).toBe("Found at night");
  expect((await listCrons("Night")).map(({ name }) => name).sort()).toEqual(["Night", "Night one"]);
});

test("a run that failed and a cron that somebody paused are errors", async () => {
  await runNightly("Night two", script({ fail: "unauthorized" }));
  const { error } = await fire("Night two");
  expect(error).toMatch(/\S/);
  const failed = await runNightly("Night two", "");
  expect(failed.code).toBe(1);
  expect(failed.output).toMatch(/^failed, /);
  expect(failed.output).toContain(error);
  const [cron] = await listCrons("Night two");
  const path = { workspaceId: apiWorld().workspaceId, cronId: cron?.id ?? "" };
  await sy.request(`PATCH ${crons}/{cronId}`, { path, body: { prompt: script({ say: "Well." }) } });
  await fire("Night two");
  await sy.request(`PATCH ${crons}/{cronId}`, { path, body: { enabled: false } });
  const paused = await runNightly("Night two", "");
  expect(paused).toEqual({
    code: 1,
    output: expect.stringMatching(/^succeeded, \S+\nWell\.\nThe cron does not fire: Some/),
  });
});
