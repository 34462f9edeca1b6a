// When an idle sandbox pauses: ten minutes after the last request of its preview, otherwise after a
// tail that its past gives. Never while a browser follows its chat.
import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { findPreviewTarget, type SharedTarget } from "../../../src/preview/queries/targets.ts";
import { readSharedPreview } from "../../../src/preview/view-shared.ts";
import { awayHoldMs, idleBeforePauseMs, shortestTailMs } from "../../../src/rules/limits.ts";
import { getTailMs, type Past } from "../../../src/sandbox/rules/idle-tail.ts";
import { type FakedClock, fakeClock, minuteMs, secondMs } from "../support/faked-clock.ts";
import { openSubscriber } from "../support/live-subscriber.ts";
import {
  freshSandbox,
  generation,
  hold,
  holderFor,
  holdFor,
  host,
  key,
  owner,
  sandbox,
  saveBehindTurn,
  savedWork,
  settled,
  turnRequest,
  until,
  wakeHalfway,
} from "../support/sandbox-driver.ts";
import { beginSession, completed } from "../support/session-driver.ts";

beforeEach(freshSandbox);

let clock: FakedClock;
beforeEach(async () => {
  await sandbox().wakeForPreview(owner);
  clock = fakeClock();
});
afterEach(() => clock.putBack());

const state = async () => (await sandbox().status()).state;
const author = { name: "Mia", email: "mia@example.com" };
const visit = async () => {
  const request = new Request("http://web.preview.test/", { headers: { "x-preview-port": "4000" } });
  await (await sandbox().fetch(request)).text();
};

const uses: [string, number, () => Promise<unknown>][] = [
  ["a file read", idleBeforePauseMs, () => sandbox().readFile("a.txt", "asleep")],
  ["a file write", idleBeforePauseMs, () => sandbox().writeFile({ path: "a.txt", content: "text" }, "asleep")],
  ["a commit", shortestTailMs, () => sandbox().commit(owner, "work", author)],
  ["a push", shortestTailMs, () => sandbox().push(owner, null)],
  ["a preview read", shortestTailMs, () => sandbox().wakeForPreview(owner)],
  ["a preview request", idleBeforePauseMs, visit],
];
/** A wake of the sandbox takes so long, as far as it remembers. */
const small: Past = { wakesMs: [300] };
const large: Past = { wakesMs: [10_000] };
const remember = (past: Past) =>
  runInDurableObject(sandbox(), (_, { storage }) => {
    storage.sql.exec("UPDATE sandbox SET past = ?", JSON.stringify(past));
  });
const readPast = (): Promise<Past> =>
  runInDurableObject(sandbox(), (_, { storage }) =>
    JSON.parse(String(storage.sql.exec("SELECT past FROM sandbox").one().past)),
  );
/** The sandbox belongs to this session, whose chat people follow. */
const belongTo = (sessionId: string) =>
  runInDurableObject(sandbox(), (_, { storage }) => {
    storage.sql.exec("UPDATE sandbox SET owner = json_set(owner, '$.id', ?)", sessionId);
  });

/** They read its status, and are no looks. */
const probes: [string, () => Promise<unknown>][] = [
  ["health", () => sandbox().status()],
  ["the git state", () => sandbox().readCheckout({ type: "state", base: "main" })],
  ["a probe", () => sandbox().probe()],
];

/** A public link to the preview of the sandbox; it is opened by calling it. */
async function publicLink() {
  const { projectId, id: sessionId, branch, baseBranch } = owner;
  const ofProject = await findPreviewTarget(env.DB, projectId, null);
  const session = {
    id: sessionId,
    title: "A test",
    status: "active",
    workspaceId: owner.workspaceId,
    projectId,
    sandboxKey: key,
    branch,
    targetBranch: baseBranch,
  };
  const target = { ...ofProject, session } as SharedTarget;
  const bindings = { ...env, SANDBOX: env.OWN_SANDBOX } as unknown as Env;
  return () => readSharedPreview(bindings, target, { wakes: true, now: clock.now() });
}

/** Opens a WebSocket of the preview. Its service repeats what it receives. */
async function socket() {
  host.answerNext("GET /live", () => {
    const { 0: theirs, 1: service } = new WebSocketPair();
    service.accept();
    service.addEventListener("message", ({ data }) => service.send(`heard ${data}`));
    service.addEventListener("close", ({ code, reason }) => service.close(code, reason));
    return new Response(null, { status: 101, webSocket: theirs, headers: { "sec-websocket-protocol": "live" } });
  });
  const headers = { upgrade: "websocket", "x-preview-port": "4000" };
  const { webSocket, headers: answered } = await sandbox().fetch(
    new Request("http://web.preview.test/live", { headers }),
  );
  if (!webSocket) throw new Error("no WebSocket");
  webSocket.accept();
  const heard: unknown[] = [];
  webSocket.addEventListener("message", ({ data }) => void heard.push(data));
  return {
    protocol: answered.get("sec-websocket-protocol"),
    async say(data: string) {
      const before = heard.length;
      webSocket.send(data);
      await expect.poll(() => heard.slice(before)).toEqual([`heard ${data}`]);
    },
    close: () => webSocket.close(1000),
  };
}

/** How long after now the sandbox starts to pause. */
async function idleTime(): Promise<number> {
  const from = clock.now();
  for (let looked = 0; (await state()) === "running"; looked++) {
    if (looked === 20) throw new Error("the sandbox does not pause");
    await clock.passToAlarm(sandbox());
  }
  return clock.now() - from;
}

async function expectIdleTime(expectedMs: number): Promise<void> {
  const idleMs = await idleTime();
  expect(idleMs).toBeGreaterThanOrEqual(expectedMs);
  expect(idleMs).toBeLessThanOrEqual(expectedMs + 2 * secondMs);
}

describe("a browser that follows the chat", () => {
  async function follow() {
    const session = await beginSession();
    await belongTo(session.id);
    await remember(small);
    const reader = await openSubscriber(session.session(), null, null, null, true, false, "usr_mia");
    await reader.catchUp();
    return { session, reader };
  }

  test("keeps the sandbox up for as long as its page is in front, and a tail longer", async () => {
    const { session, reader } = await follow();
    await clock.pass(sandbox(), 3 * 60 * minuteMs);
    expect([await state(), host.count(`start ${key}`)]).toEqual(["running", 1]);
    await evictDurableObject(session.session());
    await clock.pass(sandbox(), 20 * minuteMs);
    expect(await state()).toBe("running");
    reader.leave();
    await reader.closed();
    await clock.pass(sandbox(), getTailMs(small) + 2 * secondMs);
    await until(state).toBe("paused");
  });

  test("wakes nothing, and does not delay the pause of another sandbox", async () => {
    const { reader } = await follow();
    await belongTo(crypto.randomUUID());
    await expectIdleTime(shortestTailMs);
    await until(state).toBe("paused");
    reader.leave();
  });
});

describe("a message at the moment of a pause", () => {
  /** A sandbox whose idle time is over, and whose program is asked to save its work. */
  async function pauseUpTo(call: string, answer: () => Response) {
    const session = await beginSession();
    const turnId = await session.startTurn("Build it.");
    await remember(small);
    const goOn = Promise.withResolvers<void>();
    host.answerNext(call, () => goOn.promise.then(answer));
    const before = host.count(call);
    await clock.pass(sandbox(), shortestTailMs + 2 * secondMs);
    await until(async () => host.count(call)).toBe(before + 1);
    expect(await state()).toBe("pausing");
    const request = { ...turnRequest, owner: { type: "session", id: session.id } as const, turnId };
    return { taken: sandbox().startTurn(request), goOn: goOn.resolve };
  }

  test("while its work is saved runs immediately in the same sandbox", async () => {
    const { taken, goOn } = await pauseUpTo("GET /archive", () => new Response("work"));
    expect(await taken).toMatchObject({ taken: true });
    goOn();
    expect([await state(), await generation()]).toEqual(["running", 1]);
  });

  test("while its program ends runs in the next one, with the saved work", async () => {
    const { taken, goOn } = await pauseUpTo("PUT /services", () => new Response(null, { status: 204 }));
    goOn();
    expect(await taken).toMatchObject({ taken: true });
    expect([await state(), await generation()]).toEqual(["running", 2]);
    expect(host.running.get(key)?.restored).not.toBeNull();
  });
});

describe("what a sandbox remembers", () => {
  /** Pauses the sandbox, and wakes it in so many seconds. */
  async function wakeIn(seconds: number, isInterrupted: boolean): Promise<void> {
    await sandbox().stopGracefully();
    await until(state).toBe("paused");
    const { woken, goOn } = await wakeHalfway();
    await clock.pass(sandbox(), seconds * secondMs);
    if (isInterrupted) await abortAllDurableObjects();
    goOn();
    await woken.catch(() => {});
    await until(state).toBe("running");
  }

  test("has the duration of its wakes, across generations and restarts of its object", async () => {
    expect(await readPast()).not.toHaveProperty("wakesMs");
    for (const seconds of [2, 4, 6]) await wakeIn(seconds, false);
    await wakeIn(8, true);
    await abortAllDurableObjects();
    const { wakesMs = [], saveMs } = await readPast();
    expect(wakesMs.map((ms) => Math.round(ms / secondMs))).toEqual([8, 6, 4]);
    expect([await generation(), saveMs]).toEqual([5, expect.any(Number)]);
    expect((await sandbox().layout()).awayHoldMs).toBe(getTailMs({ wakesMs }));
  });

  test("has the times between its turns", async () => {
    await saveBehindTurn();
    await clock.pass(sandbox(), 20 * secondMs);
    const session = await beginSession();
    const turnId = await session.startTurn("Build it.");
    await sandbox().startTurn({ ...turnRequest, owner: { type: "session", id: session.id }, turnId });
    const { gapsMs = [] } = await readPast();
    expect(gapsMs.map((ms) => Math.round(ms / secondMs))).toEqual([20]);
  });
});

describe("a turn", () => {
  test.each([
    ["a small one after a short tail", small, shortestTailMs],
    ["a large one after minutes", large, awayHoldMs],
  ])(
    "that works for twenty minutes without an event keeps the sandbox awake; it pauses %s",
    async (_, past, expectedMs) => {
      const session = await beginSession();
      const turnId = await session.startTurn("Build it.");
      await holdFor(session.id, turnId);
      await clock.pass(sandbox(), 20 * minuteMs);
      expect(await state()).toBe("running");
      await remember(past);
      await sandbox().release(turnId);
      await settled();
      await expectIdleTime(expectedMs);
    },
  );

  test.each([
    ["by a person who stays, whose page may be hidden", true, false],
    ["by a person who leaves with its end", true, true],
    ["by an agent", false, false],
  ])("whose end is read %s lets the sandbox pause in time", async (_, isPerson, leaves) => {
    const session = await beginSession();
    await belongTo(session.id);
    const turnId = await session.startTurn("Build it.");
    await holdFor(session.id, turnId);
    const reader = await openSubscriber(session.session(), leaves ? turnId : null, null, null, isPerson);
    await reader.catchUp();
    await clock.pass(sandbox(), 8 * minuteMs);
    await remember(large);
    await (await session.link(turnId)).tell(1, completed);
    await reader.received("end");
    await sandbox().release(turnId);
    await settled();
    if (leaves) await reader.closed();
    await expectIdleTime(isPerson ? getTailMs(large) : awayHoldMs);
    reader.leave();
  });

  test("that only read causes no save; one that changed files meanwhile does", async () => {
    const session = await beginSession();
    const [working, reading] = [crypto.randomUUID(), crypto.randomUUID()];
    await hold([holderFor(session.id, working), { ...holderFor(session.id, reading), reads: true }]);
    await sandbox().release(reading);
    await settled();
    expect(await savedWork()).toEqual([]);
    await sandbox().release(working);
    await until(savedWork).toHaveLength(1);
  });

  test("that still runs holds the sandbox", async () => {
    const session = await beginSession();
    const turnId = await session.startTurn("Build it.");
    await hold([holderFor(session.id, turnId)]);
    await clock.pass(sandbox(), 20 * minuteMs);
    expect(await state()).toBe("running");
    await sandbox().release(turnId);
    await until(savedWork).toHaveLength(1);
  });

  test("that has ended but still holds the sandbox is detected, and does not keep it awake forever", async () => {
    const session = await beginSession();
    await hold([crypto.randomUUID(), crypto.randomUUID()].map((turnId) => holderFor(session.id, turnId)));
    await clock.passToAlarm(sandbox());
    await settled();
    expect(await idleTime()).toBeLessThanOrEqual(idleBeforePauseMs + 2 * secondMs);
    await until(state).toBe("paused");
  });
});

describe("a WebSocket of the preview", () => {
  test("keeps the sandbox awake while a visitor sends messages on it", async () => {
    const { say, protocol, close } = await socket();
    expect(protocol).toBe("live");
    for (let minute = 0; minute < 25; minute++) {
      await clock.pass(sandbox(), minuteMs);
      await say(`move ${minute}`);
    }
    expect(await state()).toBe("running");
    await expectIdleTime(idleBeforePauseMs);
    close();
  });

  test("that only sends heartbeats keeps nothing awake", async () => {
    const { say, close } = await socket();
    for (let half = 0; half < 20; half++) {
      await say('{"type":"ping"}');
      await clock.pass(sandbox(), 30 * secondMs);
    }
    await clock.pass(sandbox(), 2 * secondMs);
    await until(state).toBe("paused");
    close();
  });
});

describe("a sandbox", () => {
  test.each(uses)("that %s uses pauses %i ms afterwards, and at most two seconds later", async (_, expectedMs, use) => {
    await remember(small);
    await clock.pass(sandbox(), 30 * secondMs);
    await use();
    await settled();
    await expectIdleTime(expectedMs);
    await until(state).toBe("paused");
  });

  test("pauses 10 minutes after the last of many preview requests, and none is cut off", async () => {
    for (let request = 0; request < 50; request++) {
      await clock.pass(sandbox(), 370);
      await visit();
    }
    await expectIdleTime(idleBeforePauseMs);
  });

  test.each(probes)("pauses on time although %s is read every ten seconds", async (_, look) => {
    await remember(large);
    for (let second = 0; second < awayHoldMs / secondMs; second += 10) {
      expect(await state()).toBe("running");
      await look();
      await clock.pass(sandbox(), 10 * secondMs);
    }
    await clock.pass(sandbox(), 2 * secondMs);
    await until(state).toBe("paused");
  });

  test("pauses on time although its public link is read every 15 seconds, and the next read wakes it", async () => {
    const openLink = await publicLink();
    await remember(large);
    for (let second = 0; second < awayHoldMs / secondMs; second += 15) {
      expect(await state()).toBe("running");
      // It runs, and its project serves nothing.
      expect((await openLink()).reason).toBe("no_frontends");
      await clock.pass(sandbox(), 15 * secondMs);
    }
    await clock.pass(sandbox(), 2 * secondMs);
    await until(state).toBe("paused");
    await openLink();
    await until(state).toBe("running");
  });

  test.each(probes)("that is paused is not woken by reads of %s for an hour", async (_, look) => {
    await sandbox().stopGracefully();
    await until(state).toBe("paused");
    for (let minute = 0; minute < 60; minute++) {
      await look();
      await clock.pass(sandbox(), minuteMs);
    }
    expect([await state(), host.count(`start ${key}`)]).toEqual(["paused", 1]);
  });
});
