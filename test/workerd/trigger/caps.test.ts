// What counts toward the caps of a trigger: runs that do something, and not those that are known to
// be skipped.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { findFacts } from "../../../src/access/queries.ts";
import { createId } from "../../../src/lib/ids.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { claimTriggerRun, listTriggerRuns } from "../../../src/trigger/queries/runs.ts";
import { createHostPlace, createRequestPlan, getCauseName } from "../../../src/trigger/rules/plan.ts";
import type { Trigger } from "../../../src/trigger/rules/trigger.ts";
import { projectDetails, runTrigger, type TriggerEvent } from "../../../src/trigger/run.ts";
import { toListedRunWire } from "../../../src/trigger/wire.ts";
import { usualTrigger } from "../../support/trigger.ts";
import { addWorkspaceWith } from "../support/people.ts";
import { addProject } from "../support/repository-world.ts";
import { unlimitedEnv } from "../support/unlimited-env.ts";

let base: Pick<TriggerEvent, "found" | "url" | "login" | "askedBy">;
let trigger: Trigger;

beforeEach(async () => {
  const { workspaceId } = await addWorkspaceWith({ owner: "owner" });
  const { projectId } = await addProject(workspaceId);
  const found = await findFacts(env.DB, { noun: "project", with: projectDetails, params: { projectId } });
  if (!found) throw new Error("the project is missing");
  base = { found, url: null, login: null, askedBy: null };
  trigger = {
    ...usualTrigger,
    ...{ id: `alerts ${projectId}`, name: "Alerts", on: "http" },
    when: { ...usualTrigger.when, json: [{ path: "status", is: "firing" }] },
    do: { ...usualTrigger.do, action: "file" },
    caps: { ...usualTrigger.caps, perDay: 1 },
  };
});

async function run(happened: Omit<TriggerEvent, "trigger" | keyof typeof base>): Promise<string> {
  const clock = { now: Date.now(), graceMs: 60_000 };
  const ran = await runTrigger(unlimitedEnv, { ...base, ...happened, trigger }, clock);
  return isRefusal(ran) ? ran.code : String(ran.reason ?? ran.outcome);
}

/** A call of another program; a signed one has an id. */
async function call(status: string, webhookId: string | null = null): Promise<string> {
  const plan = createRequestPlan(trigger, { json: { status }, webhookId });
  if (isRefusal(plan)) throw new Error(plan.message);
  return await run({ ...plan, source: "http" });
}

/** A pull request, which is of a fork or has no session yet. */
const propose = (number: number, isFork: boolean) =>
  run({
    ...{ cause: `pull_request ${number}`, place: createHostPlace("pull_request", number, number), title: "Review" },
    ...{ quotes: [], skip: isFork ? "fork" : null, source: "github" },
  });

const times = (count: number, send: (n: number) => Promise<string>) => Array.from({ length: count }, (_, n) => send(n));
const repeat = (count: number, outcome: string) => Array.from({ length: count }, () => outcome);

test.each<[string, () => Promise<string>[], string[]]>([
  [
    "the last of 40 calls passes the filters",
    () => [...times(39, () => call("resolved")), call("firing")],
    ["filed", ...repeat(39, "filters")],
  ],
  [
    "the first of 40 calls passes the filters",
    () => [call("firing"), ...times(39, () => call("resolved"))],
    ["filed", ...repeat(39, "filters")],
  ],
  [
    "others are of forks",
    () => [...times(9, (n) => propose(n, true)), propose(10, false)],
    ["filed", ...repeat(9, "fork")],
  ],
  ["two pass the filters", () => times(2, () => call("firing")), ["cap_day", "filed"]],
  ["one cause is reported often", () => times(9, () => call("firing", "one")), [...repeat(8, "duplicate"), "filed"]],
])("calls at the same time, of one run a day: %s", async (_, send, outcomes) => {
  expect((await Promise.all(send())).sort()).toEqual(outcomes);
});

test("a run that is skipped anyway has its own reason after the cap is reached", async () => {
  expect(await propose(1, false)).toBe("filed");
  expect([await call("resolved"), await propose(2, true), await propose(3, false), await call("firing")]).toEqual([
    ...["filters", "fork", "cap_day", "cap_day"],
  ]);
  // The cause has had its run.
  expect(await propose(1, true)).toBe("duplicate");
});

test("a call that broke off has an end in lists, and is continued by a repeat", async () => {
  const { project } = base.found;
  const plan = createRequestPlan(trigger, { json: { status: "firing" }, webhookId: "one" });
  if (isRefusal(plan)) throw new Error(plan.message);
  const run = { id: createId(0), triggerId: trigger.id, triggerName: "Alerts", projectId: project.id, url: null };
  const started = { ...run, cause: getCauseName(plan.cause, run.id), sessionId: createId(0), createdAt: 0 };
  await claimTriggerRun(env.DB, started, { perDay: 9 });
  const list = async () => {
    const { runs } = await listTriggerRuns(env.DB, { projectId: project.id, page: 1, pageSize: 9 });
    return runs.map((one) => toListedRunWire(one, Date.now()));
  };
  expect(await list()).toMatchObject([{ outcome: "skipped", reason: "interrupted", sessionId: null }]);
  // The first answer is that of the call that broke off.
  expect(await call("firing", "one")).toBe("duplicate");
  expect(await list()).toMatchObject([{ outcome: "filed", reason: null, sessionId: started.sessionId }]);
  await claimTriggerRun(env.DB, { ...started, id: createId(0), cause: "another" }, { perDay: 9 });
  expect(await list()).toMatchObject([{ outcome: "filed" }, { outcome: "filed" }]);
});
