// A create with files: one call stores them, creates the session and starts its first turn.
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, createdSessions, type Reply, script } from "../support/client.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const owner = createClient(world);
const { sql, storedKeys } = createInside(world);
const content = script({ say: "Seen." });

async function create(session: unknown, files: string[], headers: Record<string, string> = {}) {
  const form = new FormData();
  form.set("session", typeof session === "string" ? session : JSON.stringify(session));
  form.set("attachmentCount", String(files.length));
  for (const [place, text] of files.entries()) form.set(`attachment_${place}`, new File([text], `${place}.txt`));
  const init = { method: "POST", headers: { authorization: `Bearer ${world.users.owner.apiKey}`, ...headers } };
  const response = await fetch(world.baseUrl + owner.sessions, { ...init, body: form });
  const answer: Reply["body"] = await response.json();
  const id: string = answer.data?.session.id ?? "";
  if (id !== "") createdSessions.set(id, world.projectId);
  return { status: response.status, answer, id, path: `${owner.sessions}/${id}` };
}

/** The stored files of a session, and those that its workspace is charged for. */
async function listFiles(id: string) {
  const folder = `sessions/${id}/attachments/`;
  const counted = await sql("SELECT key, bytes FROM stored_objects WHERE substr(key, 1, length(?1)) = ?1", folder);
  return { stored: (await storedKeys(folder)).length, counted: counted.map(({ bytes }) => bytes) };
}

/** Of a size that no other test stores: the row of a form has the size of all of it. */
const rare = "a".repeat(3_333_000);
const countRare = async () =>
  (await sql("SELECT key FROM stored_objects WHERE bytes BETWEEN ?1 AND ?1 + 2000", rare.length)).length;

test("the first message has the files, which are charged and deleted with the session", async () => {
  const { status, answer, id, path } = await create({ content, metadata: { ci: "12" } }, ["one", rare]);
  expect(await countRare()).toBe(1);
  expect([status, answer.data.session.metadata]).toEqual([201, { ci: "12" }]);
  await owner.jobUntil(path, answer.data.chatJobId);
  const [{ content: said, attachments }] = await owner.messages(path);
  expect(said).toBe(content);
  expect(attachments.map(({ name }: { name: string }) => name)).toEqual(["0.txt", "1.txt"]);
  const headers = { authorization: `Bearer ${world.users.member.apiKey}` };
  expect(await (await fetch(world.baseUrl + attachments[1].path, { headers })).text()).toBe(rare);
  expect(await listFiles(id)).toEqual({ stored: 2, counted: [3, rare.length] });
  await owner.delete(path);
  createdSessions.delete(id);
  await expect.poll(() => listFiles(id)).toEqual({ stored: 0, counted: [] });
});

test("a message of files only starts a turn", async () => {
  const { status, answer, path } = await create({ title: "Only a file" }, ["one"]);
  expect([status, answer.data.delivery]).toEqual([201, "job"]);
  await owner.jobUntil(path, answer.data.chatJobId);
});

test("repeats get the first session, and their files are not kept", async () => {
  const key = { "idempotency-key": randomUUID() };
  const answers = await Promise.all(Array.from({ length: 5 }, () => create({ content }, ["one"], key)));
  expect(new Set(answers.map(({ status, id }) => `${status} ${id}`)).size).toBe(1);
  const [{ id, path, answer } = { id: "", path: "", answer: null }] = answers;
  await owner.jobUntil(path, answer.data.chatJobId);
  expect(await create({ content }, ["one"], key)).toMatchObject({ status: 201, id });
  expect(await create({ content }, ["other"], key)).toMatchObject({ status: 409 });
  expect(await listFiles(id)).toEqual({ stored: 1, counted: [3] });
  const [{ attachments }] = await owner.messages(path);
  expect(attachments).toHaveLength(1);
});

test.each<[string, unknown, string]>([
  ["for the Backlog", { prompt: "Later.", status: "backlog" }, "BAD_REQUEST"],
  ["with an unknown field", { content, texts: [] }, "VALIDATION_ERROR"],
  ["that is not JSON", "{", "VALIDATION_ERROR"],
  ["on a model that is unknown", { content, model: "none" }, "VALIDATION_ERROR"],
])("a create %s is refused, and its files are not kept", async (_, session, code) => {
  expect(await create(session, [rare])).toMatchObject({ status: 400, answer: { code } });
  expect(await countRare()).toBe(0);
});
