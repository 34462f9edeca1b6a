// The activity of a session about its pull request's checks and its merge: once, however many
// webhooks arrive.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type SessionDriver, sessionWithPullRequest } from "../../support/session-driver.ts";

/** A commit that no other session has: theirs may be read meanwhile. */
const sha = crypto.randomUUID().replaceAll("-", "").padEnd(40, "a");
let state: "pending" | "success" | "failure";
let readings: number;
let isMerged: boolean;

beforeEach(() => {
  [state, readings, isMerged] = ["success", 0, false];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const url = String(input instanceof Request ? input.url : input);
    if (url.includes("/check-runs")) return Response.json({ check_runs: [] });
    if (url.includes("/status")) {
      if (url.includes(sha)) readings += 1;
      return Response.json({ statuses: [{ context: "tests", state }] });
    }
    if (url.endsWith("/merge")) {
      isMerged = true;
      return Response.json({ merged: true });
    }
    const pull = { number: 7, node_id: "PR_7", html_url: "http://host/7", state: isMerged ? "closed" : "open" };
    const merger = isMerged ? { merged: true, merged_by: { id: 9, login: "app[bot]" } } : {};
    return Response.json({
      ...pull,
      ...merger,
      draft: false,
      updated_at: "2026-01-15T12:00:00Z",
      base: { ref: "main" },
      head: { sha },
    });
  });
});
afterEach(() => vi.restoreAllMocks());

async function told(driver: SessionDriver): Promise<{ kind: string; payload: string }[]> {
  const rows = env.DB.prepare(
    "SELECT kind, payload FROM activity WHERE session_id = ?1 AND kind LIKE 'pr_%' ORDER BY seq",
  );
  return (await rows.bind(driver.id).all<{ kind: string; payload: string }>()).results;
}
const kinds = async (driver: SessionDriver) => (await told(driver)).map(({ kind }) => kind);

let at = Date.now();
async function checked(driver: SessionDriver, name: string, hasFailed = false): Promise<void> {
  at += 1;
  const check = { type: "check", check: name, sha, begunAt: at, changedAt: at, hasFailed } as const;
  await driver.session().handleEvent(check);
}
async function begun(driver: SessionDriver, name: string): Promise<void> {
  at += 1;
  const check = { type: "check", check: name, sha, begunAt: at, changedAt: at, hasFailed: false } as const;
  await driver.session().handleEvent({ ...check, hasStarted: true });
}
const findVerdict = async (driver: SessionDriver) => (await driver.state()).session.prReport?.verdict;

it("a check that runs again ends the verdict, and its same result is not recorded again", async () => {
  const driver = await sessionWithPullRequest("under-review", "open");
  state = "pending";
  await begun(driver, "a");
  await driver.settled();
  expect(readings).toBe(0);
  for (const result of ["failure", "pending", "failure"] as const) {
    state = result;
    await (result === "pending" ? begun(driver, "a") : checked(driver, "a", true));
    await expect.poll(() => findVerdict(driver)).toBe(result === "pending" ? undefined : "failed");
  }
  await driver.settled();
  expect(await kinds(driver)).toEqual(["pr_checks_failed"]);
});

it("five webhooks of one result record it once, and the code host is read once; the other result is recorded again", async () => {
  const driver = await sessionWithPullRequest("under-review", "open");
  state = "failure";
  const names = ["a", "b", "c", "d", "e"];
  await Promise.all(names.map((name) => checked(driver, name, true)));
  await expect.poll(() => kinds(driver)).toEqual(["pr_checks_failed"]);
  await driver.settled();
  expect(readings).toBe(1);
  state = "success";
  await Promise.all(names.map((name) => checked(driver, name)));
  await expect.poll(() => kinds(driver)).toEqual(["pr_checks_failed", "pr_checks_passed"]);
  await driver.settled();
  expect(readings).toBe(2);
});

it("a merge by svc:ship is recorded with its author", async () => {
  const driver = await sessionWithPullRequest("active", "open");
  await driver.session().runTool("turn-1", { tool: "ship", sha });
  await expect.poll(() => kinds(driver)).toContain("pr_merged");
  const [merge] = (await told(driver)).filter(({ kind }) => kind === "pr_merged");
  const mergedBy = { login: "app[bot]", userId: null, name: null };
  expect(JSON.parse(merge?.payload ?? "")).toMatchObject({ pullRequestNumber: 7, mergedBy });
});
