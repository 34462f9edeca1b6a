// Faults around a sandbox: a start that never returns, a program that does not respond, a container
// that is replaced while it works, alarms of an earlier instance, and an object that dies in the
// middle.
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { sandboxReminders } from "../../../src/rules/effect.ts";
import { sandboxHeldWaitMs } from "../../../src/rules/limits.ts";
import { fakeClock } from "../support/faked-clock.ts";
import {
  fireReminders,
  freshSandbox,
  generation,
  host,
  idle,
  key,
  owner,
  sandbox,
  savedWork,
  settled,
  slots,
  triesOfPause,
  turnRequest,
  until,
} from "../support/sandbox-driver.ts";
import { held, programRefusal } from "../support/scripted-host.ts";
import { beginSession } from "../support/session-driver.ts";

beforeEach(freshSandbox);

const never = () => new Promise<Response>(() => undefined);
const state = async () => (await sandbox().status()).state;
const commit = (by = owner) => sandbox().commit(by, "work", { name: "Mia", email: "mia@example.com" });
const committed = { sha: "c".repeat(40) };

const brokeOff = () => new Response("The connection broke.", { status: 502, headers: { "x-sandbox-broken": "1" } });

async function pausedWithWork(): Promise<void> {
  await sandbox().wakeForPreview(owner);
  await sandbox().stopGracefully();
  await until(state).toBe("paused");
}

describe("a start that never returns", () => {
  test.each([
    ["at the process", () => `start ${key}`],
    ["at the checkout", () => "PUT /checkout"],
    ["at the services", () => "PUT /services"],
  ])("%s is aborted with a reason, releases its slot, and can be retried", async (_, call) => {
    host.answerNext(call(), never);
    const waiting = [sandbox().wakeForPreview(owner), sandbox().wakeForPreview(owner)];
    await until(async () => host.count(call())).toBe(1);
    expect(await slots()).toBe(1);
    await fireReminders();
    for (const answer of await Promise.all(waiting)) {
      expect(answer).toMatchObject({
        code: "SERVICE_UNAVAILABLE",
        message: expect.stringMatching(/too long to start/),
      });
    }
    await until(slots).toBe(0);
    await until(async () => host.running.has(key)).toBe(false);
    expect(await sandbox().wakeForPreview(owner)).toBe("running");
    expect([await generation(), await slots()]).toEqual([2, 1]);
  });

  test("fails the waiting turn with that reason", async () => {
    host.answerNext("PUT /checkout", never);
    const outcome = sandbox().startTurn(turnRequest);
    await until(async () => host.count("PUT /checkout")).toBe(1);
    await fireReminders();
    const error = expect.stringMatching(/too long to start/);
    expect(await outcome).toEqual({ taken: false, conversationMissing: false, error });
    await until(slots).toBe(0);
  });

  test("during the restore keeps the saved work", async () => {
    await pausedWithWork();
    const work = await savedWork();
    host.answerNext("PUT /archive", never);
    const answer = commit();
    await until(async () => host.count("PUT /archive")).toBe(1);
    await fireReminders();
    expect(await answer).toMatchObject({ message: expect.stringMatching(/too long to start/) });
    expect([await state(), await savedWork()]).toEqual(["paused", work]);
    expect(await commit()).toEqual(committed);
    expect(host.running.get(key)?.restored).toMatch(/^work of /);
  });
});

describe("a program that disconnects", () => {
  const broken: [string, () => Response][] = [
    ["without an answer", brokeOff],
    [
      "and takes the connection along",
      () => {
        throw new TypeError("Network connection lost.");
      },
    ],
    ["because it has been replaced, and the secret is of the one before", programRefusal("UNAUTHORIZED", "Not mine.")],
  ];

  test.each(broken)("%s: the call reports it, and is not repeated", async (_, answer) => {
    await sandbox().wakeForPreview(owner);
    host.answerNext("POST /git/commit", answer);
    expect(await commit()).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(host.count("POST /git/commit")).toBe(1);
    host.answerNext("GET /files/content", answer);
    expect(await sandbox().readFile("a.txt", "asleep")).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    host.answerNext("GET /git/state", answer);
    expect(await sandbox().readCheckout({ type: "state", base: "main" })).toMatchObject({
      code: "SERVICE_UNAVAILABLE",
    });
    host.answerNext("GET /status", answer);
    expect(await sandbox().status()).toMatchObject({ state: "running", services: null });
    expect([await state(), await generation()]).toEqual(["running", 1]);
  });

  test("during a command is replaced: the command reports it, and the next sandbox does not run it", async () => {
    await sandbox().wakeForPreview(owner);
    const breakOff = held(brokeOff);
    host.answerNext("POST /git/commit", breakOff.answer);
    const answer = commit();
    await until(async () => host.count("POST /git/commit")).toBe(1);
    host.lose(key);
    await sandbox().wakeForPreview(owner);
    breakOff.goOn();
    expect(await answer).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect([host.count("POST /git/commit"), await state(), await generation()]).toEqual([1, "running", 2]);
  });

  test("before it received a command: the next sandbox runs it once", async () => {
    await sandbox().wakeForPreview(owner);
    host.lose(key);
    expect(await commit()).toEqual(committed);
    expect([host.count("POST /git/commit"), await generation()]).toEqual([2, 2]);
  });
});

describe("an alarm of an earlier instance", () => {
  test.each(sandboxReminders)("does not end the current sandbox: %s", async (name) => {
    await pausedWithWork();
    expect(await commit()).toEqual(committed);
    await settled();
    await runInDurableObject(sandbox(), (_, { storage }) => {
      storage.sql.exec("INSERT OR REPLACE INTO reminders (name, at) VALUES (?, 1)", name);
    });
    await runDurableObjectAlarm(sandbox());
    expect([await state(), await generation(), host.running.has(key)]).toEqual(["running", 2, true]);
  });

  test("does not end the current start", async () => {
    await pausedWithWork();
    const restored = held(() => Response.json({ baseId: null }));
    host.answerNext("PUT /archive", restored.answer);
    const answer = commit();
    await until(async () => host.count("PUT /archive")).toBe(1);
    await runInDurableObject(sandbox(), (_, { storage }) => {
      for (const name of ["idle", "pause-overdue"])
        storage.sql.exec("INSERT OR REPLACE INTO reminders (name, at) VALUES (?, 1)", name);
    });
    await runDurableObjectAlarm(sandbox());
    restored.goOn();
    expect(await answer).toEqual(committed);
  });
});

describe("an object that restarts", () => {
  const deaths: [string, string, () => Promise<unknown>, string][] = [
    ["creating", "PUT /checkout", async () => undefined, "running"],
    ["resuming", "PUT /archive", pausedWithWork, "running"],
    ["pausing", "GET /archive", () => sandbox().wakeForPreview(owner), "paused"],
  ];

  test.each(deaths)("while its sandbox is %s continues with its alarm", async (dying, call, prepare, after) => {
    await prepare();
    const before = host.count(call);
    host.answerNext(call, never);
    const started = dying === "pausing" ? sandbox().stopGracefully() : sandbox().wakeForPreview(owner);
    started.catch(() => undefined);
    await until(async () => host.count(call)).toBe(before + 1);
    expect(await state()).toBe(dying);
    await abortAllDurableObjects();
    expect(await runDurableObjectAlarm(sandbox())).toBe(true);
    await until(async () => host.count(call)).toBeGreaterThan(before + 1);
    await until(state).toBe(after);
    await settled();
    expect([host.running.has(key), await slots()]).toEqual(after === "running" ? [true, 1] : [false, 0]);
  });
});

const refused = programRefusal("INTERNAL", "Not now.");

describe("a pause that is still saving", () => {
  async function savingForPause() {
    await sandbox().wakeForPreview(owner);
    const saved = held(() => new Response("saved for the pause"));
    host.answerNext("GET /archive", saved.answer);
    await idle();
    await until(async () => host.count("GET /archive")).toBe(1);
    expect(await state()).toBe("pausing");
    return saved;
  }

  /** Starts the next try of what has failed. Returns the number of saves so far. */
  async function tryAgain(): Promise<number> {
    await runInDurableObject(sandbox(), (_, { storage }) => {
      storage.sql.exec("UPDATE effects SET due_at = 0 WHERE attempts > 0");
    });
    await runDurableObjectAlarm(sandbox());
    return host.count("GET /archive");
  }

  test("is cancelled by a command, which does not wait for it; the sandbox pauses when it is idle again", async () => {
    const { goOn } = await savingForPause();
    expect(await commit()).toEqual(committed);
    expect([await state(), await generation(), host.count(`start ${key}`)]).toEqual(["running", 1, 1]);
    goOn();
    await settled();
    expect([await state(), host.running.has(key)]).toEqual(["running", true]);
    await idle();
    await until(state).toBe("paused");
    expect([host.running.has(key), await slots(), (await savedWork()).length]).toEqual([false, 0, 1]);
  });

  test("and was cancelled has no effect on the next pause: later work is saved", async () => {
    const { goOn } = await savingForPause();
    await commit();
    await sandbox().stopGracefully();
    goOn();
    await until(state).toBe("paused");
    const [work = ""] = await savedWork();
    expect(await (await env.STORE.get(work))?.text()).toMatch(/^work of /);
  });

  test("again, after an earlier try stopped the services, and is cancelled starts them", async () => {
    const service = { name: "web", command: "serve", env: {}, endpoints: [] };
    const setServices = (services: unknown[]) =>
      env.DB.prepare("UPDATE projects SET settings = json_set(settings, '$.services', json(?2)) WHERE id = ?1")
        .bind(owner.projectId, JSON.stringify(services))
        .run();
    await setServices([service]);
    await sandbox().wakeForPreview(owner);
    await setServices([]);
    const again = held(() => new Response("saved for the next try"));
    host.answerNext("GET /archive", () => new Response("saved"), refused, again.answer);
    await idle();
    await until(async () => host.count("GET /archive")).toBeGreaterThan(1);
    await until(() => tryAgain()).toBe(3);
    expect(await commit()).toEqual(committed);
    again.goOn();
    await settled();
    const plans = host.bodies.map((body) => JSON.parse(body)).filter((body) => "services" in body);
    expect(plans.map(({ services, restart }) => [services, restart])).toEqual([
      [[service], false],
      [[], false],
      [[service], false],
    ]);
  });

  /** The work of a session with a turn that is handed to its sandbox. */
  async function createWorks() {
    const driver = await beginSession();
    const of = { ...owner, id: driver.id };
    const turnId = await driver.startTurn(turnRequest.prompt);
    const request = { ...turnRequest, owner: { type: "session", id: driver.id } as const, sandboxOwner: of, turnId };
    await sandbox().wakeForPreview(of);
    return { turn: () => sandbox().startTurn(request), commit: () => commit(of) };
  }

  test.each(["turn", "commit"] as const)("and failed is cancelled by a %s between two tries", async (work) => {
    const works = await createWorks();
    host.answerNext("GET /archive", ...Array.from({ length: 10 }, () => refused));
    await idle();
    await until(triesOfPause).toBeGreaterThan(0);
    expect(await works[work]()).toMatchObject({ turn: { taken: true }, commit: committed }[work]);
    expect([await state(), await generation(), host.count(`start ${key}`)]).toEqual(["running", 1, 1]);
  });

  test("for the second time cannot be cancelled; if that fails, the work that waits for it begins", async () => {
    const works = await createWorks();
    const second = held(refused);
    // The pause may be tried again before the work has seen that it failed.
    const later = Array.from({ length: 10 }, () => refused);
    host.answerNext("GET /archive", () => new Response("saved"), second.answer, ...later);
    await idle();
    await until(async () => host.count("GET /archive")).toBe(2);
    const waiting = [works.turn(), works.commit()];
    expect(await state()).toBe("pausing");
    second.goOn();
    expect(await Promise.all(waiting)).toMatchObject([{ taken: true }, committed]);
    expect([await state(), await generation(), host.count(`start ${key}`)]).toEqual(["running", 1, 1]);
  });

  test("does not delay a preview read: the sandbox wakes after its pause, once for all callers", async () => {
    const { goOn } = await savingForPause();
    expect(await sandbox().wakeForPreview(owner)).toBe("starting");
    expect(await sandbox().wakeForPreview(owner)).toBe("starting");
    expect(await state()).toBe("pausing");
    goOn();
    await until(state).toBe("running");
    expect([await generation(), await slots()]).toEqual([2, 1]);
  });

  test("and takes over five seconds is reported to a preview read, and the sandbox wakes anyway", async () => {
    const { goOn } = await savingForPause();
    const clock = fakeClock();
    try {
      await clock.pass(sandbox(), sandboxHeldWaitMs + 1);
      expect(await sandbox().wakeForPreview(owner)).toBe("held");
    } finally {
      clock.putBack();
    }
    goOn();
    await until(state).toBe("running");
    expect(await generation()).toBe(2);
  });

  test("wakes for no caller from before the sandbox was stopped again", async () => {
    const { goOn } = await savingForPause();
    expect(await sandbox().wakeForPreview(owner)).toBe("starting");
    await sandbox().stopGracefully();
    goOn();
    await until(state).toBe("paused");
    await settled();
    expect([await state(), host.count(`start ${key}`)]).toEqual(["paused", 1]);
  });
});

test("a pause that was aborted while it stopped its sandbox does not affect the next one", async () => {
  await sandbox().wakeForPreview(owner);
  const stopped = held(() => new Response(null, { status: 204 }));
  host.answerNext(`stop ${key}`, stopped.answer);
  const before = host.count(`stop ${key}`);
  await sandbox().stopGracefully();
  await until(async () => host.count(`stop ${key}`)).toBe(before + 1);
  await fireReminders();
  await until(async () => host.running.has(key)).toBe(false);
  expect(await commit()).toEqual(committed);
  stopped.goOn();
  await settled();
  expect([await state(), await generation(), host.running.has(key), await slots()]).toEqual(["running", 2, true, 1]);
});
