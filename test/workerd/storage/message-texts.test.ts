// The texts that a search in messages finds, and the full-text index that triggers keep the same.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { deletePersonFromRows } from "../../../src/deletion/queries/person.ts";
import { deleteSessionRows } from "../../../src/session/queries/index.ts";
import { findMessages, saveMessageTexts } from "../../../src/session/queries/message-texts.ts";

const run = (sql: string, ...values: unknown[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();

/** Fails if the index has other words than the texts. */
const checkIndex = () => run("INSERT INTO message_index (message_index) VALUES ('integrity-check')");

let sessionId: string;
/** Ids that differ only in case. */
let [workspaceId, other] = ["", ""];
const projectId = crypto.randomUUID();
beforeEach(async () => {
  sessionId = crypto.randomUUID();
  const id = crypto.randomUUID().slice(0, 8);
  [workspaceId, other] = [`ws_${id}X`, `ws_${id}x`];
  await run(
    `INSERT OR IGNORE INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
     VALUES (?1, 'w', 'P', 'acme/app', 'main', 'deployed', '{}', ?1, 0, 0)`,
    projectId,
  );
  await run(
    `INSERT INTO sessions (id, workspace_id, project_id, title, status, priority, target_branch, sandbox_key, is_behind, created_at, updated_at, queue_count)
     VALUES (?1, ?2, ?3, 'Birds', 'active', 'none', 'main', ?1, 0, 0, 0, 0)`,
    sessionId,
    workspaceId,
    projectId,
  );
});

const save = (messageId: string, text: string, id = sessionId) =>
  saveMessageTexts(env.DB, { id, workspaceId, projectId }, [
    { messageId, jobId: "job", role: "user", text, createdAt: 0 },
  ]);
const find = async (words: string, reached = [workspaceId]) =>
  (await findMessages(env.DB, words, { reached, projectIds: [], page: 1, pageSize: 10 })).matches.map(
    ({ messageId }) => messageId,
  );

test("a text is written once, and a later one replaces it", async () => {
  const messageId = crypto.randomUUID();
  for (const text of ["one heron", "one heron", "two herons"]) await save(messageId, text);
  expect([await find("heron"), await find("one"), await find("two")]).toEqual([[messageId], [], [messageId]]);
  await checkIndex();
});

test("a session that is not in its table gets no text, and a deleted one loses them", async () => {
  const [kept, lost] = [crypto.randomUUID(), crypto.randomUUID()];
  expect(await save(kept, "heron")).toBe(true);
  expect(await save(lost, "heron", crypto.randomUUID())).toBe(false);
  expect(await find("heron")).toEqual([kept]);
  await deleteSessionRows(env.DB, sessionId);
  expect(await find("heron")).toEqual([]);
  const left = await env.DB.prepare("SELECT count(*) AS texts FROM message_texts WHERE session_id = ?1")
    .bind(sessionId)
    .first("texts");
  expect(left).toBe(0);
  await checkIndex();
});

test("a workspace whose id differs only in case finds nothing", async () => {
  const messageId = crypto.randomUUID();
  await save(messageId, "heron");
  expect([await find("heron"), await find("heron", [other]), await find("heron", [])]).toEqual([[messageId], [], []]);
  expect(await find("heron", [other, workspaceId])).toEqual([messageId]);
});

test("what only names a deleted person is replaced, and found no longer", async () => {
  const messageId = crypto.randomUUID();
  await save(messageId, "heron@example.com");
  const person = { id: "usr_h", names: [], addresses: ["heron@example.com"], login: null };
  const page = await deletePersonFromRows(env.DB, "message texts", { person, after: 0, limit: 5_000 });
  expect(page.changed).toBe(1);
  expect([await find("heron"), await find("usr_h deleted")]).toEqual([[], [messageId]]);
  await checkIndex();
});
