// How a sandbox object ends its sandbox: with its work saved when the session is over, without a
// trace when it is deleted.
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import {
  freshSandbox,
  generation,
  host,
  key,
  owner,
  sandbox,
  saveBehindTurn,
  savedWork,
  slots,
  until,
  wakeHalfway,
} from "../support/sandbox-driver.ts";
import { held, programRefusal } from "../support/scripted-host.ts";

beforeEach(freshSandbox);

const state = async () => (await sandbox().status()).state;

describe("a gracefully stopped sandbox", () => {
  test("is saved and stopped immediately, and comes back with its work", async () => {
    await sandbox().wakeForPreview(owner);
    const { secret } = host.running.get(key) ?? {};
    await sandbox().stopGracefully();
    await sandbox().stopGracefully();
    await until(state).toBe("paused");
    expect([host.running.has(key), await slots(), (await savedWork()).length]).toEqual([false, 0, 1]);
    await sandbox().wakeForPreview(owner);
    await until(async () => host.running.get(key)?.restored).toBe(`work of ${secret}`);
  });

  test("that is paused or was never started is not woken", async () => {
    await sandbox().stopGracefully();
    expect(await state()).toBe("absent");
    await sandbox().wakeForPreview(owner);
    await sandbox().stopGracefully();
    await until(state).toBe("paused");
    await sandbox().stopGracefully();
    expect([await state(), host.count(`start ${key}`)]).toEqual(["paused", 1]);
  });

  test("that was starting does not run in the end, and waiting callers get the reason", async () => {
    const { woken, goOn } = await wakeHalfway();
    await sandbox().stopGracefully();
    goOn();
    expect(await woken).toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringMatching(/stopped while it was starting/),
    });
    await until(slots).toBe(0);
    expect([await state(), host.running.has(key)]).toEqual(["absent", false]);
  });

  test("is paused even if its object restarted meanwhile", async () => {
    await sandbox().wakeForPreview(owner);
    host.answerNext("GET /archive", programRefusal("INTERNAL", "not yet"));
    await sandbox().stopGracefully();
    await abortAllDurableObjects();
    await until(state).toBe("paused");
    expect([host.running.has(key), await slots(), (await savedWork()).length]).toEqual([false, 0, 1]);
  });
});

describe("the result of a graceful stop", () => {
  const author = { name: "Mia", email: "mia@example.com" };

  /**
   * Retires a sandbox that does not respond to its next call of this kind until `goOn` is called.
   */
  async function retireUpTo(call: string, answer: () => Response) {
    await sandbox().wakeForPreview(owner);
    const goOn = Promise.withResolvers<void>();
    host.answerNext(call, () => goOn.promise.then(answer));
    const before = host.count(call);
    const retired = await sandbox().stopGracefully();
    if (retired === null) throw new Error("there was nothing to retire");
    await until(async () => host.count(call)).toBe(before + 1);
    return { outcome: sandbox().waitUntilStopped(retired), goOn: goOn.resolve };
  }

  test("is known when the pause is done and the slot is free", async () => {
    const { outcome, goOn } = await retireUpTo("GET /archive", () => new Response("work"));
    goOn();
    expect([await outcome, await slots(), await state()]).toEqual([true, 0, "paused"]);
  });

  test("is known for a starting sandbox once its slot is free", async () => {
    const { woken, goOn } = await wakeHalfway();
    const retired = await sandbox().stopGracefully();
    const outcome = sandbox().waitUntilStopped(retired ?? 0);
    goOn();
    await woken;
    expect([await outcome, await slots()]).toEqual([true, 0]);
  });

  test("is false as soon as a use cancels the pause, while its work is still being saved", async () => {
    const { outcome, goOn } = await retireUpTo("GET /archive", () => new Response("work"));
    await sandbox().commit(owner, "work", author);
    expect([await outcome, await state()]).toEqual([false, "running"]);
    goOn();
  });

  test("is reported when the pause is done, even if a later call wakes the sandbox again", async () => {
    const { outcome, goOn } = await retireUpTo("PUT /services", () => new Response(null, { status: 204 }));
    const committed = sandbox().commit(owner, "work", author);
    goOn();
    expect(await outcome).toBe(true);
    expect(await committed).toMatchObject({ sha: expect.any(String) });
    expect([await state(), await generation()]).toEqual(["running", 2]);
  });

  test("is known for a sandbox whose pause fails at first", async () => {
    await sandbox().wakeForPreview(owner);
    host.answerNext("GET /archive", programRefusal("INTERNAL", "not yet"));
    const retired = await sandbox().stopGracefully();
    expect(await sandbox().waitUntilStopped(retired ?? 0)).toBe(true);
    expect(await state()).toBe("paused");
  });

  test("a sandbox that is paused or was never started is not stopped", async () => {
    expect(await sandbox().stopGracefully()).toBeNull();
  });
});

describe("a destroyed sandbox", () => {
  async function expectGone(): Promise<void> {
    await until(state).toBe("gone");
    await until(slots).toBe(0);
    await until(savedWork).toEqual([]);
    expect(host.running.has(key)).toBe(false);
    const starts = host.count(`start ${key}`);
    expect(await sandbox().wakeForPreview(owner)).toMatchObject({ code: "BAD_REQUEST" });
    expect(host.count(`start ${key}`)).toBe(starts);
  }

  test("leaves no process, no slot and no saved work, and is never woken", async () => {
    await sandbox().wakeForPreview(owner);
    await saveBehindTurn();
    await env.STORE.put(`sandboxes/${key}/left-by-a-save-that-was-cut-off.tar.gz`, "work");
    await sandbox().destroy();
    await sandbox().destroy();
    await expectGone();
  });

  test("does not affect the saved work of others", async () => {
    await env.STORE.put("sandboxes/s-another/work.tar.gz", "work");
    await sandbox().wakeForPreview(owner);
    await saveBehindTurn();
    await sandbox().destroy();
    await expectGone();
    expect(await env.STORE.head("sandboxes/s-another/work.tar.gz")).not.toBeNull();
  });

  test("is gone even if it was starting, paused or never started", async () => {
    await sandbox().destroy();
    await expectGone();
  });

  test("that was starting ends, and its start is aborted", async () => {
    const { woken, goOn } = await wakeHalfway();
    await sandbox().destroy();
    goOn();
    expect(await woken).toMatchObject({ code: expect.any(String) });
    await expectGone();
  });

  test("that was paused is deleted with its work", async () => {
    await sandbox().wakeForPreview(owner);
    await sandbox().stopGracefully();
    await until(state).toBe("paused");
    await sandbox().destroy();
    await expectGone();
  });

  test("is deleted with the work that a pause was saving", async () => {
    await sandbox().wakeForPreview(owner);
    const { answer, goOn } = held(() => new Response("late work"));
    host.answerNext("GET /archive", answer);
    await sandbox().stopGracefully();
    await until(async () => host.count("GET /archive")).toBe(1);
    await sandbox().destroy();
    goOn();
    await expectGone();
  });

  test("is gone even if its object restarted meanwhile, or its host did not answer at first", async () => {
    await sandbox().wakeForPreview(owner);
    await saveBehindTurn();
    host.answerNext(`stop ${key}`, () => new Response("not now", { status: 500 }));
    await sandbox().destroy();
    await abortAllDurableObjects();
    await expectGone();
  });
});
