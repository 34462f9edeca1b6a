// When an idle sandbox pauses: ten minutes after the last look at it, and five minutes after its
// last work without a look.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { findPreviewTarget, type SharedTarget } from "../../../src/preview/queries.ts";
import { readSharedPreview } from "../../../src/preview/view-shared.ts";
import { awayHoldMs, idleBeforePauseMs } from "../../../src/rules/limits.ts";
import { type FakedClock, fakeClock, minuteMs, secondMs } from "../support/faked-clock.ts";
import { openSubscriber } from "../support/live-subscriber.ts";
import {
  freshSandbox,
  hold,
  holderFor,
  holdFor,
  host,
  key,
  owner,
  sandbox,
  savedWork,
  settled,
  until,
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
  ["a commit", awayHoldMs, () => sandbox().commit(owner, "work", author)],
  ["a push", awayHoldMs, () => sandbox().push(owner, null)],
  ["a preview read", idleBeforePauseMs, () => sandbox().wakeForPreview(owner)],
  ["a preview request", idleBeforePauseMs, visit],
];
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

describe("a turn", () => {
  test("that works for twenty minutes without an event keeps the sandbox awake; it pauses five minutes afterwards", async () => {
    const session = await beginSession();
    const turnId = await session.startTurn("Build it.");
    await holdFor(session.id, turnId);
    await clock.pass(sandbox(), 20 * minuteMs);
    expect(await state()).toBe("running");
    await sandbox().release(turnId);
    await settled();
    const idleMs = await idleTime();
    expect(idleMs).toBeGreaterThanOrEqual(awayHoldMs);
    expect(idleMs).toBeLessThanOrEqual(awayHoldMs + 2 * secondMs);
  });

  test.each([
    ["by a person who stays", true, false, idleBeforePauseMs],
    ["by a person who leaves with its end", true, true, idleBeforePauseMs],
    ["by an agent", false, false, awayHoldMs],
  ])("whose end is read %s lets the sandbox pause in time", async (_, isPerson, leaves, expectedMs) => {
    const session = await beginSession();
    await runInDurableObject(sandbox(), (_, { storage }) => {
      storage.sql.exec("UPDATE sandbox SET owner = json_set(owner, '$.id', ?)", session.id);
    });
    const turnId = await session.startTurn("Build it.");
    await holdFor(session.id, turnId);
    const reader = await openSubscriber(session.session(), leaves ? turnId : null, null, null, isPerson);
    await reader.catchUp();
    await clock.pass(sandbox(), 8 * minuteMs);
    await (await session.link(turnId)).tell(1, completed);
    await reader.received("end");
    await sandbox().release(turnId);
    await settled();
    if (leaves) await reader.closed();
    const idleMs = await idleTime();
    expect(idleMs).toBeGreaterThanOrEqual(expectedMs);
    expect(idleMs).toBeLessThanOrEqual(expectedMs + 2 * secondMs);
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
    const idleMs = await idleTime();
    expect(idleMs).toBeGreaterThanOrEqual(idleBeforePauseMs);
    expect(idleMs).toBeLessThanOrEqual(idleBeforePauseMs + 2 * secondMs);
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
    await clock.pass(sandbox(), 7 * minuteMs);
    await use();
    await settled();
    const idleMs = await idleTime();
    expect(idleMs).toBeGreaterThanOrEqual(expectedMs);
    expect(idleMs).toBeLessThanOrEqual(expectedMs + 2 * secondMs);
    await until(state).toBe("paused");
  });

  test("pauses 10 minutes after the last of many preview requests, and none is cut off", async () => {
    for (let request = 0; request < 50; request++) {
      await clock.pass(sandbox(), 370);
      await visit();
    }
    const idleMs = await idleTime();
    expect(idleMs).toBeGreaterThanOrEqual(idleBeforePauseMs);
    expect(idleMs).toBeLessThanOrEqual(idleBeforePauseMs + 2 * secondMs);
  });

  test.each(probes)("pauses on time although %s is read every ten seconds", async (_, look) => {
    for (let second = 0; second < 10 * 60; second += 10) {
      expect(await state()).toBe("running");
      await look();
      await clock.pass(sandbox(), 10 * secondMs);
    }
    await clock.pass(sandbox(), 2 * secondMs);
    await until(state).toBe("paused");
  });

  test("pauses on time although its public link is read every 15 seconds, and the next read wakes it", async () => {
    const openLink = await publicLink();
    for (let second = 0; second < 10 * 60; second += 15) {
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
