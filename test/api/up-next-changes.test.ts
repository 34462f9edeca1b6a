// Changes to queued messages: edits, moves, deletions, sending one immediately; who may make which,
// and how a late change is refused.
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { openStream } from "../support/event-stream.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const admin = createClient(world, "admin");
const member = createClient(world, "member");
const unknownId = "0197a1b2-0000-7000-8000-000000000000";

let session: string;
let jobId: string;
beforeAll(async () => {
  const created = await owner.createSession({ title: "Waiting", content: script({ say: "Ready." }) });
  session = created.path;
  await owner.jobUntil(session, created.jobId);
});

/**
 * A turn of the owner's runs through each test, and is stopped after it, with nothing left in the
 * queue.
 */
beforeEach(async () => {
  jobId = (await owner.send(session, script({ sleep: 600_000 }, { say: "Too late." }))).body.data.chatJobId;
});
afterEach(async () => {
  const { latestChatJob } = (await owner.get(session)).body.data.session;
  if (["pending", "running"].includes(latestChatJob.status)) {
    await owner.post(`${session}/jobs/chat/${latestChatJob.id}/cancel`);
    await owner.jobUntil(session, latestChatJob.id);
  }
  for (const { id } of (await owner.upNext(session)).messages) await owner.delete(`${session}/queue/${id}`);
});

async function queue(client: typeof owner, content: string): Promise<string> {
  const sent = await client.send(session, content);
  expect(sent.body.data).toMatchObject({ delivery: "queued" });
  return sent.body.data.queuedMessageId;
}

const at = (id: string, rest = "") => `${session}/queue/${id}${rest}`;
const contents = async () => (await owner.upNext(session)).messages.map(({ content }) => content);
const stop = async () => {
  await owner.post(`${session}/jobs/chat/${jobId}/cancel`);
  await owner.jobUntil(session, jobId);
};

describe("an edit", () => {
  it("changes the text but not the position, and increases the version", async () => {
    await queue(owner, "first");
    const id = await queue(owner, "second");
    await queue(owner, "third");
    expect((await owner.call("PATCH", at(id), { content: "second, better", version: 1 })).status).toBe(204);
    const { messages } = (await owner.get(`${session}/queue`)).body.data;
    expect(messages[1]).toMatchObject({ id, content: "second, better", version: 2, position: 1 });
    expect(await contents()).toEqual(["first", "second, better", "third"]);
  });

  it("of an older version is refused, and changes nothing", async () => {
    const id = await queue(owner, "once");
    await owner.call("PATCH", at(id), { content: "twice" });
    const late = await owner.call("PATCH", at(id), { content: "thrice", version: 1 });
    expect({ status: late.status, code: late.body.code }).toEqual({ status: 409, code: "QUEUED_MESSAGE_CHANGED" });
    expect(await contents()).toEqual(["twice"]);
  });

  it("is visible to others while it is open", async () => {
    const id = await queue(owner, "being edited");
    await owner.call("PATCH", at(id), { editing: true });
    const [message] = (await member.get(`${session}/queue`)).body.data.messages;
    const expiresAt = expect.stringMatching(/^\d{4}-/);
    expect(message.editingBy).toEqual({ userId: world.users.owner.id, expiresAt });
    await owner.call("PATCH", at(id), { content: "edited" });
    expect((await member.get(`${session}/queue`)).body.data.messages[0].editingBy).toBeNull();
  });

  it("is sent to others by events, when it opens and when it closes", async () => {
    const authorization = `Bearer ${world.users.member.apiKey}`;
    const stream = await openStream(world.baseUrl, `${session}/events`, { authorization });
    const listEditors = () =>
      stream.events
        .filter(({ event }) => event === "queue")
        .flatMap(({ data }) => JSON.parse(data).messages)
        .filter((message) => message.id === id)
        .map(({ editingBy }) => editingBy?.userId ?? null);
    const id = await queue(owner, "being edited");
    await owner.call("PATCH", at(id), { editing: true });
    await owner.call("PATCH", at(id), { editing: false });
    await until("the end of the edit", () => listEditors().length === 3);
    expect(listEditors()).toEqual([null, world.users.owner.id, null]);
    stream.leave();
  });

  it("that would leave an empty message is refused", async () => {
    const id = await queue(owner, "something");
    const emptied = await owner.call("PATCH", at(id), { content: "  " });
    expect({ status: emptied.status, code: emptied.body.code }).toEqual({ status: 400, code: "VALIDATION_ERROR" });
  });
});

describe("a move", () => {
  const table = [
    [0, ["b", "a", "c"]],
    [1, ["a", "b", "c"]],
    [2, ["a", "c", "b"]],
    [99, ["a", "c", "b"]],
  ] as const;

  it.each(table)("to %i moves the message there", async (toIndex, order) => {
    await queue(owner, "a");
    const id = await queue(owner, "b");
    await queue(owner, "c");
    expect((await owner.post(at(id, "/move"), { toIndex })).status).toBe(204);
    expect(await contents()).toEqual(order);
  });

  it.each([
    [-1, "BAD_REQUEST"],
    [1.5, "VALIDATION_ERROR"],
    ["1", "VALIDATION_ERROR"],
    [undefined, "VALIDATION_ERROR"],
  ])("to %s is refused", async (toIndex, code) => {
    const id = await queue(owner, "stays");
    const moved = await owner.post(at(id, "/move"), { toIndex });
    expect({ status: moved.status, code: moved.body.code }).toEqual({ status: 400, code });
  });
});

describe("permissions", () => {
  const deeds = [
    ["edit", (client: typeof owner, id: string) => client.call("PATCH", at(id), { content: "other" })],
    ["move", (client: typeof owner, id: string) => client.post(at(id, "/move"), { toIndex: 0 })],
    ["send", (client: typeof owner, id: string) => client.post(at(id, "/send"))],
    ["steer", (client: typeof owner, id: string) => client.post(at(id, "/steer"))],
  ] as const;

  it.each(deeds)("%s a message: only its author", async (_, deed) => {
    const id = await queue(member, "mine");
    for (const other of [owner, admin]) {
      const refused = await deed(other, id);
      expect({ status: refused.status, code: refused.body.code }).toEqual({ status: 403, code: "FORBIDDEN" });
    }
    expect(await contents()).toEqual(["mine"]);
  });

  it("delete a message: its author, an admin or the owner", async () => {
    const ofOwner = await queue(owner, "the owner's");
    expect((await member.delete(at(ofOwner))).status).toBe(403);
    expect((await admin.delete(at(ofOwner))).status).toBe(204);
    const ofMember = await queue(member, "the member's");
    expect((await member.delete(at(ofMember))).status).toBe(204);
    expect(await contents()).toEqual([]);
  });

  it("are returned with each message, for the caller", async () => {
    await queue(owner, "the owner's");
    await owner.jobUntil(session, jobId, ["running"]);
    const can = async (client: typeof owner) => (await client.get(`${session}/queue`)).body.data.messages[0].can;
    expect(await can(owner)).toEqual({ edit: true, move: true, steer: true, delete: true });
    expect(await can(admin)).toEqual({ edit: false, move: false, steer: false, delete: true });
    expect(await can(member)).toEqual({ edit: false, move: false, steer: false, delete: false });
  });
});

describe("a message that is not in the queue", () => {
  const deeds = [
    ["PATCH", "", { content: "x" }],
    ["DELETE", "", undefined],
    ["POST", "/move", { toIndex: 0 }],
    ["POST", "/send", undefined],
    ["POST", "/steer", undefined],
  ] as const;

  it.each(deeds)("%s %s: 409 if it has left, 404 if it is unknown", async (method, rest, body) => {
    const id = await queue(owner, "gone");
    await owner.delete(at(id));
    const gone = await owner.call(method, at(id, rest), body);
    expect({ status: gone.status, code: gone.body.code }).toEqual({ status: 409, code: "QUEUED_MESSAGE_GONE" });
    const unknown = await owner.call(method, at(unknownId, rest), body);
    expect({ status: unknown.status, code: unknown.body.code }).toEqual({ status: 404, code: "NOT_FOUND" });
  });
});

describe("sending one immediately", () => {
  it("is refused while a turn runs", async () => {
    const id = await queue(owner, "now");
    const sent = await owner.post(at(id, "/send"));
    expect({ status: sent.status, code: sent.body.code }).toEqual({ status: 409, code: "JOB_IN_PROGRESS" });
  });

  it("runs it before the others, and the queue continues afterwards", async () => {
    await queue(owner, script({ say: "the first" }));
    const id = await queue(owner, script({ say: "the second" }));
    await stop();
    expect((await owner.upNext(session)).paused).toMatchObject({ reason: "cancelled" });
    const sent = await owner.post(at(id, "/send"));
    expect(sent).toMatchObject({ status: 200, body: { data: { delivery: "job" } } });
    await until("Up next to be empty", async () => (await owner.upNext(session)).messages.length === 0);
    const { latestChatJob } = (await owner.get(session)).body.data.session;
    await owner.jobUntil(session, latestChatJob.id);
    const said = (await owner.messages(session)).filter(({ role }: { role: string }) => role === "assistant");
    expect(said.slice(-2).map(({ blocks }: { blocks: { content: string }[] }) => blocks.at(-1)?.content)).toEqual([
      "the second",
      "the first",
    ]);
  });
});
