// Triggers that are tried with an event: what each would do, as the real event shows, and that the
// trial itself does nothing.
import { expect, test } from "vitest";
import { findPerson } from "../../practice/code-host/people.ts";
import { apiWorld } from "../support/api-world.ts";
import { clientWith, createClient, script } from "../support/client.ts";
import { connectMember, disconnectMember } from "../support/connected-account.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const owner = createClient(world);
const { sql } = createInside(world);
const path = `/api/projects/${world.projectId}/triggers`;
const usual = { name: "Tried", do: { action: "start", prompt: script({ say: "Done." }) } };

async function putTriggers(...rules: Record<string, unknown>[]): Promise<string[]> {
  const { version } = (await owner.get(path)).body.data;
  const put = await owner.put(path, { version, triggers: rules.map((rule) => ({ ...usual, ...rule })) });
  expect(put.status).toBe(200);
  return put.body.data.triggers.map(({ id }: { id: string }) => id);
}
async function attempt(event: string, payload: unknown, by = owner) {
  const { status, body } = await by.post(`${path}/try`, { event, payload });
  expect([status, body.code]).toEqual([200, undefined]);
  return body.data.triggers;
}
const reasons = (trials: Record<string, string | null>[]) => trials.map(({ reason, action }) => reason ?? action);
const tables = ["sessions", "trigger_runs", "trigger_places", "usage"];
const count = () => Promise.all(tables.map((table) => sql(`SELECT count(*) AS rows FROM ${table}`)));

const repository = async () => {
  const [row] = (await sql("SELECT repository, repository_id AS id FROM projects WHERE id = ?1", world.projectId)) as [
    { repository: string; id: number | null },
  ];
  return { id: row.id ?? 1, full_name: row.repository };
};
async function labeled(
  changes: { login?: string; label?: string; issue?: object; repository?: { id: number; full_name: string } } = {},
) {
  const login = changes.login ?? "mia-member";
  const sender = { id: findPerson(login)?.id ?? 4_711, login, type: "User" };
  return {
    action: "labeled",
    issue: {
      ...{ number: 12, html_url: "https://host.test/issue", state: "open", title: "Dark mode", body: null },
      ...{ user: { login: "sam-stranger" }, ...changes.issue },
    },
    label: { name: changes.label ?? "switchyard:go" },
    ...{ sender, repository: changes.repository ?? (await repository()) },
  };
}
const connect = () => connectMember(sql);

test("nobody but those who may read triggers tries them", async () => {
  await putTriggers({ on: "http" });
  const outsider = await createClient(world, "outsider").post(`${path}/try`, { event: "http", payload: {} });
  expect(outsider.status).toBe(403);
  expect((await clientWith(world, "svc_trg_x").post(`${path}/try`, { event: "http", payload: {} })).status).toBe(401);
  expect(reasons(await attempt("http", {}, createClient(world, "member")))).toEqual(["start"]);
});

test("a request: what matches, with its place and its cause, and nothing is done", async () => {
  const when = { place: "incident.id", cause: "event" };
  const [first, , , filed] = await putTriggers(
    { on: "http", when },
    { on: "http", enabled: false },
    { on: "label" },
    { on: "http", do: { action: "file" } },
    { on: "http", when: { json: [{ path: "incident.id", is: "INC-2" }] } },
  );
  const before = await count();
  const trials = await attempt("http", { incident: { id: "INC-1" }, event: "e1" });
  expect(reasons(trials)).toEqual(["start", "disabled", "other_event", "file", "filters"]);
  expect(trials[0]).toEqual({
    ...{ triggerId: first, matches: true, action: "start", reason: null },
    ...{ answer: "none", place: `http ${first} INC-1`, cause: "e1", sessionId: null },
  });
  expect(trials[3]).toMatchObject({ triggerId: filed, place: null, cause: null });
  expect(reasons(await attempt("http", { event: "e1" })).slice(0, 1)).toEqual(["invalid_body"]);
  expect(await count()).toEqual(before);
});

test("what a request did is what its trial says, before and after", async () => {
  const [id = ""] = await putTriggers({
    ...{ on: "http", when: { place: "id", cause: "event" }, do: { action: "file" }, caps: { perDay: 2 } },
  });
  const { key } = (await owner.post(`${path}/${id}/key`)).body.data;
  const call = async (body: object) => {
    const [trial] = await attempt("http", body);
    const { run } = (await clientWith(world, key).post(`/api/triggers/${id}`, body)).body.data;
    const action = run.reason === null ? { started: "start", filed: "file" }[run.outcome as string] : trial.action;
    expect(trial).toMatchObject({ matches: true, action, reason: run.reason });
    return { trial, run };
  };
  const { run } = await call({ id: "a", event: "1" });
  expect(run.outcome).toBe("filed");
  const { trial } = await call({ id: "a", event: "2" });
  expect(trial).toMatchObject({ reason: "backlog", sessionId: run.sessionId });
  expect((await call({ id: "a", event: "1" })).trial.reason).toBe("duplicate");
  expect((await call({ id: "b", event: "3" })).run.outcome).toBe("filed");
  expect((await call({ id: "c", event: "4" })).trial.reason).toBe("cap_day");
});

test("a label: who set it, where and on what decides", async () => {
  await connect();
  await putTriggers(
    { on: "label" },
    { on: "label", do: { action: "file" } },
    { on: "review", do: { action: "send" } },
    { on: "assigned", when: { associations: ["none"] } },
  );
  const before = await count();
  const trials = await attempt("issues", await labeled());
  expect(await count()).toEqual(before);
  expect(reasons(trials)).toEqual(["start", "filters", "other_event", "other_event"]);
  // The code host has said the repository's id meanwhile.
  const { id } = await repository();
  expect(trials.map(({ answer }: { answer: string }) => answer)).toEqual(["link", "none", "none", "none"]);
  expect(trials[0]).toMatchObject({
    place: expect.stringMatching(/^issue \d+#\d+$/),
    cause: "label 12 switchyard:go …",
  });
  const refused: [string, unknown][] = [
    ["not_a_member", await labeled({ login: "sam-stranger" })],
    ["not_a_member", await labeled({ login: "grace-kelly" })],
    ["ignored", await labeled({ issue: { state: "closed" } })],
    ["filters", await labeled({ label: "bug" })],
    ["other_repository", await labeled({ repository: { id: id + 1, full_name: "acme/other" } })],
  ];
  for (const [reason, payload] of refused) {
    const [first] = await attempt("issues", payload);
    expect(first).toMatchObject({ reason, matches: false });
  }
  const own = { ...(await labeled()), action: "assigned", assignee: { login: "switchyard[bot]" } };
  expect(reasons(await attempt("issues", own))).toEqual(["other_event", "other_event", "other_event", "filters"]);
  Object.assign(own.issue, { author_association: "NONE" });
  expect((await attempt("issues", own))[3]).toMatchObject({ reason: null, cause: "assigned 12 switchyard[bot] …" });
  expect(reasons(await attempt("star", {}))).toEqual(["ignored", "ignored", "ignored", "ignored"]);
  const broken = await owner.post(`${path}/try`, { event: "issues", payload: { action: "labeled" } });
  expect(broken).toMatchObject({ status: 400, body: { code: "VALIDATION_ERROR" } });
  await disconnectMember(sql);
});

test("a mention: who wrote it, and its words, decide", async () => {
  await connect();
  await putTriggers(
    { on: "mention" },
    { on: "mention", do: { action: "send" } },
    { on: "mention", who: { members: false, bots: ["ci[bot]"] } },
    { on: "label" },
  );
  const commented = async (body: string, login = "mia-member", type = "User") => ({
    ...{ action: "created", repository: await repository() },
    issue: { number: 12, title: "Dark mode", body: null, user: { login: "sam-stranger" } },
    comment: {
      ...{ id: 7, node_id: "c7", body, html_url: "https://host.test/comment" },
      user: { id: findPerson(login)?.id ?? 4_711, login, type },
    },
  });
  const before = await count();
  const trials = await attempt("issue_comment", await commented("@switchyard look at it"));
  expect(reasons(trials)).toEqual(["start", "not_ours", "not_a_member", "other_event"]);
  expect(trials[0]).toMatchObject({
    ...{ matches: true, cause: "comment conversation 12 7", sessionId: null },
    place: expect.stringMatching(/^issue \d+#12$/),
  });
  const tried: [string[], unknown][] = [
    [["file", "file", "not_a_member", "other_event"], await commented("@switchyard file this")],
    [["not_ours", "not_ours", "not_a_member", "other_event"], await commented("@switchyard stop")],
    [["ignored", "ignored", "ignored", "other_event"], await commented("`@switchyard` is a name")],
    [["not_a_member", "not_a_member", "not_a_member", "other_event"], await commented("@switchyard x", "sam-stranger")],
    [["not_a_member", "not_a_member", "start", "other_event"], await commented("@switchyard x", "ci[bot]", "Bot")],
  ];
  for (const [expected, payload] of tried) expect(reasons(await attempt("issue_comment", payload))).toEqual(expected);
  expect(await count()).toEqual(before);
  await disconnectMember(sql);
});

test("a pull request: its head decides where a session starts, and a fork's starts none", async () => {
  await connect();
  // The pull requests of other tests' sessions have low numbers.
  const unused = 4_711;
  await putTriggers(
    { on: "pull_request", when: { labels: ["ui/*"] } },
    { on: "label" },
    { on: "pull_request", when: { branches: ["svc/*"] } },
  );
  const { sender, repository: of, label } = await labeled();
  const pull = (changes: object = {}) => ({
    ...{
      number: unused,
      html_url: "https://host.test/pull",
      state: "open",
      draft: false,
      title: "Dark mode",
      body: null,
    },
    ...{ user: { login: "mia-member" }, labels: [{ name: "ui/board" }], base: { ref: "main" } },
    ...{ updated_at: "2026-01-01T00:00:00Z", head: { ref: "dark", sha: "a".repeat(40), repo: { id: of.id } } },
    ...changes,
  });
  const propose = (action: string, changes: object = {}) =>
    attempt("pull_request", { action, pull_request: pull(changes), label, sender, repository: of });
  const before = await count();
  const opened = await propose("opened");
  expect(reasons(opened)).toEqual(["start", "other_event", "filters"]);
  expect(opened[0]).toMatchObject({ cause: `pull_request ${unused} ${"a".repeat(40)}`, sessionId: null });
  expect(opened.map(({ answer }: { answer: string }) => answer)).toEqual(["text", "none", "none"]);
  expect(reasons(await propose("labeled"))).toEqual(["other_event", "start", "other_event"]);
  const head = { ref: "dark", sha: "a".repeat(40), repo: { id: of.id + 1 } };
  expect(reasons(await propose("opened", { head }))).toEqual(["fork", "other_event", "filters"]);
  expect(await count()).toEqual(before);
  await disconnectMember(sql);
});

test("checks and reviews of a branch that no session has are nobody's", async () => {
  await connect();
  const send = { do: { action: "send" } };
  await putTriggers({ on: "checks_failed", ...send }, { on: "review", ...send });
  const at = { created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };
  const status = { sha: "a".repeat(40), context: "ci", state: "failure", ...at };
  const branches = [{ name: "feature", commit: { sha: "a".repeat(40) } }];
  const trials = await attempt("status", { ...status, branches, repository: await repository() });
  expect(reasons(trials)).toEqual(["not_ours", "other_event"]);
  await disconnectMember(sql);
});
