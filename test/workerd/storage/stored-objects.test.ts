// The quota of a workspace: what it stores is counted before it is stored and until it is deleted,
// and nothing is stored beyond the plan.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { saveFile } from "../../../src/artifact/bodies.ts";
import { createPrototype, deletePrototype } from "../../../src/artifact/prototypes.ts";
import { recordArtifact, writeTextArtifact } from "../../../src/artifact/write.ts";
import { formBytes, readForm } from "../../../src/http/form.ts";
import { createId } from "../../../src/lib/ids.ts";
import { unconfirmedObjectMs } from "../../../src/rules/limits.ts";
import { isRefusal, type Refusal } from "../../../src/rules/refusal.ts";
import { deleteSkill } from "../../../src/skill/queries.ts";
import type { SkillOwner } from "../../../src/skill/rules/custom-skill.ts";
import { createSkill } from "../../../src/skill/save.ts";
import { createAttachmentStore, deleteAttachments, deleteOwnedObjects } from "../../../src/storage/attachments.ts";
import { type Storage, sweepUnconfirmedObjects } from "../../../src/storage/bodies.ts";
import { saveOutput } from "../../../src/storage/outputs.ts";
import { plans } from "../../../src/workspace/rules/billing-plan.ts";
import { addWorkspaceWith } from "../support/people.ts";

const { maxStorageBytes } = plans.team;
let workspaceId: string;
let projectId: string;
let sessionId: string;

beforeEach(async () => {
  ({ workspaceId } = await addWorkspaceWith({ owner: "owner" }));
  [projectId, sessionId] = [createId(), createId()];
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
       VALUES (?1, ?2, 'P', 'o/r', 'main', 'none', '{}', ?1, 0, 0)`,
    ).bind(projectId, workspaceId),
    env.DB.prepare(
      `INSERT INTO sessions (id, workspace_id, project_id, title, status, priority, target_branch, sandbox_key, is_behind, queue_count, created_at, updated_at)
       VALUES (?1, ?2, ?3, 'T', 'active', 'none', 'main', ?1, 0, 0, 0, 0)`,
    ).bind(sessionId, workspaceId, projectId),
  ]);
});

const owner = () => ({ type: "session" as const, id: sessionId });
const rows = async () =>
  (
    await env.DB.prepare("SELECT key, bytes FROM stored_objects WHERE workspace_id = ?1 AND key NOT LIKE 'fill/%'")
      .bind(workspaceId)
      .all<{ key: string; bytes: number }>()
  ).results;
const used = () =>
  env.DB.prepare("SELECT stored_bytes FROM workspaces WHERE id = ?1").bind(workspaceId).first<number>("stored_bytes");
/** Leaves room for this many bytes. */
const fill = (room: number) =>
  env.DB.prepare("INSERT INTO stored_objects VALUES ('fill/' || ?1, ?1, ?2)")
    .bind(workspaceId, maxStorageBytes - room)
    .run();

async function* of(...pieces: (number | Error)[]): AsyncGenerator<Uint8Array, void> {
  for (const piece of pieces) {
    if (typeof piece !== "number") throw piece;
    yield new Uint8Array(piece);
  }
}

function createFormRequest(...sizes: number[]): Request {
  const form = new FormData();
  form.set("attachmentCount", String(sizes.length));
  for (const [place, size] of sizes.entries()) form.set(`attachment_${place}`, new File([new Uint8Array(size)], "a"));
  return new Request("http://service.test/", { method: "POST", body: form });
}
const readFiles = (request: Request, storage: Storage = env) =>
  readForm(request, {
    store: createAttachmentStore(storage, { owner: owner(), payer: owner(), mostBytes: formBytes }),
    isHashed: false,
  });

const naming = (slug: string) => ({ slug, title: "A", kind: "html" as const });
const origin = () => ({ owner: owner(), writeId: createId(), prototypeId: null });
const write = (slug: string, text: string, storage: Storage = env) =>
  writeTextArtifact(storage, origin(), naming(slug), text);
const output = (mostBytes: number, ...pieces: (number | Error)[]) =>
  saveOutput(env, { owner: owner(), turnId: "turn", place: "0" }, { bytes: of(...pieces), mostBytes });
const variants = [1, 2].map((at) => ({ name: `${at}`, title: "V", kind: "html" as const, body: "x".repeat(at * 100) }));
const skillFiles = [{ path: "SKILL.md", content: "---\nname: look\ndescription: Looks.\n---\nLook." }];
const skill = (of: SkillOwner) => createSkill(env, of, { files: skillFiles, enabled: true }, Date.now());
const ofWorkspace = () => ({ type: "workspace" as const, id: workspaceId });
const sweepLater = () => sweepUnconfirmedObjects(env, Date.now() + 2 * unconfirmedObjectMs);
const deleteSession = () => deleteOwnedObjects(env, owner());

async function writeVideo(mostBytes: number, size: number) {
  const slug = "clip";
  const sent = { bytes: of(size), mostBytes };
  const body = await saveFile(env, { owner: owner(), slug, mediaType: "video/mp4" }, sent);
  if (isRefusal(body)) return body;
  return await recordArtifact(env, {
    ...{ ...origin(), ...body, slug, title: "A", kind: "video", declared: null, mediaType: "video/mp4" },
  });
}

interface Stored {
  store(): Promise<unknown>;
  /** The sizes of the objects, in their order. */
  sizes: number[];
  free(stored: unknown): Promise<unknown>;
}

const kinds: Record<string, Stored> = {
  "the files of a form": {
    store: () => readFiles(createFormRequest(1_000, 0, 20)),
    sizes: [0, 20, 1_000],
    free: deleteSession,
  },
  "a file that is taken out of a message": {
    store: () => readFiles(createFormRequest(1_000)),
    sizes: [1_000],
    free: (form) =>
      deleteAttachments(
        env,
        owner(),
        (form as { attachments: { id: string }[] }).attachments.map(({ id }) => id),
      ),
  },
  "a long output": { store: () => output(3_000, 1_000, 2_000), sizes: [3_000], free: deleteSession },
  "a document": { store: () => write("a", "é".repeat(500)), sizes: [1_000], free: deleteSession },
  "a video that is shorter than it could be": {
    store: () => writeVideo(5_000, 700),
    sizes: [700],
    free: deleteSession,
  },
  "a Prototype": {
    store: () => createPrototype(env, { projectId, createdBy: null, title: "Y", variants }, Date.now()),
    sizes: [100, 200],
    free: (made) => deletePrototype(env, (made as { row: Parameters<typeof deletePrototype>[1] }).row, Date.now()),
  },
  "a skill of the workspace": {
    store: () => skill(ofWorkspace()),
    sizes: [JSON.stringify(skillFiles).length],
    async free(id) {
      await deleteSkill(env.DB, ofWorkspace(), String(id), Date.now());
      await sweepLater();
    },
  },
};

describe.each(Object.entries(kinds))("%s", (_, { store, sizes, free }) => {
  test("counts as long as it is stored, and to the byte", async () => {
    const stored = await store();
    expect(isRefusal(stored)).toBe(false);
    const counted = await rows();
    expect(counted.map(({ bytes }) => bytes).toSorted((one, other) => one - other)).toEqual(sizes);
    for (const { key, bytes } of counted) expect((await env.STORE.head(key))?.size).toBe(bytes);
    expect(await used()).toBe(sizes.reduce((sum, size) => sum + size, 0));
    await free(stored);
    expect([await rows(), await used()]).toEqual([[], 0]);
    for (const { key } of counted) expect(await env.STORE.head(key)).toBeNull();
  });

  test("is refused in a full workspace, with what to do, and leaves nothing", async () => {
    await fill(0);
    const refusal = (await store()) as Refusal;
    expect(refusal).toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringMatching(
        /^The workspace stores 200 GiB of the 200 GiB .* Delete sessions, crons or Prototypes/,
      ),
      details: { usedBytes: maxStorageBytes, maxBytes: maxStorageBytes },
    });
    expect([await rows(), await used()]).toEqual([[], maxStorageBytes]);
    expect((await env.STORE.list({ prefix: `sessions/${sessionId}/` })).objects).toEqual([]);
    const doubts = await env.DB.prepare("SELECT key FROM objects_in_doubt WHERE key LIKE ?1")
      .bind(`%${sessionId}%`)
      .all();
    expect(doubts.results).toEqual([]);
  });
});

test("concurrent uploads store as much as there is room for, and no byte more", async () => {
  await fill(5_000);
  const written = await Promise.all(Array.from({ length: 20 }, (_, at) => write(`a-${at}`, "x".repeat(1_000))));
  expect(written.filter((one) => !isRefusal(one))).toHaveLength(5);
  expect([(await rows()).length, await used()]).toEqual([5, maxStorageBytes]);
});

test("a rewrite counts both bodies until the old one is deleted", async () => {
  await write("a", "x".repeat(1_000));
  await write("a", "x".repeat(300));
  expect([(await rows()).length, await used()]).toEqual([1, 300]);
});

test("skills of a person count to no workspace", async () => {
  await fill(0);
  expect(isRefusal(await skill({ type: "member", id: `usr_${createId()}` }))).toBe(false);
  expect(await rows()).toEqual([]);
});

describe("an interrupted upload", () => {
  const broken = new Error("broken");
  const deaf = (method: "put") => ({
    DB: env.DB,
    STORE: new Proxy(env.STORE, {
      get: (store, name: keyof R2Bucket) =>
        name === method
          ? () => Promise.reject(broken)
          : typeof store[name] === "function"
            ? store[name].bind(store)
            : store[name],
    }),
  });

  test("a form counts no more than was counted before", async () => {
    await expect(async () => await readFiles(createFormRequest(1_000), deaf("put"))).rejects.toThrow("broken");
    expect([await rows(), await used()]).toEqual([[], 0]);
  });

  test("a document counts until the sweep has looked for its body", async () => {
    await expect(async () => await write("a", "x".repeat(1_000), deaf("put"))).rejects.toThrow("broken");
    expect(await used()).toBe(1_000);
    await sweepLater();
    expect([await rows(), await used()]).toEqual([[], 0]);
  });

  test("an output counts nothing, and leaves an earlier one counted", async () => {
    await expect(async () => await output(5_000, 10, broken)).rejects.toThrow("broken");
    expect([await rows(), await used()]).toEqual([[], 0]);
    await output(3_000, 3_000);
    for (const announced of [1, 5_000]) {
      await expect(async () => await output(announced, broken)).rejects.toThrow("broken");
      expect(await used()).toBe(3_000);
    }
  });
});

test("a write for a deleted workspace is counted for none, and refused by no quota", async () => {
  for (const gone of ["members WHERE workspace_id", "workspaces WHERE id"])
    await env.DB.prepare(`DELETE FROM ${gone} = ?1`).bind(workspaceId).run();
  expect(isRefusal(await write("a", "text"))).toBe(false);
  expect(await rows()).toEqual([]);
});
