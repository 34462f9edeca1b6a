// The quota of a workspace as its members and agents see it: what is stored, what is refused in a
// full workspace, and what frees space.
import { afterEach, expect, test } from "vitest";
import { plans } from "../../src/workspace/rules/billing-plan.ts";
import { apiWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const owner = createClient(world);
const { sql, storedKeys } = createInside(world);
const maxBytes = plans.team.maxStorageBytes;
const full =
  /^The workspace stores 200 GiB of the 200 GiB that its plan allows, .* Delete sessions, crons or Prototypes/;

const storage = async () => (await owner.get(`/api/organizations/${world.workspaceId}`)).body.data.storage;

/**
 * Room for nothing, also once the work of sessions that other tests have deleted is deleted, too.
 */
const noRoom = -(2 ** 20);

/** Leaves room for this many bytes besides what is stored. */
async function fill(room: number): Promise<void> {
  const { usedBytes } = await storage();
  const bytes = maxBytes - room - usedBytes;
  await sql("INSERT INTO stored_objects (key, workspace_id, bytes) VALUES ('fill', ?1, ?2)", world.workspaceId, bytes);
}
const empty = () => sql("DELETE FROM stored_objects WHERE key = 'fill'");
afterEach(empty);

/** The rows of stored objects in a folder. */
const counted = (folder: string) =>
  sql("SELECT key, bytes FROM stored_objects WHERE substr(key, 1, length(?1)) = ?1", folder);

async function sendFile(path: string, bytes: number) {
  const form = new FormData();
  form.set("content", "See the file.");
  form.set("attachmentCount", "1");
  form.set("attachment_0", new File([new Uint8Array(bytes)], "a.bin"));
  const headers = { authorization: `Bearer ${world.users.owner.apiKey}` };
  const response = await fetch(`${world.baseUrl}${path}/jobs/chat`, { method: "POST", headers, body: form });
  // biome-ignore lint/suspicious/noExplicitAny: as bodies of the client.
  return { status: response.status, body: (await response.json()) as any };
}

test("in a full workspace a message with files is refused, and one without is sent", async () => {
  const { id, path } = await owner.createSession({ title: "Full" });
  await fill(noRoom);
  const { status, body } = await sendFile(path, 50_000);
  expect([status, body]).toEqual([
    400,
    expect.objectContaining({ code: "BAD_REQUEST", error: expect.stringMatching(full) }),
  ]);
  expect(body.details).toEqual({ usedBytes: expect.any(Number), maxBytes });
  expect(await owner.messages(path)).toEqual([]);
  expect([await storedKeys(`sessions/${id}/`), await counted(`sessions/${id}/`)]).toEqual([[], []]);
  expect((await owner.run(path, { say: "Here." })).status).toBe("completed");
});

test("a session's files count to the byte, and its deletion frees them", async () => {
  const before = await storage();
  expect(before).toEqual({ usedBytes: expect.any(Number), maxBytes });
  const { id, path } = await owner.createSession({ title: "Counted" });
  const sent = await sendFile(path, 50_000);
  expect(sent.status).toBe(201);
  await owner.jobUntil(path, sent.body.data.chatJobId);
  expect(await counted(`sessions/${id}/attachments/`)).toEqual([{ key: expect.any(String), bytes: 50_000 }]);
  expect((await owner.delete(path)).status).toBe(204);
  await expect.poll(() => counted(`sessions/${id}/`)).toEqual([]);
});

test("an agent's artifact is refused with a message, and its turn continues", async () => {
  const { id, path } = await owner.createSession({ title: "Artifact" });
  await fill(noRoom);
  const content = "x".repeat(1_000);
  const job = await owner.run(
    path,
    { artifact: { slug: "a", title: "A", kind: "markdown", content } },
    { say: "It did not fit." },
  );
  expect(job.status).toBe("completed");
  const [tool] = (await owner.listBlocks(path, job.id)).filter(({ type }) => type === "tool");
  expect(String(tool?.output)).toMatch(/The artifact was not written: The workspace stores 200 GiB of the 200 GiB/);
  expect((await owner.get(`${path}/artifacts`)).body.data.artifacts).toEqual([]);
  expect(await storedKeys(`sessions/${id}/artifacts/`)).toEqual([]);
  await empty();
  await owner.run(path, { artifact: { slug: "a", title: "A", kind: "markdown", content } }, { say: "Now it does." });
  expect((await owner.get(`${path}/artifacts`)).body.data.artifacts).toHaveLength(1);
});

test("a Prototype is refused in a full workspace", async () => {
  await fill(noRoom);
  const variants = [{ name: "calm", title: "Calm", kind: "html", body: "x".repeat(1_000) }];
  const { status, body } = await owner.post(`/api/projects/${world.projectId}/prototypes`, { title: "Y", variants });
  expect([status, body]).toEqual([
    400,
    expect.objectContaining({ code: "BAD_REQUEST", error: expect.stringMatching(full) }),
  ]);
});

test("work of a sandbox is saved in a full workspace, and counts", async () => {
  const { id, path } = await owner.createSession({ title: "Work" });
  await owner.run(path, { write: { path: "a.txt", content: "kept" } }, { say: "done" });
  await fill(0);
  const stopped = await owner.post(`/api/organizations/${world.workspaceId}/stop-sandboxes`, { sessionIds: [id] });
  expect(stopped.body.data.sessions).toEqual([{ sessionId: id, stopped: true }]);
  const [row] = await sql("SELECT sandbox_key FROM sessions WHERE id = ?1", id);
  const folder = `sandboxes/${row?.sandbox_key}/`;
  const [work, ...others] = await counted(folder);
  expect([work?.key, others]).toEqual([folder, []]);
  expect(work?.bytes).toBeGreaterThan(0);
  expect(await storedKeys(folder)).toHaveLength(1);
  expect((await storage()).usedBytes).toBeGreaterThan(maxBytes);
});
