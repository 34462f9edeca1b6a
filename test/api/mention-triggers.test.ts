// Mentions of the app on issues and pull requests of the practice code host.
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { createCollaborator } from "../support/collaborator.ts";
import { connectMember, disconnectMember } from "../support/connected-account.ts";
import { until } from "../support/until.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const owner = createClient(world);
const cleo = createCollaborator(world);
const { sql } = createInside(world);
const path = `/api/projects/${world.projectId}/triggers`;
const login = "mia-member";

interface Run {
  outcome: string | null;
  reason: string | null;
  sessionId: string;
}
const listRuns = async (triggerId: string): Promise<Run[]> =>
  (await owner.get(`/api/projects/${world.projectId}/trigger-runs?triggerId=${triggerId}`)).body.data;
const runs = (triggerId: string, count: number) =>
  until(`${count} runs`, async () => {
    const listed = await listRuns(triggerId);
    return listed.length === count && listed.every(({ outcome }) => outcome !== null) && listed;
  });
async function put(trigger: object): Promise<string> {
  const { version } = (await owner.get(path)).body.data;
  const { status, body } = await owner.put(path, {
    version,
    triggers: [{ name: "Mentions", on: "mention", ...trigger }],
  });
  expect(status).toBe(200);
  return body.data.triggers[0].id;
}
const comment = (number: number, user: string, body: string) =>
  cleo.call("POST", `/issues/${number}/comments`, { user, body });
const list = async (number: number) =>
  (await cleo.call("GET", `/issues/${number}/comments?per_page=100`)) as unknown as {
    id: number;
    body: string;
    user: { login: string };
  }[];
const readAsked = async (sessionId: string) => {
  const all = await owner.messages(`/api/projects/${world.projectId}/chat-sessions/${sessionId}`);
  return all.filter(({ role, author }: { role: string; author: { kind?: string } | null }) => {
    return role === "user" && author?.kind === "trigger";
  });
};

beforeAll(() => connectMember(sql));
afterAll(async () => {
  const { version } = (await owner.get(path)).body.data;
  await owner.put(path, { version, triggers: [] });
  await disconnectMember(sql);
});

test("a member's mention on an issue starts a session, and the next one goes to it", async () => {
  const triggerId = await put({ do: { action: "start" }, answer: "text" });
  const issue = { title: "The board is empty", body: "Since today.", user: "sam-stranger" };
  const { number } = await cleo.call("POST", "/issues", issue);
  const say = (text: string) => script({ say: text });
  for (const user of ["sam-stranger", "practice[bot]", "switchyard[bot]", "grace-kelly"])
    await comment(number, user, `@switchyard ${say("Ship it.")}`);
  await comment(number, login, `> @switchyard ${say("Ship it.")}\n\nNo.`);
  const { id } = (await comment(number, login, "Look at it, please.")) as unknown as { id: number };
  await cleo.call("PATCH", `/issues/comments/${id}`, { user: login, body: `@switchyard ${say("Edited.")}` });
  await comment(number, login, `@switchyard ${say("Done.")}`);
  const [first] = await runs(triggerId, 1);
  expect(first).toMatchObject({ outcome: "started", reason: null });
  const reacted = (await list(number)).map(({ id }) => cleo.call("GET", `/issues/comments/${id}/reactions`));
  expect((await Promise.all(reacted)).filter((reactions) => (reactions as unknown as unknown[]).length > 0)).toEqual([
    [expect.objectContaining({ content: "eyes", user: expect.objectContaining({ login: "switchyard[bot]" }) })],
  ]);
  await comment(number, login, `@switchyard ${say("Again.")}`);
  const [second] = await runs(triggerId, 2);
  expect(second).toMatchObject({ outcome: "sent", sessionId: first?.sessionId });

  const sessionId = String(first?.sessionId);
  const [asked, again] = await until("both messages to be sent", async () => {
    const all = await readAsked(sessionId);
    return all.length === 2 && all;
  });
  const url = expect.stringMatching(`/issues/${number}#`);
  expect(asked.author).toMatchObject({ kind: "trigger", name: "Mentions", source: "github", login, url });
  expect(asked.content.startsWith(say("Done."))).toBe(true);
  expect(asked.content).toContain(`Issue #${number}, opened by sam-stranger:\n> The board is empty\n`);
  expect(again.content).toBe(say("Again."));
  const answered = await until("the answer to be shown", async () => {
    const own = (await list(number)).filter((one) => one.user.login === "switchyard[bot]" && one.body.includes("/s/"));
    return own.length > 0 && own[0]?.body.includes("Again.") && own;
  });
  expect(answered).toHaveLength(1);
  expect(answered[0]?.body).toMatch(
    new RegExp(`\\*\\*Done\\*\\*: \\[open the session\\]\\(.*/s/${sessionId}\\)\n\nAgain\\.$`),
  );
  const feed = `/api/activity?workspace=${world.workspaceId}&kind=session_started`;
  const started = await until("the start to be in the feed", async () => {
    const { data } = (await owner.get(feed)).body;
    return data.find(({ chatSessionId }: { chatSessionId: string }) => chatSessionId === sessionId);
  });
  expect(started).toMatchObject({ source: null, payload: { trigger: { name: "Mentions", source: "github" } } });
  expect(started.actor).not.toBeNull();
});

test("a mention on a session's pull request goes to the session, and one on another starts on its head", async () => {
  const triggerId = await put({ do: { action: "start" } });
  const base = `mentions-${process.pid}`;
  await cleo.commit(base, { "notes.txt": "old\n" }, "main");
  const work = script({ write: { path: "notes.txt", content: "one\n" } }, push("mine"));
  const session = await owner.createSession({ title: "Mentions", targetBranch: base, content: work });
  await owner.jobUntil(session.path, session.jobId);
  const opening = await owner.send(session.path, "/svc:open-pr");
  await owner.jobUntil(session.path, opening.body.data.chatJobId);
  const { prNumber } = (await owner.get(session.path)).body.data.session;
  const review = { user: login, event: "COMMENT", body: `@switchyard ${script({ say: "Read." })}` };
  const comments = [{ path: "notes.txt", line: 1, side: "RIGHT", body: "Why one?" }];
  await cleo.call("POST", `/pulls/${prNumber}/reviews`, { ...review, comments });
  expect(await runs(triggerId, 1)).toMatchObject([{ outcome: "sent", sessionId: session.id }]);
  const [asked] = await until("the review to be sent", async () => {
    const all = await readAsked(session.id);
    return all.length > 0 && all;
  });
  expect(asked.content).toContain("A comment of the review on a line:\n> notes.txt:1\n> Why one?");
  await cleo.call("POST", `/pulls/${prNumber}/comments`, {
    ...{ user: login, path: "notes.txt", line: 1, body: "@switchyard autofix off" },
  });
  expect(await runs(triggerId, 2)).toMatchObject([{ outcome: "sent", sessionId: session.id }, {}]);

  const branch = `${base}-other`;
  await cleo.commit(branch, { "notes.txt": "new\n" }, base);
  const { number } = await cleo.call("POST", "/pulls", { title: "Notes", head: branch, base });
  await comment(number, login, `@switchyard ${script({ say: "Hm." })}`);
  const [started] = await runs(triggerId, 3);
  expect(started?.outcome).toBe("started");
  const { session: other } = (await owner.get(`/api/chat-sessions/${started?.sessionId}`)).body.data;
  expect(other).toMatchObject({ targetBranch: branch, createdBy: null, assignee: null });

  const running = await owner.send(session.path, script({ bash: "sleep 600" }));
  await comment(Number(prNumber), "sam-stranger", "@switchyard stop");
  await comment(Number(prNumber), login, "@switchyard stop");
  const { chatJobId } = running.body.data;
  expect(await owner.jobUntil(session.path, chatJobId, ["cancelled"])).toMatchObject({ status: "cancelled" });
  expect(await listRuns(triggerId)).toHaveLength(4);
});

test("a comment has the preview's public link until it is revoked, and none of a writer who has left", async () => {
  const triggerId = await put({ do: { action: "start", assignee: "author" }, answer: "text", share: true });
  const open = () => cleo.call("POST", "/issues", { title: "Shared", body: "", user: "sam-stranger" });
  const answer = (number: number, word: string) =>
    until(`the comment to have ${word}`, async () => {
      const own = (await list(number)).find((one) => one.user.login === "switchyard[bot]" && one.body.includes("/s/"));
      return own?.body.includes(word) && own.body;
    });
  const { number } = await open();
  await comment(number, login, `@switchyard ${script({ say: "Done." })}`);
  const [run] = await runs(triggerId, 1);
  const { session } = (await owner.get(`/api/chat-sessions/${run?.sessionId}`)).body.data;
  expect(session.assignee).toMatchObject({ kind: "member", userId: world.users.member.id });
  const body = await answer(number, "**Done**");
  const [, slug = ""] = /\[open the preview\]\(.*\/shared\/([^)]+)\)/.exec(body) ?? [];
  const share = `/api/projects/${world.projectId}/preview/share?sessionId=${session.id}`;
  expect((await owner.get(share)).body.data.share).toMatchObject({ slug });
  expect((await fetch(`${world.baseUrl}/api/shared-previews/${slug}`)).status).toBe(200);

  expect((await owner.delete(share)).status).toBe(200);
  await comment(number, login, `@switchyard ${script({ say: "Another time." })}`);
  expect(await answer(number, "Another time.")).not.toContain("/shared/");
  expect((await owner.get(share)).body.data.share).toBeNull();

  await sql("UPDATE triggers SET written_by = ?1 WHERE project_id = ?2", world.users.outsider.id, world.projectId);
  const { number: other } = await open();
  await comment(other, login, `@switchyard ${script({ say: "Done." })}`);
  expect(await answer(other, "**Done**")).not.toContain("/shared/");
});

function push(message: string) {
  return { bash: `git add -A && git commit -qm ${message} && git push -q origin HEAD` };
}
