// The triggers of failed checks: one message for each commit, however its checks are reported and
// whenever the object dies meanwhile.

import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { isRefusal } from "../../../../src/rules/refusal.ts";
import type { Trigger } from "../../../../src/trigger/rules/trigger.ts";
import { findMemberOfAccount } from "../../../../src/workspace/queries/members.ts";
import { usualTrigger } from "../../../support/trigger.ts";
import { addUser, addWorkspaceWith } from "../../support/people.ts";
import {
  addProvider,
  answerPermission,
  fillSandboxes,
  removePeople,
  removeProvider,
} from "../../support/repository-world.ts";
import { type SessionDriver, sessionWithPullRequest } from "../../support/session-driver.ts";

let sha: string;
/** The checks of the session's commit, and those of the Target Branch. */
let checks: { name: string; status: string; conclusion: string | null }[];
let checksOfBase: typeof checks;
let lineComments: { path: string; line: number; side: string; body: string }[];
/** The id and the login of a member at the code host. */
let account: string;
let driver: SessionDriver;
let workspaceId: string;
const trigger: Trigger = {
  ...usualTrigger,
  ...{ id: "", name: "Mend", on: "checks_failed", do: { ...usualTrigger.do, prompt: "Mend it." } },
};

beforeEach(async () => {
  sha = crypto.randomUUID().replaceAll("-", "").padEnd(40, "b");
  lineComments = [];
  checksOfBase = [];
  checks = [{ name: "test", status: "completed", conclusion: "failure" }];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const url = String(input instanceof Request ? input.url : input);
    const isOfHead = url.includes(sha);
    if (url.includes("/check-runs"))
      return Response.json({ check_runs: (isOfHead ? checks : checksOfBase).map((check, id) => ({ id, ...check })) });
    const permission = answerPermission(url, { [account]: "write" });
    if (permission) return permission;
    const ofReview = (one: object, id: number) => ({ id, pull_request_review_id: reviews, ...one });
    if (url.includes("/pulls/7/comments?")) return Response.json(lineComments.map(ofReview).reverse());
    if (url.includes("/status")) return Response.json({ statuses: [] });
    return new Response("{}", { status: 404 });
  });
  driver = await sessionWithPullRequest("active", "open");
  const { users, ...own } = await addWorkspaceWith({ owner: "owner" });
  ({ workspaceId } = own);
  account = users.owner;
  const { projectId } = driver.record;
  await driver.sql("UPDATE session SET workspace_id = ?", workspaceId);
  await env.DB.batch([
    env.DB.prepare("UPDATE projects SET workspace_id = ?2 WHERE id = ?1").bind(projectId, workspaceId),
    env.DB.prepare("UPDATE sessions SET workspace_id = ?2 WHERE id = ?1").bind(driver.id, workspaceId),
    env.DB.prepare("INSERT INTO triggers (project_id, version, triggers) VALUES (?1, 1, ?2)").bind(
      projectId,
      JSON.stringify([{ ...trigger, id: projectId }]),
    ),
    addAccount(account),
  ]);
  await addProvider(workspaceId);
  await evictDurableObject(driver.session());
  await driver.session().branchHeads({ oldId: "0".repeat(40), newId: sha });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all([removeProvider(workspaceId), removePeople()]);
});

/** Connects the account of a person, whose id is also its id and its login. */
const addAccount = (id: string) =>
  env.DB.prepare(
    `INSERT INTO code_host_identities (user_id, host_user_id, login, name, email, sealed, created_at)
     VALUES (?1, ?1, ?1, ?1, ?1, '', 0)`,
  ).bind(id);

const put = (changes: Partial<Trigger>) =>
  env.DB.prepare("UPDATE triggers SET triggers = ?2 WHERE project_id = ?1")
    .bind(driver.record.projectId, JSON.stringify([{ ...trigger, id: driver.record.projectId, ...changes }]))
    .run();

let reviews = 0;
async function review(): Promise<void> {
  reviews += 1;
  const of = {
    number: 7,
    reviewId: reviews,
    state: "changes_requested",
    body: "Almost.",
    url: "https://host/7",
  } as const;
  const by = { hostUserId: account, login: account };
  await driver.session().handleEvent({ type: "review", ...of, by });
}

let at = Date.now();
async function report(name: string): Promise<void> {
  at += 1;
  const event = { type: "check", check: name, sha, begunAt: at, changedAt: at, hasFailed: true } as const;
  await driver.session().handleEvent(event);
}

async function listSent(): Promise<(string | null)[]> {
  const said = (await driver.messages()).filter(({ role }) => role === "user").map(({ content }) => content);
  const { upNext } = (await driver.state()).chat;
  return [...said, ...upNext.map(({ content }) => content)];
}
async function listRuns() {
  const rows = env.DB.prepare("SELECT outcome, reason FROM trigger_runs WHERE project_id = ?1 ORDER BY id");
  return (await rows.bind(driver.record.projectId).all()).results;
}

test("many reports of one commit send one message, also after an eviction", async () => {
  await Promise.all(["a", "b", "c"].map(report));
  await expect.poll(listSent).toHaveLength(1);
  await driver.settled();
  await evictDurableObject(driver.session());
  await report("d");
  await driver.settled();
  expect(await listSent()).toEqual([expect.stringMatching(/^Mend it\..*The check “test” ended with failure/s)]);
  expect(await listRuns()).toEqual([{ outcome: "sent", reason: null }]);
});

test("failed checks of a commit are sent, even if the report of its push was lost", async () => {
  const pushed = sha;
  sha = crypto.randomUUID().replaceAll("-", "").padEnd(40, "c");
  await driver.session().attemptPush({ oldId: pushed, newId: sha });
  await report("test");
  await expect.poll(listRuns).toEqual([{ outcome: "sent", reason: null }]);
});

test("nothing is sent while a check still runs", async () => {
  checks.push({ name: "slow", status: "in_progress", conclusion: null });
  await report("test");
  await driver.settled();
  expect(await listSent()).toEqual([]);
  checks = checks.map((check) => ({ ...check, status: "completed", conclusion: check.conclusion ?? "success" }));
  await report("slow");
  await expect.poll(listSent).toHaveLength(1);
});

/** Leaves a run for the failed checks that has not ended. */
const leaveRun = (createdAt: number) =>
  env.DB.prepare(
    `INSERT INTO trigger_runs (id, project_id, trigger_id, trigger_name, cause, session_id, created_at)
     VALUES (?1, ?2, ?2, 'Mend', ?3, ?4, ?5)`,
  )
    .bind(crypto.randomUUID(), driver.record.projectId, `checks ${driver.id} ${sha}`, driver.id, createdAt)
    .run();

test("a run that a dead object left is finished", async () => {
  await leaveRun(Date.now());
  await report("test");
  await expect.poll(listRuns).toEqual([{ outcome: "sent", reason: null }]);
  expect(await listSent()).toHaveLength(1);
});

test.each<[string, Partial<Trigger>, () => Promise<void>]>([
  ["failed checks", {}, () => report("test")],
  ["a review", { on: "review" }, review],
])("the message of %s is sent once the workspace has room for a sandbox", async (_, changes, act) => {
  lineComments = [{ path: "a.ts", line: 1, side: "RIGHT", body: "Why?" }];
  await put(changes);
  const makeRoom = await fillSandboxes(workspaceId);
  await act();
  const countTries = async () => (await driver.sql<{ attempts: number }>("SELECT attempts FROM effects"))[0]?.attempts;
  await expect.poll(countTries).toBeGreaterThan(1);
  expect([await listSent(), await listRuns()]).toEqual([[], [{ outcome: null, reason: null }]]);
  await makeRoom();
  await expect.poll(listSent).toHaveLength(1);
  await expect.poll(listRuns).toEqual([{ outcome: "sent", reason: null }]);
  expect(await driver.session().reviewComments({ type: "list" })).toHaveLength(changes.on === "review" ? 1 : 0);
});

test("a message for which there was no room for three days is no longer sent", async () => {
  await leaveRun(0);
  await fillSandboxes(workspaceId);
  await report("test");
  await expect.poll(listRuns).toEqual([{ outcome: "skipped", reason: "refused" }]);
  await driver.settled();
  expect(await listSent()).toEqual([]);
});

/** Records as many runs as the trigger may have in a day. */
async function useUpDay(): Promise<void> {
  const { projectId } = driver.record;
  const earlier = (place: number) =>
    env.DB.prepare(
      `INSERT INTO trigger_runs (id, project_id, trigger_id, trigger_name, cause, session_id, outcome, created_at)
       VALUES (?1, ?2, ?2, 'Mend', ?1, 'another', 'sent', ?3)`,
    ).bind(`0-${place}-${projectId}`, projectId, Date.now());
  await env.DB.batch(Array.from({ length: 20 }, (_, place) => earlier(place)));
}

test("a trigger sends no more in 24 hours than it may", async () => {
  await useUpDay();
  await report("test");
  await expect.poll(async () => (await listRuns()).at(-1)).toEqual({ outcome: "skipped", reason: "cap_day" });
  expect(await listSent()).toEqual([]);
});

test("a run that the session would skip anyway has that reason after the last run of a day", async () => {
  await useUpDay();
  await driver.session().handleEvent({ type: "autofix", isOff: true });
  await report("test");
  await expect.poll(async () => (await listRuns()).at(-1)).toEqual({ outcome: "skipped", reason: "off" });
  await driver.session().handleEvent({ type: "autofix", isOff: false });
  await expect.poll(async () => (await listRuns()).at(-1)).toEqual({ outcome: "skipped", reason: "cap_day" });
  expect(await listSent()).toEqual([]);
});

test("failed checks that were skipped while autofix was off are sent once it is on, once", async () => {
  const turn = (isOff: boolean) => driver.session().handleEvent({ type: "autofix", isOff });
  await turn(true);
  await report("test");
  await expect.poll(listRuns).toEqual([{ outcome: "skipped", reason: "off" }]);
  await turn(false);
  await expect.poll(listRuns).toEqual([{ outcome: "sent", reason: null }]);
  for (const isOff of [false, true, false]) await turn(isOff);
  await driver.settled();
  expect(await listSent()).toEqual([expect.stringMatching(/^Mend it\..*The check “test” ended with failure/s)]);
});

test("a trigger that did not skip failed checks as off does not send them when autofix is on", async () => {
  await driver.session().handleEvent({ type: "autofix", isOff: true });
  await put({ enabled: false });
  await report("test");
  await driver.settled();
  await put({ enabled: true });
  await driver.session().handleEvent({ type: "autofix", isOff: false });
  await driver.settled();
  expect([await listRuns(), await listSent()]).toEqual([[], []]);
});

test("after failures that the Target Branch has too, another failed check of the commit is sent, once", async () => {
  checksOfBase = checks;
  await report("test");
  await expect.poll(listRuns).toEqual([{ outcome: "skipped", reason: "base_fails" }]);
  checks = [...checks, { name: "unit", status: "completed", conclusion: "failure" }];
  await report("unit");
  await expect.poll(listRuns).toEqual([{ outcome: "sent", reason: null }]);
  checksOfBase = [];
  await report("test");
  await driver.settled();
  const [message = "", ...more] = await listSent();
  expect(more).toEqual([]);
  expect(message?.match(/The check “\w+”/g)).toEqual(["The check “unit”"]);
});

test("a commit whose failure met a limit is sent with a later report, once the limit has room", async () => {
  await useUpDay();
  await report("test");
  await expect.poll(async () => (await listRuns()).at(-1)).toEqual({ outcome: "skipped", reason: "cap_day" });
  await env.DB.prepare("DELETE FROM trigger_runs WHERE session_id = 'another'").run();
  await report("test");
  await expect.poll(listRuns).toEqual([{ outcome: "sent", reason: null }]);
  expect(await listSent()).toHaveLength(1);
});

test("the line comments of a review are listed as the code host lists them", async () => {
  await put({ on: "review" });
  const bodies = Array.from({ length: 12 }, (_, place) => `c${place}`);
  lineComments = bodies.map((body, place) => ({ path: "a.ts", line: 20 - place, side: "RIGHT", body }));
  await review();
  await expect.poll(listSent).toHaveLength(1);
  const listed = await driver.session().reviewComments({ type: "list" });
  expect(isRefusal(listed) ? listed : listed.map(({ body }) => body)).toEqual(bodies);
});

test("the account of a member counts, and not that of a stranger, a former or a suspended member", async () => {
  const { users, ...own } = await addWorkspaceWith({ mia: "member", sue: "member" });
  const people = { ...users, former: await addUser("former") };
  const ids = Object.values(people);
  await env.DB.batch([
    env.DB.prepare("UPDATE users SET suspended_at = 1 WHERE id = ?1").bind(users.sue),
    ...ids.map(addAccount),
  ]);
  const counting = await Promise.all(
    [...ids, "a stranger"].map((id) => findMemberOfAccount(env.DB, own.workspaceId, id)),
  );
  expect(counting).toEqual([ids[0], null, null, null]);
});
