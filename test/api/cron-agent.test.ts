// What a run's agent does on the running service: it reads the checkout with its tools, and calls
// the API with a key that is never shown.
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { until } from "../support/until.ts";

const world = apiWorld();

test("a run reads, lists and files for the service, is refused deletes, and its key is invalid afterwards", async () => {
  const owner = createClient(world);
  const sessions = `/api/projects/${world.projectId}/chat-sessions`;
  const api = (method: string, path: string, body?: object) => ({
    tool: { name: "api", input: { method, path, body } },
  });
  const steps = [
    { tool: { name: "git", input: { args: ["log", "--oneline", "-n1"] } } },
    { tool: { name: "git", input: { args: ["commit", "-am", "x"] } } },
    { tool: { name: "search", input: { pattern: "." } } },
    api("GET", `${sessions}?pageSize=1`),
    api("DELETE", `/api/projects/${world.projectId}`),
    { file: { title: "Found by the run", prompt: "Mend it.", priority: "high" } },
    { say: "Filed one." },
  ];
  const prompt = ["Look.", "```practice", ...steps.map((step) => JSON.stringify(step)), "```"].join("\n");
  const crons = `/api/organizations/${world.workspaceId}/crons`;
  const cron = { name: "Reader", projectIds: [world.projectId], cronExpression: "0 3 * * *", prompt };
  const { id } = (await owner.post(crons, cron)).body.data;
  const { runs } = (await owner.post(`${crons}/${id}/run`, {})).body.data;
  const run = `${crons}/${id}/runs/${runs[0].runId}`;
  await until("the run is over", async () => (await owner.get(run)).body.data.status !== "running");
  const { status, report, filedSessions } = (await owner.get(run)).body.data;
  const { messages } = (await owner.get(`${run}/messages`)).body.data;
  const outcomes = messages[1].blocks.map((block: { type: string; name?: string; status?: string }) =>
    block.type === "tool" ? `${block.name} ${block.status}` : block.type,
  );
  expect(outcomes).toEqual([
    ...["git completed", "git failed", "search completed", "api completed", "api completed", "filed_sessions", "text"],
  ]);
  expect([status, report]).toEqual(["succeeded", { reply: "Filed one." }]);
  const [, , , listed, refused] = messages[1].blocks.map(({ output }: { output: string }) => output);
  expect(listed).toMatch(/^HTTP 200\n/);
  expect(refused).toMatch(/^HTTP 403\n/);
  expect(messages[0].content).toBe(prompt);
  const session = (await owner.get(`${sessions}/${filedSessions[0].sessionId}`)).body.data.session;
  expect(session).toMatchObject({
    status: "backlog",
    priority: "high",
    createdBy: null,
    assignee: { kind: "service" },
    filedBy: { kind: "cron", cronId: id, runId: runs[0].runId },
  });
  const { log } = (await owner.get(`${run}/diagnostics`)).body.data;
  expect(log).toMatch(/ tool api: done, \d+ ms\n/);
  expect(JSON.stringify([messages, log, session])).not.toContain("svc_crn_");
});
