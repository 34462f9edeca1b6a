// Pull requests that start sessions: whose count, which filters hold, and that the head of a fork
// is never checked out.

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { handleWebhook } from "../../../durable-objects/code-host/handle-webhook.ts";
import type { ProposedPullRequest } from "../../../src/code-host/rules/webhook.ts";
import type { Env } from "../../../src/env.ts";
import { createId } from "../../../src/lib/ids.ts";
import type { Trigger } from "../../../src/trigger/rules/trigger.ts";
import { usualTrigger } from "../../support/trigger.ts";
import {
  addRepositoryWorld,
  answerPermission,
  type RepositoryWorld,
  removePeople,
  run,
} from "../support/repository-world.ts";

let { repositoryId, projectId, workspaceId, permissions, people } = {} as RepositoryWorld;
/** The files that the pull request changes; null while the code host does not say. */
let files: string[] | null;

const trigger: Omit<Trigger, "id"> = {
  ...usualTrigger,
  name: "Ideas",
  on: "pull_request",
  do: { ...usualTrigger.do, action: "file" },
  answer: "none",
};
const number = 12;
const pull: Omit<ProposedPullRequest, "by"> = {
  ...{ number, url: `https://host/acme/board/pull/${number}`, title: "Dark mode", body: "Please review." },
  ...{ author: "sam-stranger", label: null, labels: ["bug", "ui/board"], isFork: false },
  ...{ branch: "feature/dark", base: "main", sha: "a".repeat(40) },
};

beforeEach(async () => {
  ({ repositoryId, projectId, workspaceId, permissions, people } = await addRepositoryWorld());
  files = ["docs/guide.md", "src/board.ts"];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const url = String(input instanceof Request ? input.url : input);
    if (/\/pulls\/\d+\/files/.test(url))
      return files ? Response.json(files.map((filename) => ({ filename }))) : new Response("{}", { status: 503 });
    return answerPermission(url, permissions) ?? new Response("{}", { status: 404 });
  });
  await putTriggers({});
});
const addSession = (status: string, prNumber = number) =>
  run(
    `INSERT INTO sessions (id, workspace_id, project_id, title, status, priority, target_branch, sandbox_key, is_behind, queue_count,
       pr_number, pr_state, created_at, updated_at)
     VALUES (?1, ?2, ?3, 'Own', ?4, 'none', 'main', ?1, 0, 0, ?5, 'open', 0, 0)`,
    ...[createId(), workspaceId, projectId, status, prNumber],
  );
afterEach(async () => {
  vi.restoreAllMocks();
  await removePeople();
});

const putTriggers = (...changes: Partial<Trigger>[]) =>
  run(
    "INSERT OR REPLACE INTO triggers (project_id, version, triggers) VALUES (?1, 1, ?2)",
    projectId,
    JSON.stringify(changes.map((change, place) => ({ ...trigger, id: `${place} ${projectId}`, ...change }))),
  );
const propose = (by: string, changes: Partial<ProposedPullRequest> = {}, delivery: string = crypto.randomUUID()) =>
  handleWebhook(
    env as unknown as Env,
    {
      ...{ type: "proposed", repository: { repository: `acme/${projectId}`, repositoryId } },
      pull: { ...pull, by: { hostUserId: by, login: by }, ...changes },
    },
    delivery,
  );
async function list(table: "trigger_runs" | "trigger_places" | "sessions") {
  return (await env.DB.prepare(`SELECT * FROM ${table} WHERE project_id = ?1`).bind(projectId).all()).results;
}
const listOutcomes = async () => (await list("trigger_runs")).map(({ outcome, reason }) => reason ?? outcome);

const then = (change: Promise<unknown>) => change.then(() => crypto.randomUUID());

test.each<[string, () => Promise<unknown>]>([
  ["a stranger", () => propose("4711")],
  ["a stranger with the login of a member", () => propose("4711", { by: { hostUserId: "4711", login: people.mia } })],
  ["a member who may only read", () => propose(people.rhea)],
  ["a suspended member", () => propose(people.sue)],
  ["a former member", () => propose(people.former)],
  ["a member of another workspace", () => propose(people.elsewhere)],
  ["a stranger, from a fork", () => propose("4711", { isFork: true })],
  ["a member, with a label that no trigger is for", () => propose(people.mia, { label: "bug" })],
  [
    "a member, with a trigger that is off",
    async () => propose(people.mia, {}, await then(putTriggers({ enabled: false }))),
  ],
  [
    "a member, with a trigger of another event",
    async () => propose(people.mia, {}, await then(putTriggers({ on: "label" }))),
  ],
])("%s starts nothing, and leaves no row", async (_, act) => {
  expect(await act()).toBeNull();
  for (const table of ["trigger_runs", "trigger_places", "sessions"] as const) expect(await list(table)).toEqual([]);
});

test("a pull request from a fork is skipped, and its head is in no session", async () => {
  await putTriggers({}, { on: "label", when: { ...trigger.when, labels: ["review me"] } });
  await propose(people.mia, { isFork: true });
  await propose(people.mia, { isFork: true, label: "review me" });
  expect(await listOutcomes()).toEqual(["fork", "fork"]);
  for (const table of ["trigger_places", "sessions"] as const) expect(await list(table)).toEqual([]);
});

test("a member's pull request has one session, on its head, whatever is delivered how often", async () => {
  const delivery = crypto.randomUUID();
  for (let times = 0; times < 2; times++) await propose(people.mia, {}, delivery);
  // It was opened, and then marked as ready on the same commit.
  await propose(people.mia);
  const [session, ...more] = await list("sessions");
  expect(more).toEqual([]);
  expect(session).toMatchObject({
    title: "Ideas: #12",
    status: "backlog",
    target_branch: "feature/dark",
    branch: null,
  });
  expect(session?.prompt).toContain(
    "Pull request #12 from feature/dark into main, opened by sam-stranger:\n> Dark mode\n\nIts text:\n> Please review.",
  );
  expect(await list("trigger_places")).toMatchObject([
    { kind: "pull_request", external_id: `${repositoryId}#12`, session_id: session?.id },
  ]);
  expect(await listOutcomes()).toEqual(["filed"]);
  await propose(people.mia, { sha: "b".repeat(40) });
  expect(await listOutcomes()).toEqual(["filed", "backlog"]);
});

test.each<[string, Partial<Trigger["when"]>, boolean]>([
  ["its label", { labels: ["ui/*"] }, true],
  ["another label", { labels: ["api/*"] }, false],
  ["its branch", { branches: ["feature/*"] }, true],
  ["another branch", { branches: ["svc/*"] }, false],
  ["one of its files", { paths: ["src/*"] }, true],
  ["other files", { paths: ["*.css", "test/*"] }, false],
  ["its branch, but other files", { branches: ["*"], paths: ["*.css"] }, false],
])("a filter for %s decides", async (_, when, isMatch) => {
  await putTriggers({ when: { ...trigger.when, ...when } });
  await propose(people.mia);
  expect(await listOutcomes()).toEqual(isMatch ? ["filed"] : []);
});

test("a label on a pull request is for its branch and files too", async () => {
  const when = { ...trigger.when, labels: ["review me"], paths: ["docs/*"] };
  await putTriggers({ on: "label", when }, { on: "label", when: { ...when, branches: ["main"] } });
  await propose(people.mia, { label: "Review me" });
  await propose(people.mia, { label: "other" });
  expect((await list("trigger_runs")).map(({ trigger_id }) => trigger_id)).toEqual([`0 ${projectId}`]);
});

test.each([
  ["opened, an open session's own", null, "active", ["not_ours"]],
  ["opened, that of a session that has ended", null, "archived", ["filed"]],
  ["opened, of another number", null, "other", ["filed"]],
])("a pull request that was %s", async (_, label, status, outcomes) => {
  await (status === "other" ? addSession("active", 13) : addSession(status));
  await propose(people.mia, { label });
  expect(await listOutcomes()).toEqual(outcomes);
});

test("a session's own pull request whose number it has not recorded yet is not for another one", async () => {
  await addSession("active");
  await run("UPDATE sessions SET pr_number = NULL, branch = ?2 WHERE project_id = ?1", projectId, pull.branch);
  await propose(people.mia, { isFork: true });
  await propose(people.mia, { sha: "b".repeat(40) });
  await propose(people.mia, { sha: "c".repeat(40), branch: "feature/other" });
  expect(await listOutcomes()).toEqual(["fork", "not_ours", "filed"]);
});

test("a label on a session's own pull request is for that session, and begins no other one", async () => {
  await putTriggers({ on: "label", do: { ...trigger.do, action: "start" } });
  await addSession("active");
  const [own] = await list("sessions");
  await propose(people.mia, { label: "switchyard:go" });
  // The row has no object, so the object refuses the message.
  expect(await list("trigger_runs")).toMatchObject([{ session_id: own?.id, reason: "refused" }]);
  expect(await list("sessions")).toHaveLength(1);
  expect(await list("trigger_places")).toEqual([]);
});

test("a code host that does not say which files changed is asked again, and nothing is left meanwhile", async () => {
  await putTriggers({ when: { ...trigger.when, paths: ["src/*"] } });
  files = null;
  const delivery = crypto.randomUUID();
  await expect(propose(people.mia, {}, delivery)).rejects.toThrow();
  expect(await list("trigger_runs")).toEqual([]);
  files = ["src/board.ts"];
  await propose(people.mia, {}, delivery);
  expect(await listOutcomes()).toEqual(["filed"]);
});
