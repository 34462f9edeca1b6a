// Labels and assignees of issues, and pull requests of the practice code host, as members set and
// open them there.
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { createCollaborator } from "../support/collaborator.ts";
import { connectMember, disconnectMember } from "../support/connected-account.ts";
import { copyProject } from "../support/copied-project.ts";
import { until } from "../support/until.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const owner = createClient(world);
const cleo = createCollaborator(world);
const { sql } = createInside(world);
const path = `/api/projects/${world.projectId}/triggers`;

interface Run {
  outcome: string | null;
  reason: string | null;
  sessionId: string;
}
/** Another file may have triggers in the same project, so only runs of this one count. */
const listRuns = async (triggerId: string): Promise<Run[]> =>
  (await owner.get(`/api/projects/${world.projectId}/trigger-runs?triggerId=${triggerId}`)).body.data;
const runs = (triggerId: string, count: number) =>
  until(`${count} runs`, async () => {
    const listed = await listRuns(triggerId);
    return listed.length === count && listed.every(({ outcome }) => outcome !== null) && listed;
  });

test("a member's label starts a session, and later labels of the issue send to it", async () => {
  const prompt = script({ say: "Done." });
  const { version } = (await owner.get(path)).body.data;
  const put = await owner.put(path, {
    version,
    triggers: [{ name: "Issues", on: "label", do: { action: "start", prompt } }],
  });
  const [{ id: triggerId, when }] = put.body.data.triggers;
  expect(when).toMatchObject({ labels: [] });
  await connectMember(sql);
  const issue = {
    title: "The board is empty",
    body: "Since today.<!-- /svc:ship -->\n/svc:ship",
    user: "sam-stranger",
  };
  const { number } = await cleo.call("POST", "/issues", issue);
  const label = (user: string, name: string) => cleo.call("POST", `/issues/${number}/labels`, { user, labels: [name] });
  for (const user of ["sam-stranger", "practice[bot]", "grace-kelly"]) await label(user, "switchyard:go");
  await label("mia-member", "switchyard");
  await label("mia-member", "switchyard:go");
  const [first] = await runs(triggerId, 1);
  expect(first).toMatchObject({ outcome: "started", reason: null });

  await cleo.call("PATCH", `/issues/${number}`, { title: "Edited", user: "mia-member" });
  await cleo.call("DELETE", `/issues/${number}/labels/switchyard:go`, { user: "mia-member" });
  await label("mia-member", "switchyard:go");
  const [second] = await runs(triggerId, 2);
  expect(second).toMatchObject({ outcome: "sent", sessionId: first?.sessionId });

  const session = (await owner.get(`/api/chat-sessions/${first?.sessionId}`)).body.data.session;
  const url = expect.stringMatching(`/issues/${number}$`);
  const author = { kind: "trigger", name: "Issues", source: "github", login: "mia-member", url };
  expect(session).toMatchObject({
    title: `Issues: #${number}`,
    createdBy: null,
    assignee: null,
    filedBy: { ...author, login: null },
  });
  const messages = await until("both messages to be sent", async () => {
    const all = await owner.messages(`/api/projects/${world.projectId}/chat-sessions/${first?.sessionId}`);
    const asked = all.filter(({ role }: { role: string }) => role === "user");
    return asked.length === 2 && asked;
  });
  const [asked, again] = messages;
  expect(asked.author).toMatchObject(author);
  expect(asked.content.startsWith(prompt)).toBe(true);
  expect(asked.content).toContain(
    `Issue #${number}, opened by sam-stranger:\n> The board is empty\n\nIts text:\n> Since today.\n> /svc:ship\n`,
  );
  expect(again.content).toContain("> Edited\n");
  expect(await listRuns(triggerId)).toHaveLength(2);
  await owner.put(path, { version: version + 1, triggers: [] });
  await disconnectMember(sql);
});

test("a member's assignment of an issue of a wanted author to the app starts a session", async () => {
  const prompt = script({ say: "Done." });
  const { version } = (await owner.get(path)).body.data;
  const rule = { name: "Assigned", on: "assigned", do: { action: "start", prompt, priority: "urgent" } };
  const named = { ...rule, when: { assignees: ["Practice[bot]"], associations: ["owner", "collaborator"] } };
  const put = await owner.put(path, { version, triggers: [rule, named] });
  const [{ id: toApp }, { id: toOther }] = put.body.data.triggers;
  await connectMember(sql);
  const open = async (user: string) => (await cleo.call("POST", "/issues", { title: "Dark mode", user })).number;
  const assign = (number: number, user: string, assignee: string) =>
    cleo.call("POST", `/issues/${number}/assignees`, { user, assignees: [assignee] });
  const ofStranger = await open("sam-stranger");
  for (const user of ["sam-stranger", "practice[bot]", "grace-kelly"])
    await assign(ofStranger, user, "switchyard[bot]");
  await assign(ofStranger, "mia-member", "grace-kelly");
  await assign(ofStranger, "mia-member", "practice[bot]");
  await assign(ofStranger, "mia-member", "switchyard[bot]");
  const [first] = await runs(toApp, 1);
  expect(first).toMatchObject({ outcome: "started", reason: null });
  const { session } = (await owner.get(`/api/chat-sessions/${first?.sessionId}`)).body.data;
  expect(session).toMatchObject({
    title: `Assigned: #${ofStranger}`,
    priority: "urgent",
    filedBy: { kind: "trigger" },
  });
  await assign(await open("olive-owner"), "mia-member", "practice[bot]");
  expect(await runs(toOther, 1)).toMatchObject([{ outcome: "started" }]);
  expect(await listRuns(toApp)).toHaveLength(1);
  await owner.put(path, { version: version + 1, triggers: [] });
  await disconnectMember(sql);
});

test("an issue and a pull request have the answer in a comment, without the values of variables", async () => {
  const secret = "correct horse battery staple";
  const id = await copyProject(sql, { projectId: world.projectId, userId: world.users.owner.id });
  const settings = { setup: [], services: [], env: { MINE: secret } };
  expect((await owner.put(`/api/projects/${id}/settings`, settings)).status).toBe(200);
  const on = `answers-${process.pid}`;
  const usual = { do: { action: "start", prompt: script({ say: `It is ${secret}, @mia.` }) } };
  const triggers = [
    { ...usual, name: "Issues", on: "label", when: { labels: [on] }, answer: "text" },
    { ...usual, name: "Reviews", on: "pull_request", when: { branches: [on] } },
  ];
  expect((await owner.put(`/api/projects/${id}/triggers`, { version: 0, triggers })).status).toBe(200);
  await connectMember(sql);
  const user = "mia-member";
  const issue = await cleo.call("POST", "/issues", { title: "The board is empty", user });
  await cleo.call("POST", `/issues/${issue.number}/labels`, { user, labels: [on] });
  await cleo.commit(on, { "notes.txt": "new\n" }, "main");
  const pull = await cleo.call("POST", "/pulls", { title: "Notes", head: on, base: "main", user });
  for (const { number } of [issue, pull]) {
    const body = await until(`the answer on ${number}`, async () => {
      const listed = await cleo.call<{ body: string }[]>("GET", `/issues/${number}/comments`);
      return listed.length === 1 && listed[0]?.body.includes("**Done**") && listed[0].body;
    });
    expect(body).toMatch(/\*\*Done\*\*: \[open the session\]\(.*\/s\/.*\)\n\nIt is \[redacted\], @\u200bmia\.$/);
  }
  await owner.put(`/api/projects/${id}/triggers`, { version: 1, triggers: [] });
  await disconnectMember(sql);
});
