// Moves of a session that has a pull request: the code host follows, and where it cannot, the session stays as it was.

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { needsYouReason } from "../../../src/rules/session/needs-you.ts";
import { by, type SessionDriver, sessionWithPullRequest } from "../support/session-driver.ts";

/** The pull request as the code host has it, and what was asked of it. */
let isDraft: boolean;
let mutations: string[];
/** Lets the code host's answers out; resolved unless a test holds them back. */
let gate: Promise<void>;
let isBroken: boolean;

beforeEach(() => {
  isDraft = false;
  mutations = [];
  gate = Promise.resolve();
  isBroken = false;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    await gate;
    if (isBroken) return new Response("broken", { status: 500 });
    const url = String(input instanceof Request ? input.url : input);
    const [, compared] = /compare[/](.*)[.]{3}/.exec(url) ?? [];
    if (compared !== undefined) return Response.json({ ahead_by: 1, behind_by: compared === "main" ? 0 : 2 });
    if (!url.endsWith("/graphql")) {
      const pull = {
        number: 7,
        node_id: "PR_7",
        html_url: "http://host/7",
        state: "open",
        draft: isDraft,
        merged: false,
      };
      return Response.json({ ...pull, base: { ref: "main" } });
    }
    const query = String(init?.body);
    mutations.push(query.includes("convertPullRequestToDraft") ? "draft" : "ready");
    isDraft = query.includes("convertPullRequestToDraft");
    return Response.json({ data: {} });
  });
});
afterEach(() => vi.restoreAllMocks());

/** A session with a pull request in a state. */
async function sessionWith(status: string, prState: "draft" | "open"): Promise<SessionDriver> {
  const driver = await sessionWithPullRequest(status, prState);
  isDraft = prState === "draft";
  return driver;
}

const models = { runnable: new Set(["anthropic"] as const) };
const shown = async (driver: SessionDriver) => {
  const { status, prState } = (await driver.state()).session;
  return { status, prState };
};

describe("a move", () => {
  it("to Under Review marks a draft ready", async () => {
    const driver = await sessionWith("active", "draft");
    await driver.session().update({ status: "under-review" }, by, models);
    expect(mutations).toEqual(["ready"]);
    expect(await shown(driver)).toEqual({ status: "under-review", prState: "open" });
  });

  it("back to Active makes it a draft", async () => {
    const driver = await sessionWith("under-review", "open");
    await driver.session().update({ status: "active" }, by, models);
    expect(mutations).toEqual(["draft"]);
    expect(await shown(driver)).toEqual({ status: "active", prState: "draft" });
  });

  it("that the code host refuses does not change the session, and returns the reason", async () => {
    const driver = await sessionWith("under-review", "open");
    isBroken = true;
    const refused = await driver.session().update({ status: "active" }, by, models);
    expect(refused).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(await shown(driver)).toEqual({ status: "under-review", prState: "open" });
  });
});

describe("a member's message to a session Under Review", () => {
  it("makes the pull request a draft again, and is delivered", async () => {
    const driver = await sessionWith("under-review", "open");
    expect(await driver.send("go on")).toMatchObject({ delivery: "job" });
    expect(mutations).toEqual(["draft"]);
    expect(await shown(driver)).toEqual({ status: "active", prState: "draft" });
  });

  it("is neither lost nor delivered if the code host does not respond", async () => {
    const driver = await sessionWith("under-review", "open");
    isBroken = true;
    expect(await driver.send("go on")).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect((await driver.state()).chat.turn).toBeNull();
    isBroken = false;
    expect(await driver.send("go on")).toMatchObject({ delivery: "job" });
  });

  it("excludes other changes, which are refused with a request to retry", async () => {
    const driver = await sessionWith("under-review", "open");
    const held = Promise.withResolvers<void>();
    gate = held.promise;
    const first = driver.send("first");
    await vi.waitUntil(() => vi.mocked(fetch).mock.calls.length > 0, 20_000);
    expect(await driver.send("second")).toMatchObject({ code: "SESSION_UPDATING" });
    expect(await driver.session().update({ title: "Other" }, by, models)).toMatchObject({ code: "SESSION_UPDATING" });
    held.resolve();
    expect(isRefusal(await first)).toBe(false);
    expect(await driver.send("second")).toMatchObject({ delivery: "queued" });
  });
});

describe("a changed Target Branch", () => {
  const retarget = async (driver: SessionDriver, targetBranch: string) => {
    const updated = await driver.session().update({ targetBranch }, by, models);
    if (isRefusal(updated)) throw new Error(updated.message);
    return { isBehind: updated.session.isBehind, needsYou: needsYouReason(updated) };
  };

  it("is compared before the answer, and what it changes is recorded", async () => {
    const driver = await sessionWith("active", "open");
    expect(await retarget(driver, "release")).toEqual({ isBehind: true, needsYou: "behind" });
    await driver.settled();
    const told = "SELECT count(*) AS told FROM activity WHERE session_id = ?1 AND kind = 'branch_behind'";
    expect(await env.DB.prepare(told).bind(driver.id).first("told")).toBe(1);
    expect(await retarget(driver, "main")).toEqual({ isBehind: false, needsYou: null });
  });

  it("during a comparison with another counts, whichever of the two ends first", async () => {
    const driver = await sessionWith("active", "open");
    const held = Promise.withResolvers<void>();
    gate = held.promise;
    await driver.session().handleEvent({ type: "branch" });
    await vi.waitUntil(() => vi.mocked(fetch).mock.calls.length > 0, 20_000);
    const changed = retarget(driver, "release");
    await vi.waitUntil(async () => (await driver.state()).session.targetBranch === "release", 20_000);
    held.resolve();
    expect(await changed).toMatchObject({ isBehind: true });
  });

  it("is kept while the code host is silent, and compared once it answers", async () => {
    const driver = await sessionWith("active", "open");
    vi.spyOn(console, "error").mockImplementation(() => {});
    isBroken = true;
    expect(await retarget(driver, "release")).toMatchObject({ isBehind: false });
    isBroken = false;
    await vi.waitUntil(async () => (await driver.state()).session.isBehind, 20_000);
  });
});
