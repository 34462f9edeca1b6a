// Sessions that the agent files for later, through the service's API and in the turn's name.
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../../support/until.ts";
import { getOutput, getText, listBlocks } from "../../support/transcript.ts";
import { startWorld, type World } from "../../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.end());

const filed = (id: string, title: string) => ({
  status: 201,
  body: JSON.stringify({ data: { session: { id, title, projectId: "the-project", status: "backlog" } } }),
});

test("filing calls the project's Backlog with the turn's token; consecutive filings are one list", async () => {
  world.api.answers.push(filed("s1", "Fix the clock"), filed("s2", "Paint it"), filed("s3", "Sell it"));
  const { start, service } = await world.runTurn([
    { file: { title: "Fix the clock", prompt: "It is slow." } },
    { file: { title: "Paint it", prompt: "Blue." } },
    { say: "And one more:" },
    { file: { title: "Sell it", prompt: "Soon." } },
    { say: "done" },
  ]);
  expect(await service.ended()).toEqual({ status: "completed" });
  const session = (sessionId: string, title: string) => ({ sessionId, projectId: "the-project", title });
  expect(listBlocks(service.received)).toEqual([
    { type: "filed_sessions", sessions: [session("s1", "Fix the clock"), session("s2", "Paint it")] },
    { type: "text", content: "And one more:" },
    { type: "filed_sessions", sessions: [session("s3", "Sell it")] },
    { type: "text", content: "done" },
  ]);
  const [call] = world.api.calls;
  expect(call).toMatchObject({ method: "POST", path: "/api/projects/the-project/chat-sessions" });
  expect(call?.headers.authorization).toBe(`Bearer ${start.api.token}`);
  expect(JSON.parse(String(call?.body))).toEqual({ title: "Fix the clock", prompt: "It is slow.", status: "backlog" });
});

test("a filed session shows no secret, neither in its title nor in its prompt", async () => {
  world.api.calls.length = 0;
  world.api.answers.push(filed("s9", "Use it"));
  const { service } = await world.runTurn(
    [{ file: { title: "Use the-secret-value", prompt: "It is the-secret-value." } }, { say: "done" }],
    { env: { API_KEY: "the-secret-value" }, secretNames: ["API_KEY"] },
  );
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(world.api.calls.map(({ body }) => JSON.parse(String(body)))).toEqual([
    { title: "Use [redacted]", prompt: "It is [redacted].", status: "backlog" },
  ]);
});

test("a refusal of the service is shown to the agent, and the tool as failed", async () => {
  world.api.answers.push({
    status: 403,
    body: JSON.stringify({ error: "You may not write here.", code: "FORBIDDEN" }),
  });
  const { service } = await world.runTurn([{ file: { title: "No", prompt: "No." } }, { say: "done" }]);
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(listBlocks(service.received)).toMatchObject([
    {
      type: "tool",
      name: "file_session",
      status: "failed",
      output: "The session was not filed: You may not write here.",
    },
    { type: "text", content: "done" },
  ]);
});

test("a filing whose response was lost is repeated with the same key, so that nothing is filed twice", async () => {
  world.api.calls.length = 0;
  world.api.answers.push({ status: 201, isLost: true }, filed("s4", "Once"));
  const { service } = await world.runTurn([{ file: { title: "Once", prompt: "Only once." } }, { say: "done" }]);
  await service.ended();
  expect(listBlocks(service.received)).toMatchObject([{ type: "filed_sessions" }, { type: "text" }]);
  const keys = world.api.calls.map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
});

test("a stop aborts a filing that the service does not answer", async () => {
  world.api.answers.push({ status: 201, isSlow: true });
  world.api.calls.length = 0;
  const { start, service } = await world.runTurn([{ file: { title: "Slow", prompt: "Slow." } }, { say: "never said" }]);
  await until("the call", () => world.api.calls[0]);
  await world.program.call("POST", `/turns/${start.turnId}/stop`);
  expect(await service.ended()).toEqual({ status: "cancelled" });
  await until("its end", () => world.api.openCalls() === 0);
  expect(world.api.calls).toHaveLength(1);
});

test("an invalid question or plan is refused and shown as a failed tool", async () => {
  const { service } = await world.runTurn([
    { ask: { questions: [{ topic: "t", question: "q", options: [{ title: "only one" }] }] } },
    { tool: { name: "plan", input: { items: "none" } } },
    { say: "done" },
  ]);
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(listBlocks(service.received)).toMatchObject([
    { type: "tool", name: "ask", status: "failed" },
    { type: "tool", name: "plan", status: "failed" },
    { type: "text", content: "done" },
  ]);
});

test("a command finds the service's API in its environment, and the transcript never shows the token", async () => {
  const { start, service } = await world.runTurn([
    { bash: "echo $SWITCHYARD_API_URL $SWITCHYARD_PROJECT_ID $SWITCHYARD_API_TOKEN" },
    { bash: "echo -n $SWITCHYARD_API_TOKEN | head -c 5; sleep 0.05; echo $SWITCHYARD_API_TOKEN | tail -c +6" },
    { say: "The token ends here." },
  ]);
  await service.ended();
  expect(getOutput(service.received)).toBe(`${start.api.url} the-project [redacted]\n[redacted]\n`);
  expect(getText(service.received)).toBe("The token ends here.");
  expect(JSON.stringify(service.received)).not.toContain(start.api.token);
});
