// Long outputs of tools: a sandbox stores them while its turn runs, and members read them whole.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TurnOwner } from "../../src/chat/rules/chat.ts";
import { issueToken, type SandboxToken } from "../../src/sandbox/token.ts";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { readSigningKeys } from "../support/world-secrets.ts";

const world = apiWorld();
const owner = createClient(world);
const minute = 60_000;
let session: string;
let living: SandboxToken;

beforeAll(async () => {
  const created = await owner.createSession({
    title: "Outputs",
    content: script({ sleep: 600_000 }, { say: "never" }),
  });
  session = created.path;
  const turnId = created.jobId ?? "";
  await owner.jobUntil(session, turnId, ["running"]);
  const { projectId, workspaceId } = world;
  const sandboxKey = await owner.getSandboxKey(created.id);
  const of: TurnOwner = { type: "session", id: created.id };
  living = { workspaceId, projectId, owner: of, sandboxKey, git: "push", branch: "b", generation: 1, turnId };
});

afterAll(() => owner.post(`${session}/jobs/chat/${living.turnId}/cancel`));

/** Calls an endpoint for sandboxes with a token. */
async function call(
  method: string,
  path: string,
  changes: Partial<SandboxToken> | null = {},
  body: BodyInit | null = null,
) {
  const token = changes && (await issueToken(readSigningKeys(world), { ...living, ...changes }, Date.now() + minute));
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  return await fetch(world.baseUrl + path, { method, headers, body });
}

const keep = (place: string | number, body: BodyInit, changes?: Partial<SandboxToken> | null) =>
  call("PUT", `/internal/outputs/${place}`, changes, body);

async function read(place: string | number, turnId = living.turnId, key = world.users.owner.apiKey, from = session) {
  const headers = { authorization: `Bearer ${key}` };
  return await fetch(`${world.baseUrl}${from}/jobs/chat/${turnId}/outputs/${place}`, { headers });
}

describe("an output that a running turn stores", () => {
  test.each([1, 100_000, 8 * 1024 * 1024 + 5])(
    "of %d bytes is returned complete, as text that no browser runs",
    async (bytes) => {
      const output = `<script>größe</script>${"x".repeat(bytes)}`;
      expect((await keep(bytes, output)).status).toBe(204);
      const answer = await read(bytes);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      expect((await answer.text()) === output).toBe(true);
    },
  );

  test("is replaced by a repeat", async () => {
    await keep(7, "first");
    await keep(7, "second");
    expect(await (await read(7)).text()).toBe("second");
  });

  test("of 26,214,400 bytes is stored, and one with one byte more returns 413 and is not stored", async () => {
    const most = 26_214_400;
    expect((await keep(8, new Uint8Array(most))).status).toBe(204);
    expect((await keep(9, new Uint8Array(most + 1))).status).toBe(413);
    expect((await (await read(8)).arrayBuffer()).byteLength).toBe(most);
    expect((await read(9)).status).toBe(404);
  });

  test("is not found at another index, turn or session, nor by an outsider", async () => {
    await keep(10, "mine");
    const sibling = await owner.createSession({ title: "Sibling" });
    expect((await read(11)).status).toBe(404);
    expect((await read("010")).status).toBe(404);
    expect((await read(10, randomUUID())).status).toBe(404);
    expect((await read(10, living.turnId, world.users.owner.apiKey, sibling.path)).status).toBe(404);
    expect((await read(10, living.turnId, world.users.member.apiKey)).status).toBe(200);
    expect((await read(10, living.turnId, world.users.outsider.apiKey)).status).toBe(403);
  });
});

describe("nothing is stored or returned", () => {
  test.each<[string, Partial<SandboxToken> | null, number]>([
    ["without a token", null, 401],
    ["with a token for git alone", { isForGit: true }, 401],
    ["with a task token", { turnId: null }, 401],
    ["with the token of a turn that never was", { turnId: randomUUID() }, 403],
    ["with the token of an older sandbox", { generation: 0 }, 403],
  ])("%s", async (_, changes, status) => {
    expect((await keep(20, "no", changes)).status).toBe(status);
    expect((await call("GET", `/internal/attachments/${randomUUID()}`, changes)).status).toBe(status);
    expect((await read(20)).status).toBe(404);
  });

  test.each(["-1", "01", "1.5", "a", "..%2F1", "99999999999"])("at the index %s", async (place) => {
    expect((await keep(place, "no")).status).toBe(400);
  });

  test("with an invalid attachment id", async () => {
    for (const id of [randomUUID(), "none"])
      expect((await call("GET", `/internal/attachments/${id}`)).status).toBe(404);
  });
});

test("the output of a tool that its block shows whole is read too", async () => {
  const created = await owner.createSession({
    title: "Short",
    content: script({ bash: "echo short" }, { say: "Done." }),
  });
  await owner.jobUntil(created.path, created.jobId);
  const blocks = await owner.listBlocks(created.path, created.jobId);
  const place = blocks.findIndex(({ type }) => type === "tool");
  const answer = await read(place, created.jobId, world.users.owner.apiKey, created.path);
  expect({ status: answer.status, text: await answer.text() }).toEqual({ status: 200, text: blocks[place]?.output });
  expect((await read(blocks.length, created.jobId, world.users.owner.apiKey, created.path)).status).toBe(404);
});
