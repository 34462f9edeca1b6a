// A change to a session that takes long: other requests to the session are meanwhile refused by the
// code that says so. The sandbox does not respond in these tests, so the change runs for as long as
// the test needs.
import { describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, type Reply, script } from "../support/client.ts";
import { freezeSandbox } from "../support/held-sandbox.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const never = script({ sleep: 600_000 }, { say: "never" });
const outcome = ({ status, body }: Reply) => `${status} ${body?.code ?? body?.data?.delivery ?? "done"}`;
const readCode = async (reply: Promise<Reply>) => outcome(await reply);

/** A session whose turn runs in a sandbox that no longer responds. */
async function frozen() {
  const session = await owner.createSession({ title: "Under way", content: never });
  await owner.jobUntil(session.path, session.jobId, ["running"]);
  const queued = (await owner.send(session.path, "Waits.")).body.data.queuedMessageId;
  const goOn = await freezeSandbox(world, await owner.getSandboxKey(session.id));
  return { ...session, queued, goOn };
}
const isUpdating = async (path: string) => (await owner.put(path, {})).body.code === "SESSION_UPDATING";

describe("while a session is being ended and its turn does not stop", () => {
  test.each([
    ["completed", (path: string) => owner.put(path, { status: "completed" }), 200],
    ["deleted", (path: string) => owner.delete(path), 204],
  ] as const)("%s: all other changes return SESSION_UPDATING until it is done", async (_, end, status) => {
    const { path, jobId, queued, goOn } = await frozen();
    try {
      const ending = end(path);
      await until("the end to be under way", () => isUpdating(path));
      // Together, because the end waits a few seconds for its turn.
      const changes = await Promise.all([
        readCode(owner.send(path, "Also this.")),
        readCode(owner.put(path, { title: "Another" })),
        readCode(owner.put(path, { status: "archived" })),
        readCode(owner.delete(path)),
        readCode(owner.post(`${path}/queue/${queued}/send`)),
        readCode(owner.post(`${path}/queue/${queued}/steer`)),
        readCode(owner.post(`${path}/queue/resume`)),
        readCode(owner.post(`${path}/runtime-commands`, { command: "/clear" })),
      ]);
      expect(changes).toEqual(changes.map(() => "409 SESSION_UPDATING"));
      // What can be read or stopped still can be.
      expect((await owner.get(path)).body.data.session.title).toBe("Under way");
      expect((await owner.post(`${path}/jobs/chat/${jobId}/cancel`)).status).toBe(200);
      expect((await ending).status).toBe(status);
    } finally {
      goOn();
    }
    if (status === 204) return expect(await readCode(owner.get(path))).toBe("404 NOT_FOUND");
    expect((await owner.jobUntil(path, jobId)).status).toBe("cancelled");
    expect((await owner.get(path)).body.data.session).toMatchObject({ status: "completed", queue: { count: 1 } });
    expect(await readCode(owner.send(path, "Also this."))).toBe("400 BAD_REQUEST");
  });
});

test("JOB_STOPPED_TEXT_RETURNED: a steer into a turn that is being stopped stays in Up next", async () => {
  const { path, jobId, queued, goOn } = await frozen();
  try {
    const stopped = await owner.post(`${path}/jobs/chat/${jobId}/cancel`);
    expect(stopped.body.data).toEqual({ cancelled: 1, message: expect.stringMatching(/being stopped/) });
    expect(await readCode(owner.post(`${path}/queue/${queued}/steer`))).toBe("409 JOB_STOPPED_TEXT_RETURNED");
    expect((await owner.upNext(path)).messages).toMatchObject([{ id: queued }]);
  } finally {
    goOn();
  }
  expect((await owner.jobUntil(path, jobId)).status).toBe("cancelled");
  expect(await owner.upNext(path)).toMatchObject({ messages: [{ id: queued }], paused: { reason: "cancelled" } });
});

test("a steer that the agent has not taken returns to Up next when the turn is stopped", async () => {
  const { path, jobId, queued, goOn } = await frozen();
  try {
    expect(await readCode(owner.post(`${path}/queue/${queued}/steer`))).toBe("200 steer");
    expect((await owner.upNext(path)).messages).toEqual([]);
    await owner.post(`${path}/jobs/chat/${jobId}/cancel`);
    // The sandbox never confirms the stop, so the stop expires.
    expect((await owner.jobUntil(path, jobId)).status).toBe("cancelled");
    expect((await owner.upNext(path)).messages).toMatchObject([{ id: queued }]);
  } finally {
    goOn();
  }
  expect((await owner.run(path, { say: "In a new sandbox." })).status).toBe("completed");
});

test("COMMAND_IN_FLIGHT: no message and no other command is accepted while /compact runs", async () => {
  const { id, path, jobId } = await owner.createSession({ title: "Under way", content: script({ say: "Much." }) });
  await owner.jobUntil(path, jobId);
  const goOn = await freezeSandbox(world, await owner.getSandboxKey(id));
  try {
    const run = await owner.post(`${path}/runtime-commands`, { command: "/compact", instructions: "Keep it short." });
    expect([run.status, run.body]).toEqual([202, { data: { command: "/compact", status: "running" } }]);
    const inFlight = "409 COMMAND_IN_FLIGHT";
    expect(await readCode(owner.send(path, "Now?"))).toBe(inFlight);
    expect(await readCode(owner.post(`${path}/queue/resume`))).toBe(inFlight);
    expect(await readCode(owner.post(`${path}/runtime-commands`, { command: "/compact" }))).toBe(inFlight);
    expect(await readCode(owner.post(`${path}/runtime-commands`, { command: "/clear" }))).toBe(inFlight);
    expect(await readCode(owner.put(path, { model: "openai:gpt__low" }))).toBe(inFlight);
    expect(await readCode(owner.put(path, { status: "under-review" }))).toBe(inFlight);
    expect(await owner.messages(path)).toHaveLength(2);
  } finally {
    goOn();
  }
  const sent = await until("the command to be done", async () => {
    const reply = await owner.send(path, script({ say: "After it." }));
    return reply.body.code !== "COMMAND_IN_FLIGHT" && reply;
  });
  expect(outcome(sent)).toBe("201 job");
  expect((await owner.jobUntil(path, sent.body.data.chatJobId)).status).toBe("completed");
});
