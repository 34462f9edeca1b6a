// Shipping when the code host merges nothing: the pull request that was made ready becomes a draft
// again, or the caller is informed that it does not.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { captureLog } from "../../support/captured-log.ts";
import { type SessionDriver, sessionWithPullRequest } from "../../support/session-driver.ts";

const sha = "a".repeat(40);
let isDraft: boolean;
let changedAt: number;
let checks: "none" | "pending" | "failed";
/** How many times a draft is refused before it succeeds, and with which response. */
let refusals: Response[];

beforeEach(() => {
  [isDraft, changedAt, checks, refusals] = [true, 1_000_000, "none", []];
  captureLog();
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    if (url.endsWith("/merge")) return Response.json({ message: "Not mergeable" }, { status: 405 });
    if (url.includes("/compare/")) return Response.json({ ahead_by: 1, behind_by: 0 });
    if (url.includes("/check-runs")) return Response.json({ check_runs: [] });
    if (url.includes("/status")) {
      const state = checks === "failed" ? "failure" : "pending";
      return Response.json({ statuses: checks === "none" ? [] : [{ context: "tests", state }] });
    }
    if (!url.endsWith("/graphql")) {
      const updated_at = new Date(changedAt).toISOString();
      const pull = { number: 7, node_id: "PR_7", html_url: "http://host/7", state: "open", draft: isDraft, updated_at };
      return Response.json({ ...pull, base: { ref: "main" }, head: { sha } });
    }
    const wanted = String(init?.body).includes("convertPullRequestToDraft");
    const refused = wanted && refusals.shift();
    if (refused) return refused;
    isDraft = wanted;
    changedAt += 5_000;
    return Response.json({ data: {} });
  });
});
afterEach(() => vi.restoreAllMocks());

const sessionWithDraft = () => sessionWithPullRequest("active", "draft");
const ship = (driver: SessionDriver) => driver.session().runTool("turn-1", { tool: "ship", sha });
const forbidden = () => Response.json({}, { status: 403 });

it("the caller is informed if the pull request could not be made a draft again", async () => {
  const driver = await sessionWithDraft();
  expect(await ship(driver)).toMatchObject({ text: expect.not.stringContaining("draft") });
  expect(isDraft).toBe(true);
  refusals = [forbidden()];
  expect(await ship(driver)).toMatchObject({
    text: expect.stringMatching(/Not merged: .*Nor could it be made a draft/),
  });
  expect(isDraft).toBe(false);
});

it("a pull request that waited for its checks becomes a draft after they fail, as soon as the code host accepts it", async () => {
  const driver = await sessionWithDraft();
  checks = "pending";
  expect(await ship(driver)).toMatchObject({ text: expect.stringContaining("Checks are still running") });
  expect(isDraft).toBe(false);
  checks = "failed";
  refusals = [forbidden()];
  const at = Date.now();
  const check = { type: "check", check: "status tests", sha, begunAt: at, changedAt: at, hasFailed: true } as const;
  await driver.session().handleEvent(check);
  await vi.waitUntil(() => isDraft, { timeout: 60_000 });
  expect(refusals).toEqual([]);
});

it("a late webhook from before the pull request was ready does not withdraw the request", async () => {
  const driver = await sessionWithDraft();
  const draft = { type: "pull-request", number: 7, url: "http://host/7", state: "draft", base: "main", sha } as const;
  await driver.session().handleEvent({ ...draft, changedAt });
  checks = "pending";
  await ship(driver);
  expect(changedAt).toBe(1_005_000);
  await driver.session().handleEvent({ ...draft, changedAt: 1_001_000 });
  const [session] = await driver.sql<{ ship: string; pr_state: string }>("SELECT ship, pr_state FROM session");
  expect(session).toEqual({ ship: JSON.stringify({ turnId: "turn-1", sha }), pr_state: "open" });
});
