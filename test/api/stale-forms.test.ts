// A form with slow files meets a session whose state has changed: it is refused by the code that
// says how, and no file stays stored.
import { beforeAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { type Client, clientWith, createClient, type Person, script } from "../support/client.ts";
import { getAttachmentsPrefix, sendSlowly } from "../support/slow-form.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const owner = createClient(world);
const member = createClient(world, "member");
const { storedKeys } = createInside(world);
const never = script({ sleep: 600_000 }, { say: "never" });
const key = (person: Person) => world.users[person].apiKey;
const slowly = (path: string, more: Record<string, string> = {}, credential = key("owner")) =>
  sendSlowly(world, credential, path, { content: script({ say: "Arrived." }), ...more });

let relayKey: string;
beforeAll(async () => {
  const made = await owner.post(`/api/organizations/${world.workspaceId}/relay-keys`, { name: "Overtaken" });
  relayKey = made.body.data.key;
});

async function expectRefused(path: string, answer: { status: number; body: { code?: string } }, expected: string) {
  const [status, code] = expected.split(" ");
  expect({ status: String(answer.status), code: answer.body.code }).toEqual({ status, code });
  expect(await storedKeys(getAttachmentsPrefix(path))).toEqual([]);
}

type Meanwhile = (path: string) => Promise<unknown>;
const put =
  (body: Record<string, unknown>, client: Client = owner): Meanwhile =>
  (path) =>
    client.put(path, body);

describe("a form that would have started a turn", () => {
  const table: [string, string, Meanwhile][] = [
    ["another message starts one", "409 JOB_IN_PROGRESS", (path) => member.send(path, never)],
    ["the session goes Under Review", "409 SESSION_STATUS_CHANGED", put({ status: "under-review" })],
    ["the session is completed", "409 SESSION_STATUS_CHANGED", put({ status: "completed" })],
    ["the session is archived", "409 SESSION_STATUS_CHANGED", put({ status: "archived" })],
    ["its model is changed", "409 SESSION_STATUS_CHANGED", put({ model: "openai:gpt__low" })],
    ["its Assignee is changed", "409 SESSION_STATUS_CHANGED", put({ assigneeId: world.users.member.id })],
    ["it is left to nobody", "409 SESSION_STATUS_CHANGED", put({ assigneeId: null })],
    [
      "/clear runs",
      "409 SESSION_STATUS_CHANGED",
      (path) => owner.post(`${path}/runtime-commands`, { command: "/clear" }),
    ],
    ["the session is deleted", "404 NOT_FOUND", (path) => owner.delete(path)],
  ];
  test.each(table)("%s: %s", async (_, expected, meanwhile) => {
    const { path } = await owner.createSession({ title: "Overtaken" });
    const form = await slowly(path);
    await meanwhile(path);
    await expectRefused(path, await form.finish(), expected);
    await owner.delete(path);
  });

  test("can be repeated after JOB_IN_PROGRESS, and is queued", async () => {
    const { path } = await owner.createSession({ title: "Overtaken" });
    const form = await slowly(path);
    await member.send(path, never);
    expect((await form.finish()).body.code).toBe("JOB_IN_PROGRESS");
    const again = await (await slowly(path)).finish();
    expect(again).toMatchObject({ status: 201, body: { data: { delivery: "queued" } } });
    expect(await storedKeys(getAttachmentsPrefix(path))).toHaveLength(2);
    await owner.delete(path);
    expect(await storedKeys(getAttachmentsPrefix(path))).toEqual([]);
  });

  test("is delivered if only unrelated state has changed", async () => {
    const { path } = await owner.createSession({ title: "Overtaken" });
    const form = await slowly(path);
    await owner.put(path, { title: "Another title", priority: "high" });
    const sent = await form.finish();
    expect(sent).toMatchObject({ status: 201, body: { data: { delivery: "job" } } });
    await owner.jobUntil(path, sent.body.data.chatJobId);
    await owner.delete(path);
  });
});

describe("a relay's form", () => {
  test("returns SESSION_UNDER_REVIEW if the session has moved to Under Review", async () => {
    const { path } = await owner.createSession({ title: "Overtaken" });
    const form = await slowly(path, {}, relayKey);
    await owner.put(path, { status: "under-review" });
    await expectRefused(path, await form.finish(), "400 SESSION_UNDER_REVIEW");
    expect((await clientWith(world, relayKey).send(path, "Now?")).body.code).toBe("SESSION_UNDER_REVIEW");
    expect((await owner.get(path)).body.data.session.status).toBe("under-review");
  });
});

describe("a form that would have been queued", () => {
  /** A session whose turn runs, and a form that is being sent to it. */
  async function underWay(more: (jobId: string) => Record<string, string> = () => ({})) {
    const { path, jobId = "" } = await owner.createSession({ title: "Overtaken", content: never });
    await owner.jobUntil(path, jobId, ["running"]);
    return { path, jobId, form: await slowly(path, more(jobId)) };
  }

  const table: [string, string, Meanwhile][] = [
    ["the session goes Under Review", "409 SESSION_CHANGED", put({ status: "under-review" })],
    ["the session is completed, its turn stopped", "409 SESSION_CHANGED", put({ status: "completed" })],
    ["its Assignee is changed", "409 SESSION_CHANGED", put({ assigneeId: world.users.member.id })],
    ["the session is deleted", "404 NOT_FOUND", (path) => owner.delete(path)],
  ];
  test.each(table)("%s: %s", async (_, expected, meanwhile) => {
    const { path, form } = await underWay();
    await meanwhile(path);
    await expectRefused(path, await form.finish(), expected);
    await owner.delete(path);
  });

  const cancel = async (path: string, jobId: string) => {
    await owner.post(`${path}/jobs/chat/${jobId}/cancel`);
    await owner.jobUntil(path, jobId);
  };

  test("starts a turn if the running one was stopped", async () => {
    const { path, jobId, form } = await underWay();
    await cancel(path, jobId);
    const sent = await form.finish();
    expect(sent).toMatchObject({ status: 201, body: { data: { delivery: "job", jobNumber: 2 } } });
    await owner.jobUntil(path, sent.body.data.chatJobId);
    await owner.delete(path);
  });

  test("starts no turn if it names the stopped turn: 409 JOB_STOPPED", async () => {
    const { path, jobId, form } = await underWay((runningJobId) => ({ runningJobId }));
    await cancel(path, jobId);
    await expectRefused(path, await form.finish(), "409 JOB_STOPPED");
    await owner.delete(path);
  });
});
