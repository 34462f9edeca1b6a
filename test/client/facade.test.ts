// The facade of the built library against a running service: turns, questions, Up next,
// files and work; and the same from workerd.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GaveUpError, refused, type Session, Switchyard } from "@switchyard/client";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiWorld, openApiWorld } from "../support/api-world.ts";
import { createdSessions, script } from "../support/client.ts";
import { closedGate } from "../support/gate.ts";

let sy: Switchyard;
let project: string;
const colours = ["Amber", "White"].map((title) => ({ title, description: title, isRecommended: title === "Amber" }));
const ask = { questions: [{ topic: "Colour", question: "Which colour?", options: colours }] };

beforeAll(async () => {
  await openApiWorld();
  const world = apiWorld();
  project = world.projectId;
  sy = new Switchyard({ baseUrl: world.baseUrl, apiKey: world.users.owner.apiKey, client: "test/1.0" });
});

async function start(...steps: Record<string, unknown>[]): Promise<Session> {
  const session = await sy.sessions.create({ project, ...(steps.length > 0 ? { content: script(...steps) } : {}) });
  createdSessions.set(session.id, project);
  return session;
}

test("a session is created with its first turn, found by its names, changed and listed", async () => {
  const session = await start({ say: "Sorted." });
  expect(await session.turn?.result()).toMatchObject({ outcome: "completed", text: "Sorted." });
  expect((await session.wait())?.job.id).toBe(session.turn?.id);
  expect(await session.getTurn(session.turn?.id ?? "").result()).toMatchObject({
    outcome: "completed",
    text: "Sorted.",
  });
  await session.update({ title: "Found by its names" });
  expect(session.data.title).toBe("Found by its names");
  for (const ref of [session.id, session.id.slice(-8), session.data.branch ?? "", session.data.sessionUrl])
    expect((await sy.sessions.get(ref)).id).toBe(session.id);
  await expect(sy.sessions.get("no-such-branch")).rejects.toThrow(RangeError);
  const listed: string[] = [];
  for await (const { id } of sy.sessions.list({ search: "Found by its names" })) listed.push(id);
  expect(listed).toContain(session.id);
  const { name } = await sy.projects.find(project);
  expect(name).toMatch(/\S/);
});

test("a message that names no skill goes out as text, with a notice", async () => {
  const session = await start({ say: "Ready." });
  await session.turn?.result();
  expect((await session.send("/svc:opne-pr")).notice).toContain("`svc:open-pr`");
  expect((await session.send("Ready?")).notice).toBeNull();
});

test("a turn that asks is answered by an option, and one that fails or is stopped says so", async () => {
  const session = await start({ ask });
  const asked = await session.turn?.result();
  expect(asked).toMatchObject({ outcome: "asks", questions: [{ question: "Which colour?" }] });
  const answered = await session.answer([{ question: 0, option: "Amber" }]);
  expect(answered.delivery === "job" && (await answered.result()).outcome).toBe("completed");

  const gate = await closedGate();
  const long = await session.send(script({ bash: gate.command }, { say: "Late." }));
  if (long.delivery !== "job") throw new Error("No turn was running.");
  await expect(long.result({ timeoutMs: 1 })).rejects.toBeInstanceOf(GaveUpError);
  await session.stop();
  expect((await long.result()).outcome).toBe("stopped");
  await long.stop();
  gate.open();
});

test("a message waits Up next, is edited and moved, and starts a turn of its own", async () => {
  const gate = await closedGate();
  const session = await start({ bash: gate.command }, { say: "First." });
  const waiting = await session.send("Then this.");
  const other = await session.send(script({ say: "Third." }));
  if (waiting.delivery !== "queued" || other.delivery !== "queued") throw new Error("No turn was running.");
  await session.upNext.edit(waiting.id, { content: script({ say: "Second." }), version: 1 });
  await session.upNext.move(other.id, 0);
  expect((await session.upNext.list()).messages.map(({ id }) => id)).toEqual([other.id, waiting.id]);
  await session.upNext.delete(other.id);
  const deleted = other.turn();
  const started = waiting.turn();
  gate.open();
  expect(await deleted).toBeNull();
  expect(await (await started)?.result()).toMatchObject({ outcome: "completed", text: "Second." });
});

test("a steer that no turn takes waits Up next; a message steered into a turn is part of it", async () => {
  const gate = await closedGate();
  // The second command gives the steer time to reach the sandbox.
  const session = await start({ bash: gate.command }, { bash: "sleep 5" }, { say: "First." });
  const events: string[] = [];
  for await (const { type, data } of session.turn?.follow() ?? []) {
    if (type === "block" && data.block.type === "tool" && events.length === 0) {
      const steered = await session.steer("Also this.");
      events.push(steered.delivery);
      gate.open();
    }
    if (type === "end") events.push(data.status);
  }
  expect(events).toEqual(["steer", "completed"]);
  const first = await session.steer(script({ say: "Started." }));
  expect(first.delivery).toBe("job");
  if (first.delivery === "job") await first.result();
});

test("a turn ends with the result of its schema, with files too", async () => {
  const resultSchema = { type: "object", properties: { pass: { type: "boolean" } }, required: ["pass"] };
  const attachments = [{ name: "board.txt", data: "A board." }];
  const content = script({ submit: { pass: true } });
  const session = await sy.sessions.create({ project: apiWorld().projectId, content, attachments, resultSchema });
  createdSessions.set(session.id, apiWorld().projectId);
  expect(await session.turn?.result()).toMatchObject({ outcome: "completed", result: { pass: true } });
  const sent = await session.send(script({ submit: { pass: 1 } }), { resultSchema });
  expect(sent.delivery === "job" && (await sent.result())).toMatchObject({ outcome: "failed", code: "result_missing" });
  const plain = await session.send(script({ say: "Done." }));
  expect(plain.delivery === "job" && (await plain.result())).toMatchObject({ outcome: "completed", result: null });
});

test("files come with messages, comments are sent together, and work is committed", async () => {
  const session = await sy.sessions.create({
    project,
    content: script({ bash: "echo one > note.txt" }, { say: "Written." }),
    attachments: [{ name: "board.txt", data: "A board.", mediaType: "text/plain" }],
  });
  createdSessions.set(session.id, project);
  const { messages } = (await session.turn?.result()) ?? { messages: [] };
  const [attachment] = messages.flatMap(({ attachments }) => attachments);
  const path = { projectId: session.projectId, sessionId: session.id, attachmentId: attachment?.id ?? "" };
  const file = await sy.request("GET /api/projects/{projectId}/chat-sessions/{sessionId}/attachments/{attachmentId}", {
    path,
  });
  expect(await file.text()).toBe("A board.");
  expect((await session.changes()).files.map(({ path }) => path)).toContain("note.txt");
  expect(await session.file("note.txt")).toBe("one\n");
  // Only a question for what was saved, too, has this field in its answer.
  expect(await session.diff("note.txt")).toMatchObject({ patch: expect.stringContaining("+one"), available: true });
  const lines = { side: "new", startLineNumber: 1, endLineNumber: 1 } as const;
  const comment = await session.comments.add({ filePath: "note.txt", ...lines, body: "Two." });
  const sent = await session.comments.sendAll(script({ say: "Seen." }));
  if (sent.delivery === "job") expect((await sent.result()).text).toBe("Seen.");
  await session.comments.resolve(comment.id);
  expect((await session.comments.list()).map(({ resolved }) => resolved)).toEqual([true]);
  expect(await session.commit("Add a note")).toMatch(/^[0-9a-f]{40}$/);
  await session.push();
});

test("a refusal has the codes of its operation", async () => {
  const session = await start();
  const error: unknown = await session.send("").catch((failure) => failure);
  const send = "POST /api/projects/{projectId}/chat-sessions/{sessionId}/jobs/chat";
  expect(refused(error, send) && error.failure.code).toBe("VALIDATION_ERROR");
});

const built = join(import.meta.dirname, "../../packages/client/dist/index.js");
/** Runs a session by the library, whose class is `Switchyard`. */
const program = `async (Switchyard, { baseUrl, apiKey, project, content }) => {
  const sy = new Switchyard({ baseUrl, apiKey });
  const session = await sy.sessions.create({ project, content });
  for await (const state of session.states()) if (state.jobs.at(-1)?.status === "completed") break;
  const { outcome, text } = await session.turn.result();
  return { id: session.id, outcome, text };
}`;
const given = () => {
  const { baseUrl, users } = apiWorld();
  return { baseUrl, apiKey: users.owner.apiKey, project, content: script({ say: "From elsewhere." }) };
};

test("it runs inside workerd", async () => {
  const worker = `import { Switchyard } from "./client.js";
    export default { fetch: async (request) => Response.json(await (${program})(Switchyard, await request.json())) };`;
  const options = convertV4MiniflareOptions({
    name: "client",
    modules: [
      { type: "ESModule", path: "worker.js", contents: worker },
      { type: "ESModule", path: "client.js", contents: readFileSync(built, "utf8") },
    ],
    compatibilityDate: "2026-10-01",
    host: "127.0.0.1",
    cf: false,
    telemetry: { enabled: false },
  });
  const miniflare = new Miniflare(options);
  try {
    const response = await miniflare.dispatchFetch("http://worker/", { method: "POST", body: JSON.stringify(given()) });
    const result = (await response.json()) as { id: string };
    createdSessions.set(result.id, project);
    expect(result).toMatchObject({ outcome: "completed", text: "From elsewhere." });
  } finally {
    await miniflare.dispose();
  }
});

afterAll(async () => {
  for (const [id, projectId] of createdSessions)
    await sy.request("DELETE /api/projects/{projectId}/chat-sessions/{sessionId}", {
      path: { projectId, sessionId: id },
    });
  createdSessions.clear();
});
