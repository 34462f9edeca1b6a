// The skill `svc:open-pr` from the message to the code host (Part 1, "Skill messages" and "Session
// statuses"): its promises are checked in the session and on the code host.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { createCollaborator } from "../support/collaborator.ts";
import { closedGate } from "../support/gate.ts";
import { createProposals, type Question } from "../support/proposals.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const member = createClient(world, "member");
const {
  ask,
  atCodeHost,
  callCodeHost,
  endSessions,
  owner,
  proposedAtCodeHost,
  listQuestions,
  record,
  readReviewers,
  worked,
} = createProposals(world);

const titles = (question: Question | undefined) => question?.options.map(({ title }) => title);

describe("a pull request from its message to its end", () => {
  afterEach(endSessions);

  test("opens ready, becomes a draft after a member's message, follows the status, and its merge completes the session", async () => {
    const { path, branch } = await worked();
    expect(await ask(path, "/svc:open-pr The board was empty.")).toMatchObject({ status: "completed", error: null });
    const opened = await record(path);
    expect(opened).toMatchObject({ status: "under-review", prState: "open", prUrl: expect.stringContaining("/pull/") });
    const [atHost, ...others] = await proposedAtCodeHost(branch);
    expect(others).toEqual([]);
    expect(atHost).toMatchObject({ html_url: opened.prUrl, state: "open", draft: false, base: { ref: "main" } });
    expect(atHost.body).toContain("The board was empty.");
    expect(await atCodeHost("show", `${branch}:departures.txt`)).toContain("08:14 Utrecht");
    const { number } = atHost;
    const isDraftThere = async () => (await callCodeHost("GET", `/pulls/${number}`)).body.draft;

    const listed = (await owner.get(`${owner.sessions}?status=under-review&pageSize=100`)).body.data;
    expect(listed.map(({ id }: { id: string }) => id)).toContain(opened.id);

    expect(await ask(path, script({ say: "I am back." }), member)).toMatchObject({ status: "completed" });
    expect(await record(path)).toMatchObject({ status: "active", prState: "draft", prUrl: opened.prUrl });
    expect(await isDraftThere()).toBe(true);

    await owner.put(path, { status: "under-review" });
    expect([(await record(path)).prState, await isDraftThere()]).toEqual(["open", false]);
    await owner.put(path, { status: "active" });
    expect([(await record(path)).prState, await isDraftThere()]).toEqual(["draft", true]);
    await owner.put(path, { status: "under-review" });

    expect((await callCodeHost("PUT", `/pulls/${number}/merge`)).status).toBe(200);
    await until("the session to be completed", async () => (await record(path)).status === "completed");
    expect((await record(path)).prState).toBe("merged");
  });

  test("that is closed on the code host archives the session", async () => {
    const { path } = await worked();
    await ask(path, "/svc:open-pr");
    await callCodeHost("PATCH", `/pulls/${(await record(path)).prNumber}`, { state: "closed" });
    await until("the session to be archived", async () => (await record(path)).status === "archived");
  });

  test("stays a draft, and its session Active, with the flag", async () => {
    const { path, branch } = await worked();
    expect(await ask(path, "/svc:open-pr Not done yet -d")).toMatchObject({ status: "completed" });
    expect(await record(path)).toMatchObject({ status: "active", prState: "draft" });
    expect(await proposedAtCodeHost(branch)).toMatchObject([{ draft: true }]);
  });

  test("keeps the queue waiting during a review", async () => {
    const { path } = await worked();
    const gate = await closedGate();
    const steps = [{ bash: gate.command }, { bash: "git add -A && git commit -qm w" }];
    const call = { tool: { name: "open_pull_request", input: { title: "T", body: "B" } } };
    const sent = await owner.send(path, `/svc:open-pr\n${script(...steps, call)}`);
    expect((await owner.send(path, script({ say: "Later." }))).body.data.delivery).toBe("queued");
    gate.open();
    await owner.jobUntil(path, sent.body.data.chatJobId);
    expect((await record(path)).status).toBe("under-review");
    expect(await owner.upNext(path)).toMatchObject({ messages: [{}], paused: { reason: "under_review" } });
  });
});

describe("an open pull request", () => {
  let path: string;
  let branch: string;
  beforeAll(async () => {
    ({ path, branch } = await worked());
  });
  afterAll(endSessions);

  test("is rewritten, even with the draft flag, and keeps its reviewers unless others are named", async () => {
    await ask(path, "/svc:open-pr -r olive-owner First words.");
    const { number } = (await proposedAtCodeHost(branch))[0];
    expect(await readReviewers(number)).toEqual(["olive-owner"]);
    await ask(path, script({ write: { path: "second.txt", content: "2" } }, { say: "More." }));
    expect(await ask(path, "/svc:open-pr -d Second words.")).toMatchObject({ status: "completed" });
    expect(await record(path)).toMatchObject({ status: "under-review", prState: "open", prNumber: number });
    const [after, ...others] = await proposedAtCodeHost(branch);
    expect(others).toEqual([]);
    expect(after.body).toContain("Second words.");
    expect(after.body).not.toContain("First words.");
    expect(await atCodeHost("show", `${branch}:second.txt`)).toBe("2");
    expect(await readReviewers(number)).toEqual(["olive-owner"]);
    await ask(path, "/svc:open-pr --reviewers=Adam, @mia_member");
    expect(await readReviewers(number)).toEqual(["adam-admin", "mia-member"]);
  });

  test("keeps its evidence when it is rewritten, and accepts more", async () => {
    await ask(path, "/svc:open-pr -e https://a.example/1.png, https://a.example/2.png");
    await ask(path, "/svc:open-pr -e https://a.example/3.png");
    const [{ body }] = await proposedAtCodeHost(branch);
    const section = body.slice(body.indexOf("## Evidence"));
    expect(section.match(/https:\S+/g)).toEqual([1, 2, 3].map((n) => `https://a.example/${n}.png`));
  });

  test.each([
    ["Leave it on main", "main"],
    ["Move it to next", "next"],
  ] as const)("whose Target Branch has changed asks the user for the branch: %j", async (answer, base) => {
    await atCodeHost("update-ref", "refs/heads/next", "refs/heads/main");
    await owner.put(path, { status: "active" });
    await owner.put(path, { targetBranch: "next" });
    const job = await ask(path, "/svc:open-pr");
    expect(job.status).toBe("awaiting_response");
    const [question] = await listQuestions(path, job.id);
    expect(titles(question)).toEqual(["Move it to next", "Leave it on main"]);
    expect(await proposedAtCodeHost(branch)).toMatchObject([{ base: { ref: "main" }, draft: true }]);
    expect(await ask(path, answer)).toMatchObject({ status: "completed" });
    expect(await proposedAtCodeHost(branch)).toMatchObject([{ base: { ref: base }, draft: false }]);
    expect(await record(path)).toMatchObject({ status: "under-review", targetBranch: base });
  });
});

describe("a reviewer's name", () => {
  afterEach(endSessions);

  test("that matches several people leads to a question, and the answer completes the task", async () => {
    const { path, branch } = await worked();
    const job = await ask(path, "/svc:open-pr -d -r grace, olive -e https://a.example/1");
    expect(job.status).toBe("awaiting_response");
    const [question, ...others] = await listQuestions(path, job.id);
    expect(others).toEqual([]);
    expect(titles(question)).toEqual(["grace-hopper", "grace-kelly", "No reviewer"]);
    expect(question?.options.map(({ isRecommended }) => isRecommended)).toEqual([true, false, false]);
    expect(await proposedAtCodeHost(branch)).toEqual([]);
    expect(await record(path)).toMatchObject({ prUrl: null, needsYouReason: "awaiting_response" });

    const answered = await ask(path, "grace-kelly");
    expect(answered.status).toBe("completed");
    const [atHost] = await proposedAtCodeHost(branch);
    expect(JSON.stringify(await owner.listBlocks(path, answered.id))).toContain(`is open: ${atHost.html_url}`);
    expect(atHost).toMatchObject({ draft: true, body: expect.stringContaining("https://a.example/1") });
    expect(await readReviewers(atHost.number)).toEqual(["grace-kelly", "olive-owner"]);
    expect(await record(path)).toMatchObject({ status: "active", prUrl: atHost.html_url });
  });

  test("that is still ambiguous after an answer leads to another question, without the chosen ones", async () => {
    const { path, branch } = await worked();
    const first = await ask(path, "/svc:open-pr -d -r adam grace zzz");
    const asked = await listQuestions(path, first.id);
    expect(asked.map(({ topic }) => topic)).toEqual(["Reviewer grace", "Reviewer zzz"]);
    expect(titles(asked[1])).not.toContain("adam-admin");
    const answers = [{ question: asked[0]?.question, option: "grace-kelly" }];
    const second = await ask(path, "", owner, { answers });
    expect(second).toMatchObject({ status: "awaiting_response", error: null });
    const left = await listQuestions(path, second.id);
    expect(left.map(({ topic }) => topic)).toEqual(["Reviewer zzz"]);
    expect(titles(left[0])).not.toContain("grace-kelly");
    expect(await proposedAtCodeHost(branch)).toEqual([]);
    expect(await record(path)).toMatchObject({ needsYouReason: "awaiting_response" });
    expect(await ask(path, "No reviewer")).toMatchObject({ status: "completed" });
    const [atHost] = await proposedAtCodeHost(branch);
    expect(atHost.draft).toBe(true);
    expect(await readReviewers(atHost.number)).toEqual(["adam-admin", "grace-kelly"]);
  });

  test("is not answered by a message that was queued before the question", async () => {
    const { path, branch } = await worked();
    const gate = await closedGate();
    const steps = [{ bash: gate.command }, { bash: "git add -A && git commit -qm w" }];
    const call = { tool: { name: "open_pull_request", input: { title: "T", body: "B" } } };
    const sent = await owner.send(path, `/svc:open-pr -r grace\n${script(...steps, call)}`);
    expect((await owner.send(path, "1")).body.data.delivery).toBe("queued");
    gate.open();
    expect(await owner.jobUntil(path, sent.body.data.chatJobId)).toMatchObject({ status: "awaiting_response" });
    expect((await owner.post(`${path}/queue/resume`)).status).toBe(204);
    const next = await until("the message that waited to have run", async () => {
      const { latestChatJob } = await record(path);
      return latestChatJob.jobNumber === sent.body.data.jobNumber + 1 && latestChatJob.status === "completed";
    });
    expect(next).toBe(true);
    expect(await proposedAtCodeHost(branch)).toEqual([]);
  });

  test("that matches nobody may be answered with no reviewer", async () => {
    const { path, branch } = await worked();
    await ask(path, "/svc:open-pr -r admn");
    expect(await ask(path, "No reviewer")).toMatchObject({ status: "completed" });
    const [atHost] = await proposedAtCodeHost(branch);
    expect(await readReviewers(atHost.number)).toEqual([]);
    expect((await record(path)).status).toBe("under-review");
  });

  test("is dropped if the answer is about something else", async () => {
    const { path, branch } = await worked();
    await ask(path, "/svc:open-pr -r grace");
    expect(await ask(path, script({ say: "Something else." }))).toMatchObject({ status: "completed" });
    expect(await ask(path, "grace-kelly")).toMatchObject({ status: "completed" });
    expect(await proposedAtCodeHost(branch)).toEqual([]);
    expect(await ask(path, "/svc:open-pr -r grace-kelly")).toMatchObject({ status: "completed" });
    expect(await proposedAtCodeHost(branch)).toMatchObject([{ draft: false }]);
  });
});

describe("a reviewer's name in a later question of the same pull request", () => {
  let path: string;
  let branch: string;
  beforeAll(async () => {
    ({ path, branch } = await worked());
  });
  afterAll(endSessions);
  const chosen = async () => await readReviewers((await proposedAtCodeHost(branch))[0].number);

  test.each<[answer: string, more: object, login: string]>([
    ["Grace-Kelly ", {}, "grace-kelly"],
    ["", { answers: [{ question: 0, option: "grace-kelly" }] }, "grace-kelly"],
    ["And thank her.", { answers: [{ question: 0, option: 0 }] }, "grace-hopper"],
  ])("may be answered by a title, a number or an option: %j with %j", async (answer, more, login) => {
    await ask(path, "/svc:open-pr -r grace");
    expect(await ask(path, answer, owner, { ...more })).toMatchObject({ status: "completed" });
    expect(await chosen()).toEqual([login]);
  });

  test("that is unclear after an answer leads to a question of the agent", async () => {
    await ask(path, "/svc:open-pr -r grace The board was empty.");
    const again = await ask(path, "not the first one");
    expect(again.status).toBe("awaiting_response");
    expect(titles((await listQuestions(path, again.id))[0])).toContain("grace-kelly");
    expect(await ask(path, "grace-kelly")).toMatchObject({ status: "completed" });
    expect(await proposedAtCodeHost(branch)).toMatchObject([{ body: expect.stringContaining("The board was empty.") }]);
  });

  test("stays as the user chose it, even if the agent names others", async () => {
    await ask(path, "/svc:open-pr -r grace zzz");
    const call = { tool: { name: "open_pull_request", input: { title: "T", body: "B", reviewers: ["mia"] } } };
    const prose = `For zzz, the one who is a member.\n${script(call)}`;
    const answers = [{ question: 0, option: "grace-kelly" }];
    expect(await ask(path, prose, owner, { answers })).toMatchObject({ status: "completed" });
    expect(await chosen()).toEqual(["grace-kelly", "mia-member"]);
  });

  test("may have several words, with or without quotes", async () => {
    expect(await ask(path, '/svc:open-pr -r Grace Hopper, "adam-admin mia-member"')).toMatchObject({
      status: "completed",
    });
    expect(await chosen()).toEqual(["adam-admin", "grace-hopper", "mia-member"]);
  });

  const answers: [what: string, answer: string, reviewers: string[]][] = [
    ["an option", "Adam-Admin", ["adam-admin"]],
    ["names that its agent reads", "mia and olive", ["mia-member", "olive-owner"]],
  ];
  const read = { tool: { name: "open_pull_request", input: { title: "T", body: "", reviewers: ["mia", "olive"] } } };

  test.each(answers)("that matches nobody leads to a question; answered by %s", async (_, answer, reviewers) => {
    const job = await ask(path, "/svc:open-pr -r admn");
    expect(job.status).toBe("awaiting_response");
    expect(titles((await listQuestions(path, job.id))[0])?.[0]).toBe("adam-admin");
    const message = answer.startsWith("mia") ? `${answer}\n${script(read)}` : answer;
    expect(await ask(path, message)).toMatchObject({ status: "completed" });
    expect(await chosen()).toEqual(reviewers);
    expect((await record(path)).status).toBe("under-review");
  });

  test("may be resolved by the agent if the user answered in their own words", async () => {
    await ask(path, "/svc:open-pr -r grace");
    const call = { tool: { name: "open_pull_request", input: { title: "T", body: "B", reviewers: ["hopper"] } } };
    expect(await ask(path, `The one who invented the compiler, of course!\n${script(call)}`)).toMatchObject({
      status: "completed",
    });
    expect(await chosen()).toEqual(["grace-hopper"]);
    expect((await record(path)).status).toBe("under-review");
  });
});

test("a turn whose push is refused fails and opens no pull request", async () => {
  const { path, branch } = await worked();
  await createCollaborator(world).commit(branch, { "theirs.txt": "first" }, "main");
  const job = await ask(path, "/svc:open-pr");
  expect(job).toMatchObject({ status: "failed", error: expect.stringContaining("without the pull request") });
  expect(await record(path)).toMatchObject({ status: "active", prUrl: null, needsYouReason: "job_failed" });
  expect(await proposedAtCodeHost(branch)).toEqual([]);
});
