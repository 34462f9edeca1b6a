// Skill messages (Part 1): what calls a skill and what does not, the result of a call that cannot
// be performed, and which skills exist.
import { afterEach, describe, expect, test } from "vitest";
import { agentRecord } from "../support/agent-record.ts";
import { apiWorld } from "../support/api-world.ts";
import { script } from "../support/client.ts";
import { closedGate } from "../support/gate.ts";
import { createProposals } from "../support/proposals.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const { ask, atCodeHost, change, endSessions, owner, proposedAtCodeHost, record, worked } = createProposals(world);

afterEach(endSessions);

describe("a message that calls a skill", () => {
  test("starts with $ for a model of the second provider, and only with it", async () => {
    const { path, branch } = await worked({ model: "openai:gpt__high" });
    expect(await ask(path, "/svc:open-pr")).toMatchObject({ status: "completed" });
    expect(await proposedAtCodeHost(branch)).toEqual([]);
    expect(await ask(path, "$svc:open-pr -d")).toMatchObject({ status: "completed" });
    expect(await proposedAtCodeHost(branch)).toMatchObject([{ draft: true }]);
  });

  test("is ordinary text if no skill has its name, and the response names the nearest", async () => {
    const { path } = await owner.createSession({ title: "Misspelled" });
    const { status, body } = await owner.send(path, "/svc:open-prr");
    expect([status, body.data.notice]).toEqual([201, expect.stringContaining("Did you mean `svc:open-pr`?")]);
    expect(await owner.jobUntil(path, body.data.chatJobId)).toMatchObject({ status: "completed" });
    expect((await owner.messages(path))[0].content).toBe("/svc:open-prr");
    expect((await owner.send(path, "Thank you.")).body.data).not.toHaveProperty("notice");
  });

  test("appears in the transcript as written", async () => {
    const { path } = await worked();
    await ask(path, "/svc:open-pr  -d   Because.");
    const shown = (await owner.messages(path)).filter(({ role }: { role: string }) => role === "user");
    expect(shown.at(-1).content).toBe("/svc:open-pr  -d   Because.");
    expect(JSON.stringify(await owner.messages(path))).not.toContain("<skill");
  });

  test("may be a Backlog session's prompt, which fails without anything to merge, or a queued message", async () => {
    const { path } = await owner.createSession({ title: "Later", status: "backlog", prompt: "/svc:open-pr" });
    const { chatJobId } = (await owner.post(`${path}/activate`)).body.data;
    expect(await owner.jobUntil(path, chatJobId)).toMatchObject({
      status: "failed",
      error: expect.stringContaining("nothing to merge"),
    });
    expect(await record(path)).toMatchObject({ status: "active", prUrl: null, needsYouReason: "job_failed" });
    const gate = await closedGate();
    const sent = await owner.send(path, script(change(), { bash: gate.command }, { say: "Done." }));
    expect((await owner.send(path, "/svc:open-pr")).body.data.delivery).toBe("queued");
    gate.open();
    await owner.jobUntil(path, sent.body.data.chatJobId);
    await until("the pull request to be open", async () => (await record(path)).status === "under-review");
  });

  test("gets a separate turn: it is not steered into another", async () => {
    const { path } = await worked();
    const gate = await closedGate();
    const sent = await owner.send(path, script({ bash: gate.command }, { say: "Done." }));
    await owner.jobUntil(path, sent.body.data.chatJobId, ["running"]);
    const { queuedMessageId } = (await owner.send(path, "/svc:open-pr -d")).body.data;
    const steered = await owner.post(`${path}/queue/${queuedMessageId}/steer`);
    expect([steered.status, steered.body.code]).toEqual([409, "STEER_UNAVAILABLE"]);
    expect((await owner.upNext(path)).messages.map(({ id }) => id)).toEqual([queuedMessageId]);
    gate.open();
    await until("the draft to be open", async () => (await record(path)).prState === "draft");
  });

  test("is required: other turns do not have the tool", async () => {
    const { path, branch } = await worked();
    const call = { tool: { name: "open_pull_request", input: { title: "T", body: "B" } } };
    const job = await owner.run(path, { bash: "git add -A && git commit -qm w && git push -q origin HEAD" }, call, {
      say: "Done.",
    });
    expect(job.status).toBe("completed");
    expect(await proposedAtCodeHost(branch)).toEqual([]);
  });
});

describe("a pull request that cannot be opened", () => {
  test("lists the uncommitted changes; unpushed commits are pushed", async () => {
    const { path, branch } = await worked();
    const call = { tool: { name: "open_pull_request", input: { title: "T", body: "B" } } };
    const commit = { bash: "git add -A && git commit -qm w" };
    const sent = await owner.send(path, `/svc:open-pr\n${script(call, commit, call, { say: "Open." })}`);
    const job = await owner.jobUntil(path, sent.body.data.chatJobId);
    const blocks = await owner.listBlocks(path, job.id);
    const tools = blocks.filter(({ name }) => name === "open_pull_request");
    expect(tools).toMatchObject([
      { status: "failed", output: expect.stringContaining("departures.txt") },
      { status: "completed", output: expect.stringContaining("ready for review") },
    ]);
    expect(await atCodeHost("show", `${branch}:departures.txt`)).toContain("08:14 Utrecht");
    expect(await record(path)).toMatchObject({ status: "under-review" });
  });

  test("is one pull request, however often the agent calls the tool", async () => {
    const { path, branch } = await worked();
    const call = (title: string) => ({ tool: { name: "open_pull_request", input: { title, body: "B" } } });
    const commit = { bash: "git add -A && git commit -qm w" };
    const sent = await owner.send(
      path,
      `/svc:open-pr -d\n${script(commit, call("one"), call("two"), { say: "Open." })}`,
    );
    expect(await owner.jobUntil(path, sent.body.data.chatJobId)).toMatchObject({ status: "completed" });
    expect(await proposedAtCodeHost(branch)).toMatchObject([{ title: "two", draft: true }]);
    expect(await record(path)).toMatchObject({ status: "active", prState: "draft" });
  });
});

describe("the skills of a session", () => {
  const { projectId } = apiWorld();
  const skills = async (query: string) => await owner.get(`/api/projects/${projectId}/skills?${query}`);
  const file = (matter: string, text: string) => `---\n${matter}\n---\n\n${text}\n`;
  const factory = {
    name: "svc:open-pr",
    source: "factory",
    description: expect.any(String),
    argumentHint: expect.any(String),
  };

  test("are the built-in ones without a checkout, and reading them wakes nothing", async () => {
    for (const provider of ["anthropic", "openai", "zai", "kimi"]) {
      const { status, body } = await skills(`provider=${provider}`);
      expect([status, body.data]).toEqual([200, expect.arrayContaining([factory])]);
    }
    const { id, path } = await owner.createSession({ title: "Skills", status: "backlog" });
    expect((await skills(`provider=anthropic&sessionId=${id}`)).body.data).toContainEqual(factory);
    expect((await record(path)).status).toBe("backlog");
  });

  test("need an existing provider and session", async () => {
    expect(await skills("provider=acme")).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } });
    const nobodys = "01900000-0000-7000-8000-000000000000";
    expect(await skills(`provider=anthropic&sessionId=${nobodys}`)).toMatchObject({ status: 404 });
  });

  test("include the project's own, which run when a message calls them", async () => {
    const writes = [
      [
        ".agents/skills/release/SKILL.md",
        file(
          "name: release-notes\ndescription: Writes them.\nargument-hint: <month>",
          "Write the notes. REMEMBER-THIS",
        ),
      ],
      [".claude/skills/release/SKILL.md", file("name: release-notes\ndescription: Another.", "Not this one.")],
      [".claude/skills/tidy/SKILL.md", file("name: tidy\ndescription: Tidies.", "Tidy up.")],
      [".agents/skills/broken/SKILL.md", "no front matter"],
      [".agents/skills/taken/SKILL.md", file("name: svc:open-pr\ndescription: Mine.", "Do something else.")],
    ].map(([path, content]) => ({ write: { path, content } }));
    const links =
      "mkdir -p .agents/skills/outside && ln -s /etc .agents/skills/etc && ln -s /etc/passwd .agents/skills/outside/SKILL.md";
    const { id, path, jobId } = await owner.createSession({
      title: "Own",
      content: script(...writes, { bash: links }, { say: "Done." }),
    });
    await owner.jobUntil(path, jobId);
    const own = (await skills(`provider=anthropic&sessionId=${id}`)).body.data.filter(
      ({ source }: { source: string }) => source === "project",
    );
    expect(own).toEqual([
      { name: "release-notes", description: "Writes them.", argumentHint: "<month>", source: "project" },
      { name: "tidy", description: "Tidies.", argumentHint: null, source: "project" },
    ]);
    const call = `/release-notes May\n${script({ say: "Done." })}`;
    await ask(path, call);
    expect(await agentRecord(world, owner, path)).toContain("REMEMBER-THIS");
    const shown = (await owner.messages(path)).filter(({ role }: { role: string }) => role === "user");
    expect(shown.at(-1).content).toBe(call);
  });
});
