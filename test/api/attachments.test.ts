// Attachments: a message lists the files that were sent with it. Members and the turn's sandbox
// read them unchanged.
import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TurnOwner } from "../../src/chat/rules/chat.ts";
import { issueToken } from "../../src/sandbox/token.ts";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { readSigningKeys } from "../support/world-secrets.ts";

const world = apiWorld();
const owner = createClient(world);

interface Listed {
  id: string;
  name: string;
  mediaType: string;
  byteSize: number;
  path: string;
}

let session: { id: string; path: string };
let turnId: string;
beforeAll(async () => {
  session = await owner.createSession({ title: "Attachments" });
  const sent = await owner.send(session.path, script({ sleep: 600_000 }, { say: "never" }));
  turnId = sent.body.data.chatJobId;
  await owner.jobUntil(session.path, turnId, ["running"]);
});
afterAll(() => owner.post(`${session.path}/jobs/chat/${turnId}/cancel`));

async function sendFiles(files: File[], content = "See the files.", to = session.path): Promise<Response> {
  const form = new FormData();
  form.set("content", content);
  form.set("attachmentCount", String(files.length));
  for (const [place, file] of files.entries()) form.set(`attachment_${place}`, file);
  const headers = { authorization: `Bearer ${world.users.owner.apiKey}` };
  return await fetch(`${world.baseUrl}${to}/jobs/chat`, { method: "POST", headers, body: form });
}

/** Sends files to the session, whose turn runs, and returns how the queued message lists them. */
async function queueFiles(files: File[]): Promise<Listed[]> {
  const { data } = (await (await sendFiles(files)).json()) as { data: { queuedMessageId: string } };
  const { messages } = await owner.upNext(session.path);
  const waiting = messages.find(({ id }) => id === data.queuedMessageId) as { attachments?: Listed[] } | undefined;
  return waiting?.attachments ?? [];
}

const read = (path: string, key = world.users.owner.apiKey) =>
  fetch(world.baseUrl + path, { headers: { authorization: `Bearer ${key}` } });

describe("a file of a message", () => {
  const bytes = randomBytes(70_000);
  let sent: { path: string; jobId: string };
  let listed: Listed[];

  beforeAll(async () => {
    const { path } = await owner.createSession({ title: "One file" });
    const files = [new File([bytes], "größe (1).html", { type: "text/html" }), new File([], "empty", { type: "" })];
    const answer = (await (await sendFiles(files, script({ say: "Seen." }), path)).json()) as {
      data: { chatJobId: string };
    };
    sent = { path, jobId: answer.data.chatJobId };
    await owner.jobUntil(path, sent.jobId);
    listed = (await owner.messages(path))[0].attachments;
  });

  test("is listed with it", () => {
    expect(listed).toEqual([
      {
        id: expect.any(String),
        name: "größe (1).html",
        mediaType: "text/html",
        byteSize: 70_000,
        path: expect.stringContaining(`${sent.path}/attachments/`),
      },
      expect.objectContaining({ name: "empty", mediaType: "application/octet-stream", byteSize: 0 }),
    ]);
  });

  test("is downloaded unchanged, and no browser shows it as a page of the service", async () => {
    const answer = await read(listed[0]?.path ?? "");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html");
    expect(answer.headers.get("content-disposition")).toBe(
      "attachment; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%281%29.html",
    );
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(bytes.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
    expect((await (await read(listed[1]?.path ?? "")).arrayBuffer()).byteLength).toBe(0);
  });

  test("can be read by every member, only through its own session", async () => {
    const [{ id, path } = { id: "", path: "" }] = listed;
    expect((await read(path, world.users.member.apiKey)).status).toBe(200);
    expect((await read(path, world.users.outsider.apiKey)).status).toBe(403);
    expect((await read(path, "svc_key_nobody")).status).toBe(401);
    expect((await read(`${session.path}/attachments/${id}`)).status).toBe(404);
    expect((await read(`${sent.path}/attachments/${randomUUID()}`)).status).toBe(404);
  });
});

test("ten files of 10 MiB arrive complete", async () => {
  const contents = Array.from({ length: 10 }, () => randomBytes(10_485_760));
  const listed = await queueFiles(contents.map((content, place) => new File([content], `${place}.bin`)));
  expect(listed.map(({ name, byteSize }) => [name, byteSize])).toEqual(
    contents.map((_, place) => [`${place}.bin`, 10_485_760]),
  );
  for (const [place, content] of contents.entries()) {
    const bytes = Buffer.from(await (await read(listed[place]?.path ?? "")).arrayBuffer());
    expect(content.equals(bytes)).toBe(true);
  }
});

test("the sandbox of a running turn reads only the files of its session", async () => {
  const { path } = await owner.createSession({ title: "Another" });
  await sendFiles([new File(["theirs"], "theirs.txt")], script({ say: "Seen." }), path);
  const [theirs] = (await owner.messages(path))[0].attachments as Listed[];
  const [ours] = await queueFiles([new File(["ours"], "ours.txt")]);
  const { projectId, workspaceId } = world;
  const of: TurnOwner = { type: "session", id: session.id };
  const sandboxKey = await owner.getSandboxKey(session.id);
  const token = await issueToken(
    readSigningKeys(world),
    { workspaceId, projectId, sandboxKey, owner: of, turnId, git: "push", branch: "b", generation: 1 },
    Date.now() + 60_000,
  );
  const mine = await read(`/internal/attachments/${ours?.id}`, token);
  expect([mine.status, await mine.text()]).toEqual([200, "ours"]);
  expect((await read(`/internal/attachments/${theirs?.id}`, token)).status).toBe(404);
});

describe("an edit of a waiting message by a form keeps the files that it names", () => {
  const names = ["a.txt", "b.txt", "c.txt"];
  test.each<[string, (ids: string[]) => string[], string[]]>([
    ["each in a field of its own", ([a = "", , c = ""]) => [a, c], ["a.txt", "c.txt"]],
    ["one in its field", ([, b = ""]) => [b], ["b.txt"]],
    ["all in one field, as JSON", ([a, b]) => [JSON.stringify([a, b])], ["a.txt", "b.txt"]],
    ["none, as JSON", () => ["[]"], []],
    ["the field left out", () => [], names],
  ])("%s", async (_, createFields, kept) => {
    const sent = await sendFiles(names.map((name) => new File([name], name)));
    const { queuedMessageId } = ((await sent.json()) as { data: { queuedMessageId: string } }).data;
    const waiting = async () => {
      const { messages } = await owner.upNext(session.path);
      return (messages as unknown as { id: string; attachments: Listed[] }[]).find(({ id }) => id === queuedMessageId);
    };
    const form = new FormData();
    form.set("attachmentCount", "0");
    form.set("content", "Edited.");
    for (const value of createFields((await waiting())?.attachments.map(({ id }) => id) ?? []))
      form.append("retainedAttachmentIds", value);
    const path = `${session.path}/queue/${queuedMessageId}`;
    const headers = { authorization: `Bearer ${world.users.owner.apiKey}` };
    expect((await fetch(world.baseUrl + path, { method: "PATCH", headers, body: form })).status).toBe(204);
    expect((await waiting())?.attachments.map(({ name }) => name)).toEqual(kept);
    await owner.delete(path);
  });

  test.each([["[1"], ["nothing"], ["[]", "[]"]])("and refuses %s", async (...values) => {
    const [listed] = await queueFiles([new File(["a"], "a.txt")]);
    const { messages } = await owner.upNext(session.path);
    const path = `${session.path}/queue/${messages.at(-1)?.id}`;
    const form = new FormData();
    form.set("attachmentCount", "0");
    for (const value of values) form.append("retainedAttachmentIds", value);
    const headers = { authorization: `Bearer ${world.users.owner.apiKey}` };
    const answer = await fetch(world.baseUrl + path, { method: "PATCH", headers, body: form });
    expect([answer.status, await answer.text(), listed?.name]).toEqual([
      ...[400, expect.stringContaining("retainedAttachmentIds"), "a.txt"],
    ]);
    await owner.delete(path);
  });
});
