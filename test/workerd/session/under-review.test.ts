// Work in a session Under Review: a member's message, steer or resume makes it Active and its pull
// request a draft, once, and work that is refused changes nothing, neither in the session nor at
// the code host.
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { WorkFacts } from "../../../durable-objects/session/rpc.ts";
import type { Sender } from "../../../src/access/rules/actor.ts";
import { createTextMessage } from "../../../src/chat/rules/message.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { pullRequestHost } from "../support/pull-request-host.ts";
import {
  by,
  completed,
  facts,
  type SessionDriver,
  sessionWithPullRequest,
  started,
} from "../support/session-driver.ts";

const host = pullRequestHost();

beforeAll(async () => {
  await env.DB.prepare(
    "INSERT INTO workspaces (id, name, slug, timezone, plan, created_at) VALUES ('ws_1', 'A', 'a', 'UTC', 'free', 0)",
  ).run();
});
beforeEach(async () => {
  await env.DB.prepare("DELETE FROM sandbox_slots").run();
});

interface Reviewed {
  driver: SessionDriver;
  queuedMessageId: string;
  /** Ends the turn, if it runs. */
  endTurn(): Promise<void>;
}

/** A session Under Review with a queued message, while its turn runs or after it. */
async function reviewed(isRunning: boolean): Promise<Reviewed> {
  const driver = await sessionWithPullRequest("active", "draft");
  const turnId = await driver.startTurn("go");
  const link = await driver.link(turnId);
  await link.tell(1, started);
  const queued = await driver.send("Then this.");
  if (isRefusal(queued) || queued.delivery !== "queued") throw new Error("not queued");
  const moved = await driver.session().update({ status: "under-review" }, by, { runnable: new Set() });
  if (isRefusal(moved)) throw new Error(moved.message);
  const endTurn = () => link.tell(2, completed);
  if (!isRunning) await endTurn();
  host.mutations.length = 0;
  return { driver, queuedMessageId: queued.queuedMessageId, endTurn };
}

type Work = (session: Reviewed, who?: Sender, facts?: WorkFacts, key?: string | null) => Promise<unknown>;
const createRepeat = (key: string | null) => (key === null ? null : { key, bodyHash: "the same" });
const message: Work = ({ driver }, who = by, given = facts, key = null) => {
  const unasked = { model: null, runningTurnId: null, retriedTurnId: null, seen: null };
  return driver.session().send({ body: createTextMessage("Go on."), by: who, ...unasked }, given, createRepeat(key));
};
const sentNow: Work = ({ driver, queuedMessageId }, who = by, given = facts, key = null) =>
  driver.session().sendQueued(queuedMessageId, who, given, createRepeat(key));
const resume: Work = ({ driver }, who = by, given = facts, key = null) =>
  driver.session().resumeQueue(who, given, createRepeat(key));
const steer: Work = ({ driver, queuedMessageId }, who = by, _ = facts, key = null) =>
  driver.session().steer(queuedMessageId, who, createRepeat(key));

const works: [string, boolean, Work][] = [
  ["a message", false, message],
  ["a message that waits", true, message],
  ["a queued message that is sent now", false, sentNow],
  ["a resume", false, resume],
  ["a resume during a turn", true, resume],
  ["a steer", true, steer],
];
const starting = works.filter(([, isRunning]) => !isRunning);

const shown = async ({ driver }: Reviewed) => {
  const { session, chat } = await driver.state();
  const { status, prState } = session;
  return { status, prState, pause: chat.pause?.reason, turn: chat.turn?.id, waiting: chat.upNext.map(({ id }) => id) };
};
const reopened = { status: "active", prState: "draft", pause: undefined };
const moves = async ({ driver }: Reviewed) => {
  await driver.settled();
  const told =
    "SELECT payload FROM activity WHERE session_id = ?1 AND kind = 'session_status_changed' AND payload LIKE '%\"to\":\"active\"%'";
  return (await env.DB.prepare(told).bind(driver.id).all()).results.length;
};
const getCode = (answer: unknown) => (isRefusal(answer) ? answer.code : null);

describe.each(works)("%s of a member", (_, isRunning, work) => {
  it("makes the session Active and its pull request a draft, and is recorded in the feed", async () => {
    const session = await reviewed(isRunning);
    expect(getCode(await work(session))).toBeNull();
    expect(await shown(session)).toMatchObject(reopened);
    expect([host.mutations, await moves(session)]).toEqual([["draft"], 1]);
  });

  it("twice concurrently does it once, and the second may be repeated", async () => {
    const session = await reviewed(isRunning);
    const codes = (await Promise.all([work(session), work(session)])).map(getCode);
    expect(codes.toSorted()).toEqual(["SESSION_UPDATING", null].toSorted());
    expect(await shown(session)).toMatchObject(reopened);
    expect([host.mutations, await moves(session)]).toEqual([["draft"], 1]);
  });

  it("repeated concurrently gets one result", async () => {
    const session = await reviewed(isRunning);
    const key = crypto.randomUUID();
    const [first, second] = await Promise.all([work(session, by, facts, key), work(session, by, facts, key)]);
    expect(getCode(first)).toBeNull();
    // The files of a repeated message are unused, as its result says.
    expect({ ...(second as object), isRepeat: null }).toEqual({ ...(first as object), isRepeat: null });
    expect(host.mutations).toEqual(["draft"]);
  });

  it("that the code host refuses changes nothing", async () => {
    const session = await reviewed(isRunning);
    const before = await shown(session);
    host.isBroken = true;
    expect(getCode(await work(session, by, { ...facts, isSandboxLimited: true }))).toBe("SERVICE_UNAVAILABLE");
    host.isBroken = false;
    expect(await shown(session)).toEqual(before);
    expect(await env.DB.prepare("SELECT count(*) AS slots FROM sandbox_slots").first("slots")).toBe(0);
    expect(getCode(await work(session))).toBeNull();
  });

  it.each<[string, Sender]>([
    [
      "a cron run",
      {
        type: "cron-run",
        cronId: "c",
        runId: "r",
        user: by.type === "member" ? by.user : null,
        role: null,
        writer: "creator",
      },
    ],
    ["an agent of another session", { type: "session-agent", sessionId: "other", user: null, role: null }],
  ])("is refused to %s, and changes nothing", async (__, who) => {
    const session = await reviewed(isRunning);
    const before = await shown(session);
    expect(["SESSION_UNDER_REVIEW", "FORBIDDEN"]).toContain(getCode(await work(session, who)));
    expect([await shown(session), host.mutations]).toEqual([before, []]);
  });
});

describe.each(starting)("%s that cannot start a turn", (_, isRunning, work) => {
  it("at the limit of sandboxes leaves the pull request open, and is done when there is room", async () => {
    const session = await reviewed(isRunning);
    const before = await shown(session);
    const held = `INSERT INTO sandbox_slots (sandbox_key, workspace_id, owner_type, owner_id, state, claimed_at)
      VALUES (?1, 'ws_1', 'session', ?1, 'claimed', ?2)`;
    for (const key of ["one", "two", "three"]) await env.DB.prepare(held).bind(key, Date.now()).run();
    const limited = { ...facts, isSandboxLimited: true };
    const codes = (await Promise.all([work(session, by, limited), work(session, by, limited)])).map(getCode);
    expect(codes).toContain("SANDBOX_LIMIT_REACHED");
    expect(codes).not.toContain(null);
    expect([await shown(session), host.mutations]).toEqual([before, []]);
    await env.DB.prepare("DELETE FROM sandbox_slots WHERE sandbox_key = 'one'").run();
    expect(getCode(await work(session, by, limited))).toBeNull();
    expect(host.mutations).toEqual(["draft"]);
  });

  it.each<[string, Partial<WorkFacts>]>([
    ["DEPLOY_ACTIVE", { isHeldByDeploy: true }],
    ["CREDIT_LIMIT_REACHED", { isBlockedOnBilling: true }],
  ])("with %s leaves the pull request open", async (code, changes) => {
    const session = await reviewed(isRunning);
    const before = await shown(session);
    expect(getCode(await work(session, by, { ...facts, ...changes }))).toBe(code);
    expect([await shown(session), host.mutations]).toEqual([before, []]);
  });
});

it("a steer whose turn ends while the pull request is marked is refused, and the pull request is restored", async () => {
  const session = await reviewed(true);
  const [held, asked] = [Promise.withResolvers<void>(), host.asked()];
  host.gate = held.promise;
  const steered = steer(session);
  await vi.waitUntil(() => host.asked() > asked, 20_000);
  await session.endTurn();
  held.resolve();
  expect(getCode(await steered)).toBe("STEER_UNAVAILABLE");
  expect(host.mutations).toEqual(["draft", "ready"]);
  expect(await shown(session)).toMatchObject({ status: "under-review", prState: "open", pause: "under_review" });
});
