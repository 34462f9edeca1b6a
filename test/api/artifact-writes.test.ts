// How sandboxes create artifacts: only a running turn may, and each write counts once.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { TurnOwner } from "../../src/chat/rules/chat.ts";
import { issueToken, type SandboxToken } from "../../src/sandbox/token.ts";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { createInside } from "../support/world-inside.ts";
import { readSigningKeys } from "../support/world-secrets.ts";

const world = apiWorld();
const owner = createClient(world);
const inside = createInside(world);
let session: { id: string; path: string };
let living: SandboxToken;
let slug: string;

beforeAll(async () => {
  const created = await owner.createSession({ title: "Writes", content: script({ sleep: 600_000 }, { say: "never" }) });
  session = created;
  const turnId = created.jobId ?? "";
  await owner.jobUntil(session.path, turnId, ["running"]);
  const { projectId, workspaceId } = world;
  const sandboxKey = await owner.getSandboxKey(created.id);
  const of: TurnOwner = { type: "session", id: created.id };
  living = { workspaceId, projectId, owner: of, sandboxKey, git: "push", branch: "b", generation: 1, turnId };
});

afterAll(() => owner.post(`${session.path}/jobs/chat/${living.turnId}/cancel`));

beforeEach(() => {
  slug = `a-${randomUUID()}`;
});

interface Write {
  write?: string;
  kind?: string;
  token?: Partial<SandboxToken> | null;
}

async function put(body: BodyInit, { write = randomUUID(), kind = "markdown", token = {} }: Write = {}) {
  const shown = token && (await issueToken(readSigningKeys(world), { ...living, ...token }, Date.now() + 60_000));
  const query = new URLSearchParams({ write, slug, title: "A", kind });
  const response = await fetch(`${world.baseUrl}/internal/artifacts?${query}`, {
    method: "PUT",
    headers: shown === null ? {} : { authorization: `Bearer ${shown}` },
    body,
  });
  const text = await response.text();
  return { status: response.status, text, version: response.ok ? JSON.parse(text).version : null };
}

/** This many bytes, which begin like a video. */
function film(byteCount: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(byteCount);
  bytes.set(new TextEncoder().encode("\0\0\0 ftypisom"));
  return bytes;
}

async function written() {
  const { artifacts } = (await owner.get(`${session.path}/artifacts`)).body.data;
  return artifacts.filter((row: { slug: string }) => row.slug === slug);
}

const bodyCount = async () => (await inside.storedKeys(`sessions/${session.id}/artifacts/`)).length;
const readBody = async ({ id }: { id: string }) => (await owner.get(`${session.path}/artifacts/${id}`)).body.data.body;

test("ten concurrent writes of one slug make ten versions of one artifact", async () => {
  const before = await bodyCount();
  const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => put(`text ${at}`)));
  expect(answers.map(({ version }) => version).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  const rows = await written();
  expect(rows).toMatchObject([{ version: 10 }]);
  const last = answers.findIndex(({ version }) => version === 10);
  expect(await readBody(rows[0])).toBe(`text ${last}`);
  expect(await bodyCount()).toBe(before + 1);
});

test("a write repeated after a lost response creates no second version", async () => {
  const before = await bodyCount();
  const write = randomUUID();
  const answers = [await put("once", { write }), await put("once", { write })];
  expect(answers.map(({ version }) => version)).toEqual([1, 1]);
  expect(await written()).toMatchObject([{ version: 1 }]);
  expect(await bodyCount()).toBe(before + 1);
});

test("a read during a rewrite returns one of the versions with its own text", async () => {
  await put("text 1");
  const [{ id }] = await written();
  let isWriting = true;
  const writing = (async () => {
    for (let version = 2; version <= 20; version++) await put(`text ${version}`);
    isWriting = false;
  })();
  const seen = new Set<number>();
  while (isWriting) {
    const { status, body } = await owner.get(`${session.path}/artifacts/${id}`);
    expect([status, body.data.body]).toEqual([200, `text ${body.data.version}`]);
    seen.add(body.data.version);
  }
  await writing;
  expect(seen.size).toBeGreaterThan(1);
});

describe("nothing is written", () => {
  test.each<[string, Partial<SandboxToken> | null, number]>([
    ["without a token", null, 401],
    ["with a token for git alone", { isForGit: true }, 401],
    ["with a task token", { turnId: null }, 401],
    ["with the token of a turn that never was", { turnId: randomUUID() }, 403],
    ["with the token of an older sandbox", { generation: 0 }, 403],
  ])("%s", async (_, token, status) => {
    const before = await bodyCount();
    expect((await put("no", { token })).status).toBe(status);
    expect(await written()).toEqual([]);
    expect(await bodyCount()).toBe(before);
  });

  test.each<[string, BodyInit, Write, number]>([
    ["without a body", "", { kind: "image" }, 400],
    ["of no kind", "x", { kind: "pdf" }, 400],
    ["without the id of a write", "x", { write: "1" }, 400],
    ["that is no text in UTF-8", new Uint8Array([0xff, 0xfe, 0xfd]), {}, 400],
    ["that is no image", "text", { kind: "image" }, 400],
    ["of 30 megabytes that are no video", new Uint8Array(30_000_000), { kind: "video" }, 400],
    ["of 2,097,153 bytes of text", "x".repeat(2_097_153), {}, 413],
    ["of 100,000,001 bytes of video", film(100_000_001), { kind: "video" }, 413],
  ])("%s", async (_, body, write, status) => {
    const before = await bodyCount();
    expect((await put(body, write)).status).toBe(status);
    expect(await written()).toEqual([]);
    expect(await bodyCount()).toBe(before);
  });

  test("after its turn was stopped", async () => {
    const other = await owner.createSession({ content: script({ sleep: 600_000 }, { say: "never" }) });
    await owner.jobUntil(other.path, other.jobId, ["running"]);
    const token: Partial<SandboxToken> = { owner: { type: "session", id: other.id }, turnId: other.jobId ?? "" };
    expect((await put("while it runs", { token })).status).toBe(200);
    await owner.post(`${other.path}/jobs/chat/${other.jobId}/cancel`);
    expect((await put("afterwards", { token })).status).toBe(403);
    expect((await owner.get(`${other.path}/artifacts`)).body.data.artifacts).toMatchObject([{ version: 1 }]);
  });

  test("by a turn that is stopped during the upload", async () => {
    const other = await owner.createSession({ content: script({ sleep: 600_000 }, { say: "never" }) });
    await owner.jobUntil(other.path, other.jobId, ["running"]);
    const { promise, resolve: goOn } = Promise.withResolvers<void>();
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode("begun, "));
        await promise;
        controller.enqueue(new TextEncoder().encode("ended"));
        controller.close();
      },
    });
    const token = await issueToken(
      readSigningKeys(world),
      { ...living, owner: { type: "session", id: other.id }, turnId: other.jobId ?? "" },
      Date.now() + 60_000,
    );
    const query = new URLSearchParams({ write: randomUUID(), slug, title: "A", kind: "markdown" });
    const request = { method: "PUT", headers: { authorization: `Bearer ${token}` }, body, duplex: "half" };
    const writing = fetch(`${world.baseUrl}/internal/artifacts?${query}`, request);
    await owner.post(`${other.path}/jobs/chat/${other.jobId}/cancel`);
    goOn();
    expect((await writing).status).toBe(403);
    expect((await owner.get(`${other.path}/artifacts`)).body.data.artifacts).toEqual([]);
    expect(await inside.storedKeys(`sessions/${other.id}/artifacts/`)).toEqual([]);
  });
});

test("exactly 2 MiB of text and 100 MB of video are accepted", async () => {
  expect((await put("x".repeat(2_097_152))).status).toBe(200);
  expect((await put(film(100_000_000), { kind: "video" })).version).toBe(2);
  expect(await written()).toMatchObject([{ kind: "video", version: 2 }]);
});
