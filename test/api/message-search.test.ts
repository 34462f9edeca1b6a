// The search in messages: it finds what people and agents said, and only for those who may read it.
import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const member = createClient(world, "member");
const outsider = createClient({ ...world, projectId: world.outsideProjectId }, "outsider");
/** A word that is in the messages of this file, and in no others. */
const mark = `zebra${randomUUID().slice(0, 8)}`;
let session: { id: string; path: string };

const search = async (q: string, client = owner, more = "") =>
  await client.get(`/api/message-search?q=${encodeURIComponent(q)}${more}`);
const find = async (...given: Parameters<typeof search>) => (await search(...given)).body.data;

beforeAll(async () => {
  const [mine, theirs] = [owner, outsider].map((client) =>
    client.createSession({
      title: "Search",
      content: `${mark} question\n${script({ bash: "true" }, { say: `The ${mark} Répond.` })}`,
    }),
  );
  const [created, other] = await Promise.all([mine, theirs]);
  if (!created || !other) throw new Error("no sessions");
  session = created;
  await Promise.all([owner.jobUntil(created.path, created.jobId), outsider.jobUntil(other.path, other.jobId)]);
  await until("both answers", async () => (await find(`${mark} répond`)).length > 0);
  await until("both answers", async () => (await find(`${mark} répond`, outsider)).length > 0);
});

test("a message is found with its session and the part around the words, the newest first", async () => {
  const [answer, question, ...others] = await find(mark);
  expect(others).toEqual([]);
  expect(answer).toMatchObject({ role: "assistant", session: { id: session.id, title: "Search" } });
  expect(question).toMatchObject({ role: "user", session: { id: session.id, projectId: world.projectId } });
  const messages = await owner.messages(session.path);
  expect(messages.map(({ id }: { id: string }) => id)).toEqual(
    expect.arrayContaining([answer.messageId, question.messageId]),
  );
  for (const { snippet, marks } of [answer, question])
    expect(marks.map(([from, to]: number[]) => snippet.slice(from, to))).toContain(mark);
});

test.each<[words: string, roles: string[]]>([
  [`${mark} question`, ["user"]],
  [`QUESTION ${mark}`, ["user"]],
  [`${mark} repond`, ["assistant", "user"]],
  [`${mark} rép`, ["assistant", "user"]],
  [`${mark} nothing`, []],
  [`${mark} OR other`, []],
  [`${mark}" OR "`, []],
  [`${mark.slice(0, 8)}`, ["assistant", "user"]],
  [`scope:${mark}`, []],
  ["*", []],
  [`"`, []],
  [")(", []],
])("the words %j find %j", async (words, roles) => {
  const { status, body } = await search(words);
  expect({ status, roles: body.data.map(({ role }: { role: string }) => role) }).toEqual({ status: 200, roles });
});

test("nobody finds what they may not read, whatever they name", async () => {
  expect(await find(mark, member)).toHaveLength(2);
  const found = await find(mark, outsider);
  expect(found).toHaveLength(2);
  expect(JSON.stringify(found)).not.toContain(session.id);
  for (const named of [`&workspace=${world.workspaceId}`, `&project=${world.projectId}`]) {
    expect((await search(mark, outsider, named)).status).toBe(403);
    expect(await find(mark, owner, named)).toHaveLength(2);
  }
  expect(await find(mark, owner, `&project=${world.siblingProjectId}`)).toEqual([]);
  expect((await search(mark, owner, `&project=${randomUUID()}`)).status).toBe(404);
  expect((await search("a".repeat(201))).status).toBe(400);
});

test("matches have pages", async () => {
  const first = await search(mark, owner, "&pageSize=1");
  const second = await search(mark, owner, "&pageSize=1&page=2");
  expect(first.body.meta.pagination).toMatchObject({ total: 2, hasMore: true });
  expect([...first.body.data, ...second.body.data].map(({ role }) => role)).toEqual(["assistant", "user"]);
  expect((await search(mark, owner, "&pageSize=100&page=900000")).body.data).toEqual([]);
});

test("what a deleted session said is not found", async () => {
  expect((await owner.delete(session.path)).status).toBe(204);
  await until("the deletion", async () => (await find(mark)).length === 0);
});
