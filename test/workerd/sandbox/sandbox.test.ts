// The sandbox object on a scripted host: one start at a time, the work saved from one sandbox to
// the next, never more than the plan allows.
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { claimSlot } from "../../../src/sandbox/queries/slots.ts";
import {
  fireReminders,
  freshSandbox,
  generation,
  host,
  idle,
  key,
  newKey,
  owner,
  sandbox,
  saveBehindTurn,
  savedWork,
  slotState,
  slots,
  until,
  wakeHalfway,
} from "../support/sandbox-driver.ts";
import { programRefusal } from "../support/scripted-host.ts";

beforeEach(freshSandbox);

const author = { name: "Mia", email: "mia@example.com" };

describe("a wake", () => {
  test("by fifty concurrent callers starts one sandbox", async () => {
    const woken = await Promise.all(Array.from({ length: 50 }, () => sandbox().wakeForPreview(owner)));
    expect(new Set(woken)).toEqual(new Set(["running"]));
    expect(host.count(`start ${key}`)).toBe(1);
    expect(host.count("PUT /checkout")).toBe(1);
    expect(await generation()).toBe(1);
  });

  test("that fails reports the reason to all waiting callers, releases the slot, and can be retried", async () => {
    host.answerNext("PUT /checkout", programRefusal("GIT_REFUSED", "there is no such branch"));
    const woken = await Promise.all(Array.from({ length: 5 }, () => sandbox().wakeForPreview(owner)));
    for (const answer of woken) {
      expect(answer).toMatchObject({ message: "The repository could not be checked out: there is no such branch" });
    }
    await until(slots).toBe(0);
    await until(async () => host.running.has(key)).toBe(false);
    expect(await sandbox().wakeForPreview(owner)).toBe("running");
    expect(await generation()).toBe(2);
  });

  test("that its object did not finish is finished after a restart, with one sandbox", async () => {
    host.answerNext("PUT /checkout", () => new Promise(() => {}));
    const cutOff = sandbox()
      .wakeForPreview(owner)
      .catch(() => "cut off");
    await until(async () => host.count("PUT /checkout")).toBe(1);
    await abortAllDurableObjects();
    expect(await cutOff).toBe("cut off");
    await until(async () => (await sandbox().status()).state).toBe("running");
    expect([host.count(`start ${key}`), await generation()]).toEqual([1, 1]);
  });

  test("of a sandbox that was lost unnoticed starts it again", async () => {
    await sandbox().wakeForPreview(owner);
    host.lose(key);
    expect(await sandbox().commit(owner, "work", author)).toEqual({ sha: "c".repeat(40) });
    expect(await generation()).toBe(2);
    expect(host.running.has(key)).toBe(true);
  });
});

describe("the slot", () => {
  test("is starting, and running before any caller gets the sandbox", async () => {
    const { woken, goOn } = await wakeHalfway();
    expect(await slotState()).toBe("starting");
    goOn();
    expect([await woken, await slotState()]).toEqual(["running", "running"]);
  });

  test("is running for a sandbox whose start was interrupted and continued", async () => {
    const { woken } = await wakeHalfway();
    woken.catch(() => undefined);
    await abortAllDurableObjects();
    expect(await slotState()).toBe("starting");
    await until(async () => (await sandbox().status()).state).toBe("running");
    expect(await slotState()).toBe("running");
  });

  test("of a sandbox that health finds gone is released when health returns", async () => {
    await sandbox().wakeForPreview(owner);
    host.lose(key);
    host.answerNext(`stop ${key}`, async () => {
      await scheduler.wait(100);
      return new Response(null, { status: 204 });
    });
    expect((await sandbox().status()).state).toBe("absent");
    expect(await slotState()).toBeNull();
  });

  test("of a sandbox that was lost is starting when it starts again", async () => {
    await sandbox().wakeForPreview(owner);
    host.lose(key);
    const { woken, goOn } = await wakeHalfway();
    expect(await slotState()).toBe("starting");
    goOn();
    expect([await woken, await slotState(), await slots()]).toEqual(["running", "running", 1]);
  });

  test("that was claimed without a start is released by a status read after a minute", async () => {
    const claimed = (agoMs: number) => claimSlot(env.DB, key, owner, Date.now() - agoMs);
    await claimed(50_000);
    await sandbox().probe();
    expect(await slots()).toBe(1);
    await claimed(61_000);
    await sandbox().probe();
    expect(await slots()).toBe(0);
  });

  test("of a starting or running sandbox is not released by a status read, whatever its age", async () => {
    const { woken, goOn } = await wakeHalfway();
    await env.DB.prepare("UPDATE sandbox_slots SET claimed_at = 0").run();
    await sandbox().probe();
    expect(await slots()).toBe(1);
    goOn();
    await woken;
    await sandbox().probe();
    expect(await slots()).toBe(1);
  });
});

describe("a call that does not wake a sandbox", () => {
  test("reports that it does not run: a file read, a git state, a status read", async () => {
    await sandbox().wakeForPreview(owner);
    host.lose(key);
    expect(await sandbox().readFile("a.txt", "asleep")).toMatchObject({ code: "BAD_REQUEST", message: "asleep" });
    expect(await sandbox().readCheckout({ type: "state", base: "main" })).toEqual({});
    expect(await sandbox().probe()).toEqual({ sandbox: "gone" });
    expect(host.count(`start ${key}`)).toBe(1);
    await until(slots).toBe(0);
  });
});

describe("work", () => {
  test("that was saved after a turn is in the next sandbox", async () => {
    await sandbox().wakeForPreview(owner);
    const { secret } = host.running.get(key) ?? {};
    await saveBehindTurn();
    host.lose(key);
    expect(await sandbox().wakeForPreview(owner)).toMatch(/running|starting/);
    await until(async () => host.running.get(key)?.restored).toBe(`work of ${secret}`);
  });

  test("that is missing from the store is an error with a reason, never a new start", async () => {
    await sandbox().wakeForPreview(owner);
    await saveBehindTurn();
    await env.STORE.delete(await savedWork());
    host.lose(key);
    const answer = await sandbox().commit(owner, "work", author);
    expect(answer).toMatchObject({ message: expect.stringMatching(/saved work .* missing/) });
    expect(host.count("POST /git/commit")).toBe(1);
  });

  test("is stored once: a newer save replaces the older one", async () => {
    await sandbox().wakeForPreview(owner);
    await saveBehindTurn();
    const [first] = await savedWork();
    await saveBehindTurn();
    await until(async () => (await savedWork()).filter((one) => one !== first)).toHaveLength(1);
    await until(savedWork).toHaveLength(1);
  });
});

test("a read of the checkout fetches each base once per generation, and works even if that fails", async () => {
  await sandbox().wakeForPreview(owner);
  const readState = (base: string) => sandbox().readCheckout({ type: "state", base });
  const fetches = () => host.count("POST /git/branch");
  for (const base of ["main", "main", "release", "main"]) await readState(base);
  expect([fetches(), host.count("GET /git/state")]).toEqual([2, 4]);
  host.answerNext("POST /git/branch", programRefusal("GIT_REFUSED", "The remote has no branch gone."));
  for (const base of ["gone", "gone"]) await readState(base);
  expect([fetches(), host.count("GET /git/state")]).toEqual([4, 6]);
});

describe("an idle sandbox", () => {
  test("is saved, stopped and releases its slot, and comes back with its work", async () => {
    await sandbox().wakeForPreview(owner);
    const { secret } = host.running.get(key) ?? {};
    await idle();
    await until(async () => (await sandbox().status()).state).toBe("paused");
    expect([host.running.has(key), await slots()]).toEqual([false, 0]);
    expect(await sandbox().wakeForPreview(owner)).toMatch(/running|starting/);
    await until(async () => host.running.get(key)?.restored).toBe(`work of ${secret}`);
    expect(await generation()).toBe(2);
  });

  test("whose save fails at first is not stopped before it succeeds", async () => {
    await sandbox().wakeForPreview(owner);
    host.answerNext("GET /archive", programRefusal("INTERNAL", "no"));
    await idle();
    expect(host.running.has(key)).toBe(true);
    await until(async () => (await sandbox().status()).state).toBe("paused");
    expect(await savedWork()).toHaveLength(1);
  });
});

describe("a sandbox whose save always fails", () => {
  test("is stopped in the end, and comes back with the work that was saved before", async () => {
    await sandbox().wakeForPreview(owner);
    const { secret } = host.running.get(key) ?? {};
    await saveBehindTurn();
    host.answerNext("GET /archive", ...Array.from({ length: 20 }, () => programRefusal("INTERNAL", "no")));
    await idle();
    expect((await sandbox().status()).state).toBe("pausing");
    await fireReminders();
    await until(async () => host.running.has(key)).toBe(false);
    expect(await sandbox().wakeForPreview(owner)).toMatch(/running|starting/);
    await until(async () => host.running.get(key)?.restored).toBe(`work of ${secret}`);
  });
});

describe("an event of an older generation", () => {
  test("changes nothing", async () => {
    await sandbox().wakeForPreview(owner);
    host.lose(key);
    await sandbox().wakeForPreview(owner);
    await sandbox().discard(1);
    expect(await sandbox().probe()).toMatchObject({ sandbox: "running", sandboxGeneration: 2 });
    await sandbox().discard(2);
    await until(() => sandbox().probe()).toEqual({ sandbox: "gone" });
    await until(async () => host.running.has(key)).toBe(false);
  });
});

describe("the plan's limit", () => {
  test("holds for concurrent wakes, and a refused one gets the reason", async () => {
    let most = 0;
    const keys = Array.from({ length: 12 }, newKey);
    const wakes = keys.map(async (one) => {
      const woken = await sandbox(one).wakeForPreview({ ...owner, workspaceId: "ws_free" });
      most = Math.max(most, keys.filter((other) => host.running.has(other)).length);
      return woken;
    });
    const woken = await Promise.all(wakes);
    expect(woken.filter((answer) => answer === "running")).toHaveLength(3);
    const refusals = woken.filter((answer) => isRefusal(answer));
    expect(refusals).toHaveLength(9);
    for (const refusal of refusals) expect(refusal.message).toMatch(/runs as many sandboxes as its plan allows/);
    expect(most).toBe(3);
    await until(slots).toBe(3);
  });
});
