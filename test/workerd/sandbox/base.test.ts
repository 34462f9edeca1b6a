// Prebuilds of a project: made once, stored while any sandbox is based on them, and deleted when
// none is and a newer one exists.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { createId } from "../../../src/lib/ids.ts";
import {
  claimPrebuild,
  findFittingPrebuild,
  findSandboxPrebuild,
  finishPrebuild,
  recordOwnPrebuild,
  recordPrebuildFailure,
  recordPrebuildMove,
  releaseHeldPrebuild,
  releasePrebuild,
  releasePrebuildToRestart,
  retirePrebuild,
  startPrebuild,
} from "../../../src/sandbox/queries/prebuilds.ts";
import { sweepUnusedBases } from "../../../src/sandbox/sweep.ts";
import { getPrebuildLayerKey } from "../../../src/storage/objects.ts";
import { sweepWhole } from "../support/sweep-whole.ts";

const database = env.DB;
let projectId: string;
beforeEach(() => {
  projectId = crypto.randomUUID();
});

const now = Date.now();
const fingerprint = "of this commit";
const recipe = "of these settings";

/** Makes a prebuild in a sandbox; `at` orders it among the project's others. */
async function made(sandboxKey: string, of = fingerprint, at = now): Promise<string> {
  const id = createId(at);
  expect(await startPrebuild(database, id, { projectId, fingerprint: of, recipe }, at)).toBe(true);
  await env.STORE.put(getPrebuildLayerKey(projectId, id), "layer");
  await finishPrebuild(database, id, at);
  expect(await take(sandboxKey, of)).toBe(id);
  return id;
}
/** Uses only a prebuild of that commit, or any with these settings. */
const take = (sandboxKey: string, of = fingerprint, by = "of others") =>
  claimPrebuild(database, sandboxKey, { projectId, fingerprint: of, recipe: by });
const stored = async () => (await env.STORE.list({ prefix: `bases/${projectId}/` })).objects.length;

test("a prebuild is made by one of several sandboxes, and the others use it once it is finished", async () => {
  const ids = Array.from({ length: 5 }, () => createId(now));
  const started = await Promise.all(
    ids.map((id) => startPrebuild(database, id, { projectId, fingerprint, recipe }, now)),
  );
  const [id = "", ...others] = ids.filter((_, index) => started[index]);
  expect(others).toEqual([]);
  expect(await take("s2")).toBeNull();
  expect(await releasePrebuildToRestart(database, "s2", projectId)).toBe(false);
  await finishPrebuild(database, id, now);
  expect(await releasePrebuildToRestart(database, "s2", projectId)).toBe(true);
  expect([await take("s2"), await take("s3", "of another commit")]).toEqual([id, null]);
  expect([await findSandboxPrebuild(database, "s2"), await findSandboxPrebuild(database, "s3")]).toEqual([id, null]);
});

test("a prebuild is stored while a sandbox uses it, and is deleted after the last one if a newer prebuild exists", async () => {
  const old = await made("s1", "old", now - 1_000);
  expect(await take("s2", "old")).toBe(old);
  await sweepWhole(sweepUnusedBases, { DB: env.DB, STORE: env.STORE }, now);
  expect(await stored()).toBe(1);
  const newer = await made("s3", "newer");
  await sweepWhole(sweepUnusedBases, { DB: env.DB, STORE: env.STORE }, now);
  expect([await stored(), await take("s4", "old")]).toEqual([2, null]);
  await releasePrebuild(database, "s1");
  await sweepWhole(sweepUnusedBases, { DB: env.DB, STORE: env.STORE }, now);
  expect(await stored()).toBe(2);
  await releasePrebuild(database, "s2");
  await sweepWhole(sweepUnusedBases, { DB: env.DB, STORE: env.STORE }, now);
  expect((await env.STORE.list({ prefix: `bases/${projectId}/` })).objects.map(({ key }) => key)).toEqual([
    getPrebuildLayerKey(projectId, newer),
  ]);
  await releasePrebuild(database, "s3");
  await sweepWhole(sweepUnusedBases, { DB: env.DB, STORE: env.STORE }, now);
  expect([await stored(), await take("s5", "newer")]).toEqual([1, newer]);
});

test("a prebuild that was never finished or cannot be read is deleted, and another is made", async () => {
  const unfinished = createId(now - 3_600_000);
  await startPrebuild(database, unfinished, { projectId, fingerprint, recipe }, now - 3_600_000);
  await env.STORE.put(getPrebuildLayerKey(projectId, unfinished), "half a layer");
  await sweepWhole(sweepUnusedBases, { DB: env.DB, STORE: env.STORE }, now);
  expect(await stored()).toBe(0);
  await finishPrebuild(database, unfinished, now);
  expect(await take("s1")).toBeNull();

  const unreadable = await made("s2");
  await retirePrebuild(database, unreadable);
  await releasePrebuild(database, "s2");
  await sweepWhole(sweepUnusedBases, { DB: env.DB, STORE: env.STORE }, now);
  expect(await stored()).toBe(0);
  expect(await made("s3")).not.toBe(unreadable);
});

test("a prebuild that cannot be made is not tried again for a day", async () => {
  const begin = (at: number) => startPrebuild(database, createId(at), { projectId, fingerprint, recipe }, at);
  const id = createId(now);
  await startPrebuild(database, id, { projectId, fingerprint, recipe }, now);
  await recordPrebuildFailure(database, id);
  await sweepWhole(sweepUnusedBases, { DB: env.DB, STORE: env.STORE }, now + 23 * 3_600_000);
  expect([await begin(now), await take("s1")]).toEqual([false, null]);
  await sweepWhole(sweepUnusedBases, { DB: env.DB, STORE: env.STORE }, now + 25 * 3_600_000);
  expect(await begin(now)).toBe(true);
});

test("a prebuild that was retired does not block another one with its fingerprint", async () => {
  const old = await made("s1");
  await retirePrebuild(database, old);
  expect(await take("s2")).toBeNull();
  await made("s3");
  expect(await findSandboxPrebuild(database, "s1")).toBe(old);
});

test("the prebuild of a main sandbox is only its own until it goes live, and ends with one that never does", async () => {
  const id = createId(now);
  await recordOwnPrebuild(database, { sandboxKey: "m1", id, projectId, fingerprint, recipe, now });
  await env.STORE.put(getPrebuildLayerKey(projectId, id), "layer");
  expect([await findSandboxPrebuild(database, "m1"), await take("s1")]).toEqual([id, null]);
  await releaseHeldPrebuild(database, "m1").run();
  expect(await take("s1")).toBe(id);
  const second = createId(now);
  await recordOwnPrebuild(database, { sandboxKey: "m2", id: second, projectId, fingerprint, recipe, now });
  // A prebuild with this fingerprint exists, so this one stays its sandbox's own.
  await releaseHeldPrebuild(database, "m2").run();
  expect(await take("s2")).toBe(id);
  await releasePrebuild(database, "m2");
  await env.STORE.put(getPrebuildLayerKey(projectId, second), "layer");
  await sweepWhole(sweepUnusedBases, { DB: env.DB, STORE: env.STORE }, now);
  expect(await stored()).toBe(1);
});

test("a sandbox without a prebuild of its commit uses the newest one with its settings, which stays while it is used", async () => {
  const older = await made("s1", "older", now - 2_000);
  const newer = await made("s2", "newer", now - 1_000);
  expect(await take("s3", "a commit later", recipe)).toBe(newer);
  expect(await take("s4", "older", recipe)).toBe(older);
  expect(await take("s5", "a commit later", "of other settings")).toBeNull();
  expect(await findFittingPrebuild(database, { projectId, fingerprint: "a commit later", recipe })).toEqual({
    id: newer,
    madeAt: now - 1_000,
    clonedAt: now - 1_000,
  });
  await retirePrebuild(database, newer);
  expect(await take("s6", "a commit later", recipe)).toBe(older);
  await releasePrebuild(database, "s2");
  await sweepWhole(sweepUnusedBases, { DB: env.DB, STORE: env.STORE }, now);
  expect(await env.STORE.head(getPrebuildLayerKey(projectId, newer))).not.toBeNull();
});

test("sandboxes that update a prebuild to one commit are counted, each once, and not those that used another commit or started again", async () => {
  const id = await made("s1", "older", now - 1_000);
  const move = async (key: string, commit: string) => {
    await take(key, commit, recipe);
    return await recordPrebuildMove(database, key, commit);
  };
  const alone = { id, madeAt: now - 1_000, clonedAt: now - 1_000, moversHere: 1 };
  expect(await move("s2", "c1")).toEqual(alone);
  expect(await move("s2", "c1")).toEqual(alone);
  expect(await move("s3", "c2")).toEqual(alone);
  expect(await move("s4", "c1")).toEqual({ ...alone, moversHere: 2 });
  await take("s2", "older", recipe);
  expect(await move("s5", "c1")).toEqual({ ...alone, moversHere: 2 });
  expect(await recordPrebuildMove(database, "of nobody", "c1")).toBeNull();
});
