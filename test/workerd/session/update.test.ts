// Moves of a session that has a pull request: the code host follows, and if it cannot, the session
// does not change.

import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { findNeedsYouReason } from "../../../src/session/rules/needs-you.ts";
import { captureLog } from "../support/captured-log.ts";
import { pullRequestHost } from "../support/pull-request-host.ts";
import { by, type SessionDriver, sessionWithPullRequest } from "../support/session-driver.ts";

const host = pullRequestHost();

/** A session with a pull request in a state. */
async function sessionWith(status: string, prState: "draft" | "open"): Promise<SessionDriver> {
  const driver = await sessionWithPullRequest(status, prState);
  host.isDraft = prState === "draft";
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
    expect(host.mutations).toEqual(["ready"]);
    expect(await shown(driver)).toEqual({ status: "under-review", prState: "open" });
  });

  it("back to Active makes it a draft", async () => {
    const driver = await sessionWith("under-review", "open");
    await driver.session().update({ status: "active" }, by, models);
    expect(host.mutations).toEqual(["draft"]);
    expect(await shown(driver)).toEqual({ status: "active", prState: "draft" });
  });

  it("that the code host refuses does not change the session, and returns the reason", async () => {
    const driver = await sessionWith("under-review", "open");
    host.isBroken = true;
    const refused = await driver.session().update({ status: "active" }, by, models);
    expect(refused).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(await shown(driver)).toEqual({ status: "under-review", prState: "open" });
  });
});

describe("a member's message to a session Under Review", () => {
  it("makes the pull request a draft again, and is delivered", async () => {
    const driver = await sessionWith("under-review", "open");
    expect(await driver.send("go on")).toMatchObject({ delivery: "job" });
    expect(host.mutations).toEqual(["draft"]);
    expect(await shown(driver)).toEqual({ status: "active", prState: "draft" });
  });

  it("is neither lost nor delivered if the code host does not respond", async () => {
    const driver = await sessionWith("under-review", "open");
    host.isBroken = true;
    expect(await driver.send("go on")).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect((await driver.state()).chat.turn).toBeNull();
    host.isBroken = false;
    expect(await driver.send("go on")).toMatchObject({ delivery: "job" });
  });

  it("excludes other changes, which are refused with a request to retry", async () => {
    const driver = await sessionWith("under-review", "open");
    const held = Promise.withResolvers<void>();
    host.gate = held.promise;
    const first = driver.send("first");
    await vi.waitUntil(() => host.asked() > 0, 20_000);
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
    return { isBehind: updated.session.isBehind, needsYou: findNeedsYouReason(updated) };
  };

  it("is compared before the response, and what it changes is recorded", async () => {
    const driver = await sessionWith("active", "open");
    expect(await retarget(driver, "release")).toEqual({ isBehind: true, needsYou: "behind" });
    await driver.settled();
    const told = "SELECT count(*) AS told FROM activity WHERE session_id = ?1 AND kind = 'branch_behind'";
    expect(await env.DB.prepare(told).bind(driver.id).first("told")).toBe(1);
    expect(await retarget(driver, "main")).toEqual({ isBehind: false, needsYou: null });
  });

  it("during a comparison with another one takes effect, whichever of the two ends first", async () => {
    const driver = await sessionWith("active", "open");
    const held = Promise.withResolvers<void>();
    host.gate = held.promise;
    await driver.session().handleEvent({ type: "branch" });
    await vi.waitUntil(() => host.asked() > 0, 20_000);
    const changed = retarget(driver, "release");
    await vi.waitUntil(async () => (await driver.state()).session.targetBranch === "release", 20_000);
    held.resolve();
    expect(await changed).toMatchObject({ isBehind: true });
  });

  it("is saved while the code host is silent, and compared once it responds", async () => {
    const driver = await sessionWith("active", "open");
    captureLog();
    host.isBroken = true;
    expect(await retarget(driver, "release")).toMatchObject({ isBehind: false });
    host.isBroken = false;
    await vi.waitUntil(async () => (await driver.state()).session.isBehind, 20_000);
  });
});
