// Saved work that cannot be restored: callers that wait for the sandbox get the reason, and no
// empty sandbox replaces it.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { createId } from "../../../src/lib/ids.ts";
import { getWorkLayerKey } from "../../../src/storage/objects.ts";
import {
  freshSandbox,
  generation,
  host,
  idle,
  key,
  owner,
  sandbox,
  saveBehindTurn,
  savedWork,
  settled,
  until,
  wakeHalfway,
} from "../support/sandbox-driver.ts";
import { programRefusal } from "../support/scripted-host.ts";

beforeEach(freshSandbox);

const change = () => sandbox().commit(owner, "Change", { name: "Ada", email: "ada@example.test" });

/** A sandbox that has paused with its work saved. */
async function paused(): Promise<void> {
  await sandbox().wakeForPreview(owner);
  await idle();
  await until(async () => host.running.has(key)).toBe(false);
  await until(async () => (await sandbox().status()).state).toBe("paused");
}

test("work of another format version is refused with the program's reason, and is kept", async () => {
  await paused();
  const work = await savedWork();
  const reason = "The archive has format version 3; this version of the sandbox program reads only version 2.";
  host.answerNext("PUT /archive", programRefusal("ARCHIVE_UNREADABLE", reason));
  expect(await change()).toEqual({
    code: "SERVICE_UNAVAILABLE",
    message: `The saved work of this sandbox could not be restored: ${reason}`,
  });
  expect([host.count("PUT /checkout"), await savedWork(), await generation()]).toEqual([1, work, 2]);
  expect(await change()).toEqual({ sha: "c".repeat(40) });
});

test("a preview read after a failed restore returns the reason, and starts nothing", async () => {
  await paused();
  host.answerNext("PUT /archive", programRefusal("ARCHIVE_UNREADABLE", "It is broken."));
  expect(await sandbox().wakeForPreview(owner)).toBe("starting");
  await until(async () => (await sandbox().status()).state).toBe("paused");
  await settled();
  expect(await sandbox().wakeForPreview(owner)).toMatchObject({
    code: "SERVICE_UNAVAILABLE",
    message: expect.stringContaining("It is broken."),
  });
  expect(await generation()).toBe(2);
});

test("work whose prebuild is missing from the store is an error with a reason", async () => {
  await paused();
  host.answerNext("PUT /archive", () => Response.json({ baseId: "a-base" }));
  expect(await change()).toMatchObject({
    code: "SERVICE_UNAVAILABLE",
    message: expect.stringContaining("missing from storage"),
  });
  expect([host.count("PUT /checkout"), host.count("PUT /archive/base")]).toEqual([1, 0]);
});

describe("a save that is missing from the store", () => {
  const put = (at: number, content: string) => env.STORE.put(getWorkLayerKey(key, createId(at)), content);
  beforeEach(async () => {
    await paused();
    await env.STORE.delete(await savedWork());
    await put(Date.now() - 60_000, "older");
  });

  test("is replaced by the newest one after it, as in a backup that was made during a save", async () => {
    await put(Date.now() + 60_000, "newer");
    await put(Date.now() + 120_000, "newest");
    expect(await change()).toEqual({ sha: "c".repeat(40) });
    expect(host.running.get(key)?.restored).toBe("newest");
  });

  test("is not replaced by an older one", async () => {
    expect(await change()).toMatchObject({ message: expect.stringContaining("missing from storage") });
  });
});

test("work is restored before the prebuild that it needs", async () => {
  await paused();
  await env.STORE.put(`bases/${owner.projectId}/a-base.layer`, "the base");
  host.answerNext("PUT /archive", () => Response.json({ baseId: "a-base" }));
  expect(await change()).toEqual({ sha: "c".repeat(40) });
  const calls = host.happened.filter((call) => /^PUT \/(archive|checkout)/.test(call));
  expect(calls).toEqual(["PUT /checkout", "PUT /archive", "PUT /archive/base", "PUT /checkout"]);
});

test("files that services write until their end are saved: they are stopped before a pause, and the work is saved again", async () => {
  await sandbox().wakeForPreview(owner);
  const before = host.happened.length;
  host.answerNext("GET /archive", () => new Response("while services ran"));
  host.answerNext("GET /archive", () => new Response("after their end"));
  await idle();
  await until(async () => (await sandbox().status()).state).toBe("paused");
  const [work = "", ...others] = await savedWork();
  expect(await (await env.STORE.get(work))?.text()).toBe("after their end");
  expect(others).toEqual([]);
  const calls = host.happened.slice(before).filter((call) => !/^look |^GET \/git\//.test(call));
  expect(calls.slice(0, 4)).toEqual(["GET /archive", "PUT /services", "GET /archive", `stop ${key}`]);
});

test("a pause of a sandbox that is unchanged since its last save keeps that save", async () => {
  await sandbox().wakeForPreview(owner);
  await saveBehindTurn();
  await settled();
  const work = await savedWork();
  const unchanged = () => new Response(null, { status: 304 });
  host.answerNext("GET /archive", unchanged, unchanged);
  await idle();
  await until(async () => (await sandbox().status()).state).toBe("paused");
  expect(await savedWork()).toEqual(work);
  expect(await change()).toEqual({ sha: "c".repeat(40) });
  expect(host.running.get(key)?.restored).toMatch(/^work of /);
});

test("a sandbox without a save is saved before its pause, whatever the program says", async () => {
  await sandbox().wakeForPreview(owner);
  host.answerNext("GET /archive", () => new Response(null, { status: 304 }));
  await idle();
  await until(async () => (await sandbox().status()).state).toBe("paused");
  expect(await savedWork()).toHaveLength(1);
});

test("work on another prebuild than the registered one is restored on its own", async () => {
  await paused();
  await env.STORE.put(`bases/${owner.projectId}/registered.layer`, "registered");
  await env.DB.prepare("INSERT INTO base_users (sandbox_key, base_id) VALUES (?1, 'registered')").bind(key).run();
  host.answerNext("PUT /archive", () => Response.json({ baseId: "its-own" }));
  expect(await change()).toMatchObject({ message: expect.stringContaining("missing from storage") });
  await env.STORE.put(`bases/${owner.projectId}/its-own.layer`, "its own");
  host.answerNext("PUT /archive", () => Response.json({ baseId: "its-own" }));
  expect(await change()).toEqual({ sha: "c".repeat(40) });
  expect(host.count("PUT /archive/base")).toBe(1);
});

test("an interrupted save does not replace the previous one, and is repeated", async () => {
  await sandbox().wakeForPreview(owner);
  await saveBehindTurn();
  const work = await savedWork();
  const cutOff = () =>
    new ReadableStream({
      start(stream) {
        stream.enqueue(new Uint8Array(9 * 1_024 * 1_024));
        stream.error(new Error("the sandbox is gone"));
      },
    });
  host.answerNext("GET /archive", () => new Response(cutOff()));
  const before = host.count("GET /archive");
  await change();
  await until(async () => host.count("GET /archive")).toBe(before + 1);
  expect(await savedWork()).toEqual(work);
  await until(async () => (await savedWork()).some((saved) => !work.includes(saved))).toBe(true);
  await until(savedWork).toHaveLength(1);
});

describe("before its host ends", () => {
  const fail = () => programRefusal("ARCHIVE_UNREADABLE", "The disk is full.")();

  test("a running sandbox is saved", async () => {
    await sandbox().wakeForPreview(owner);
    expect(await sandbox().saveWork()).toBe(true);
    expect(await savedWork()).toHaveLength(1);
  });

  test("a sandbox whose save fails has unsaved work", async () => {
    await sandbox().wakeForPreview(owner);
    host.answerNext("GET /archive", fail);
    expect(await sandbox().saveWork()).toBe(false);
    expect(await savedWork()).toEqual([]);
  });

  test("a sandbox whose pause has failed has unsaved work, and one that is paused has none", async () => {
    await sandbox().wakeForPreview(owner);
    host.answerNext("GET /archive", fail, fail);
    await idle();
    expect(await sandbox().saveWork()).toBe(false);
    await until(async () => (await sandbox().status()).state).toBe("paused");
    expect(await sandbox().saveWork()).toBe(true);
  });

  test("a sandbox that is starting may have unsaved work of an earlier host", async () => {
    const { woken, goOn } = await wakeHalfway();
    expect(await sandbox().saveWork()).toBe(false);
    goOn();
    await woken;
  });
});

test("work that was saved but never used is deleted by the next save", async () => {
  await sandbox().wakeForPreview(owner);
  await saveBehindTurn();
  await env.STORE.put(getWorkLayerKey(key, createId(Date.now() - 60_000)), "by an object that died");
  const before = await savedWork();
  await change();
  await until(async () => (await savedWork()).some((saved) => before.includes(saved))).toBe(false);
  expect(await savedWork()).toHaveLength(1);
});

describe("a program that restarts empty, with its secret", () => {
  beforeEach(async () => {
    await sandbox().wakeForPreview(owner);
    await until(async () => (await sandbox().status()).state).toBe("running");
    await saveBehindTurn();
    host.replace(key);
  });

  test("counts as a sandbox that is lost: the change is made in the restored work", async () => {
    const [work] = await savedWork();
    expect(await change()).toEqual({ sha: "c".repeat(40) });
    expect(await generation()).toBe(2);
    expect(host.count("PUT /archive")).toBe(1);
    expect(host.running.get(key)?.restored).toMatch(/^work of /);
    expect(await savedWork()).toContain(work);
  });

  test("is not saved over the old work when it goes idle", async () => {
    const work = await savedWork();
    await idle();
    await until(async () => (await sandbox().status()).state).toBe("paused");
    await settled();
    expect(await savedWork()).toEqual(work);
  });
});
