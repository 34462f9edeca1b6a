// Sandboxes after a deployment: their program is an earlier one. A turn continues to its end; then
// the work is saved, and the next wake starts the current program.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { earlierImageRefusal } from "../../../durable-objects/sandbox/program-calls.ts";
import { protocolVersion } from "../../../src/sandbox/rules/program-version.ts";
import {
  freshSandbox,
  generation,
  holdFor,
  host,
  key,
  owner,
  sandbox,
  savedWork,
  settled,
  turnRequest,
  until,
} from "../support/sandbox-driver.ts";

beforeEach(async () => {
  await freshSandbox();
  await sandbox().wakeForPreview(owner);
  await settled();
});

/** Makes the object believe that its sandbox was started by an earlier or a later version. */
const startedWith = (program: string, protocol: number) =>
  runInDurableObject(
    sandbox(),
    (_, { storage }) => void storage.sql.exec("UPDATE sandbox SET program = ?, protocol = ?", program, protocol),
  );
const state = async () => (await sandbox().status()).state;
const commit = () => sandbox().commit(owner, "Change", { name: "Ada", email: "ada@example.test" });
/** What happened to the program, in order: `GET /archive` saves, `PUT /archive` restores. */
const fates = () => host.happened.filter((what) => /archive|^start|^stop/.test(what));

test("a sandbox with the current program is not retired", async () => {
  await sandbox().checkLife();
  expect([await state(), fates().filter((what) => what === "GET /archive")]).toEqual(["running", []]);
});

test.each([
  ["of an earlier build", "earlier", protocolVersion],
  ["of an earlier protocol", env.SANDBOX_PROGRAM, protocolVersion - 1],
])("an idle sandbox with a program %s is saved and ended, and wakes with the current one", async (_, program, told) => {
  await startedWith(program, told);
  await sandbox().checkLife();
  await until(state).toBe("paused");
  const before = host.happened.length;
  expect(await commit()).toEqual({ sha: "c".repeat(40) });
  expect(host.happened.slice(before)).toContain("PUT /archive");
  await settled();
  await sandbox().checkLife();
  expect([await state(), await generation()]).toEqual(["running", 2]);
});

test("a turn continues to its end; its work and its changes are saved, and only then the program ends", async () => {
  await startedWith("earlier", protocolVersion);
  await holdFor(owner.id, "turn-1");
  await sandbox().checkLife();
  expect([await state(), await savedWork()]).toEqual(["running", []]);
  const before = host.happened.length;
  await sandbox().release("turn-1");
  await until(state).toBe("paused");
  const calls = host.happened.slice(before).filter((call) => /archive|changes|stop/.test(call));
  expect(calls.slice(0, 2)).toEqual(["GET /archive", "GET /git/changes"]);
  expect(calls.indexOf(`stop ${key}`)).toBeGreaterThan(1);
  expect(await savedWork()).toHaveLength(1);
});

test("a running call is not cut off", async () => {
  await startedWith("earlier", protocolVersion);
  let isDone = false;
  host.answerNext("POST /git/commit", async () => {
    while (!isDone) await scheduler.wait(5);
    return Response.json({ sha: "d".repeat(40) });
  });
  const committing = commit();
  await until(async () => host.count("POST /git/commit")).toBe(1);
  await sandbox().checkLife();
  expect(await state()).toBe("running");
  isDone = true;
  expect(await committing).toEqual({ sha: "d".repeat(40) });
  await until(state).toBe("paused");
});

describe("a program that is not understood", () => {
  const later = protocolVersion + 1;

  test("is replaced before a call: only its work is requested", async () => {
    await startedWith("later", later);
    const before = host.happened.length;
    expect(await commit()).toEqual({ sha: "c".repeat(40) });
    const calls = host.happened.slice(before).filter((call) => !call.startsWith("look "));
    const restored = calls.indexOf("PUT /archive");
    expect(calls.slice(0, 4)).toEqual(["GET /archive", "PUT /services", "GET /archive", `stop ${key}`]);
    expect(calls.indexOf("POST /git/commit")).toBeGreaterThan(restored);
  });

  test("lets its turn end, and is then saved and replaced: until then calls are refused with the reason", async () => {
    await startedWith("later", later);
    await holdFor(owner.id, "turn-1");
    const reason = expect.stringMatching(/another version of the service, and is replaced once its turn is over/);
    expect(await commit()).toEqual({ code: "SERVICE_UNAVAILABLE", message: reason });
    expect(await sandbox().readFile("a.txt", "asleep")).toEqual({ code: "SERVICE_UNAVAILABLE", message: reason });
    // Another turn is repeated until the first is over.
    const next = { ...turnRequest, turnId: "turn-2" };
    expect(
      await sandbox()
        .startTurn(next)
        .catch(() => "tried again"),
    ).toBe("tried again");
    expect(await sandbox().stopTurn("turn-1")).toBe(true);
    expect([host.count("POST /git/commit"), host.count("POST /turns"), await state()]).toEqual([0, 0, "running"]);
    await sandbox().release("turn-1");
    await until(state).toBe("paused");
    expect(await savedWork()).toHaveLength(1);
    expect(await commit()).toEqual({ sha: "c".repeat(40) });
  });

  test("is ended again at a start, which continues once the platform has the current image", async () => {
    await startedWith("earlier", protocolVersion);
    await sandbox().checkLife();
    await until(state).toBe("paused");
    host.protocolVersion = 0;
    const woken = commit();
    await until(async () => host.count(`start ${key}`)).toBe(2);
    await until(async () => host.count(`stop ${key}`) > 2).toBe(true);
    expect(host.count("PUT /archive")).toBe(0);
    host.protocolVersion = protocolVersion;
    expect(await woken).toEqual({ sha: "c".repeat(40) });
    expect(host.count("PUT /archive")).toBe(1);
  });

  test("fails the start with the reason if the platform starts no other, and the work stays", async () => {
    await startedWith("earlier", protocolVersion);
    await sandbox().checkLife();
    await until(state).toBe("paused");
    const work = await savedWork();
    host.protocolVersion = later;
    expect(await commit()).toEqual(earlierImageRefusal);
    await until(async () => host.running.has(key)).toBe(false);
    expect([await state(), await savedWork(), host.count("PUT /archive")]).toEqual(["paused", work, 0]);
  });
});
