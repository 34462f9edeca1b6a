// A reason to look at a session is new to each person until they have seen it.
import { beforeAll, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";

const world = apiWorld();
const owner = createClient(world);
const member = createClient(world, "member");
const options = ["red", "green"].map((title) => ({ title, description: title, isRecommended: false }));
const question = { topic: "Colour", question: "Which colour?", options };
const ask = { ask: { questions: [question] } };
let session: string;
let id: string;

beforeAll(async () => {
  const created = await owner.createSession({ title: "Seen", content: script(ask) });
  ({ path: session, id } = created);
  await owner.jobUntil(session, created.jobId);
});

const read = async (client = owner) => (await client.get(session)).body.data.session;
const isSeen = async () => [(await read()).isSeen, (await read(member)).isSeen];
const see = (since: unknown, client = owner) => client.put(`${session}/seen`, { since });

test("a reason is new to everybody, and not to who has seen it", async () => {
  const { needsYouReason, needsYouSince } = await read();
  expect([needsYouReason, Date.parse(needsYouSince)]).toEqual(["awaiting_response", expect.any(Number)]);
  expect(await isSeen()).toEqual([false, false]);
  expect((await see(new Date(Date.parse(needsYouSince) - 1).toISOString())).status).toBe(204);
  expect(await isSeen()).toEqual([false, false]);
  expect([(await see(needsYouSince)).status, (await see(needsYouSince)).status]).toEqual([204, 204]);
  expect(await isSeen()).toEqual([true, false]);
  for (const [client, seen] of [[owner, true] as const, [member, false] as const]) {
    const { data } = (await client.get("/api/chat-sessions?needsYou=true&pageSize=100")).body;
    expect(data.find((listed: { id: string }) => listed.id === id)).toMatchObject({ isSeen: seen, needsYouSince });
  }
});

test("the next reason is new again, however far ahead the mark was set", async () => {
  expect((await see("2999-01-01T00:00:00Z")).status).toBe(204);
  const sent = await owner.send(session, script({ say: "Then this." }, ask));
  expect(await read()).toMatchObject({ needsYouReason: null, needsYouSince: null, isSeen: null });
  await owner.jobUntil(session, sent.body.data.chatJobId);
  expect(await isSeen()).toEqual([false, false]);
  expect((await see((await read()).needsYouSince, member)).status).toBe(204);
  expect(await isSeen()).toEqual([false, true]);
});

test.each([[undefined], [null], ["yesterday"], [1]])("%s is no time", async (since) => {
  expect((await see(since)).status).toBe(400);
});
