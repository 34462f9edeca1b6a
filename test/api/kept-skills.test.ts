// Personal and workspace skills through the running service: what is saved and read, and that a
// session has the skills that its list shows.
import { afterEach, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { clientWith, createClient } from "../support/client.ts";
import { createProposals } from "../support/proposals.ts";

const world = apiWorld();
const owner = createClient(world);
const other = createClient(world, "member");
const agent = clientWith(world, world.agentTokens.ofOwner);
const { endSessions } = createProposals(world);
const personal = "/api/user/skills";
const ofWorkspace = `/api/organizations/${world.workspaceId}/skills`;

afterEach(endSessions);

/** A skill whose practice block prints text of its second file. */
function printing(name: string, what: string) {
  const step = JSON.stringify({ bash: `${"$"}{CLAUDE_SKILL_DIR}/print.sh; git status --porcelain` });
  const matter = `name: ${name}\ndescription: Prints ${what}.\nargument-hint: <what>`;
  return [
    { path: "print.sh", content: `#!/bin/sh\necho printed ${what}\n` },
    { path: "SKILL.md", content: `---\n${matter}\n---\n\n\`\`\`practice\n${step}\n\`\`\`\n` },
  ];
}

test("a personal skill is saved, read, changed and deleted only by its owner", async () => {
  const files = printing("keep", "one");
  const made = await owner.post(personal, { files });
  expect([made.status, made.body]).toEqual([201, { data: { id: expect.any(String) } }]);
  const path = `${personal}/${made.body.data.id}`;
  const row = {
    id: made.body.data.id,
    name: "keep",
    description: "Prints one.",
    enabled: true,
    fileCount: 2,
    replaces: [],
  };
  expect((await owner.get(personal)).body).toEqual({ data: [row] });
  expect((await owner.get(path)).body).toEqual({ data: { ...row, files } });
  expect((await owner.post(personal, { files, enabled: false })).body.code).toBe("SKILL_NAME_TAKEN");
  for (const answer of [
    await other.get(path),
    await other.call("PATCH", path, { enabled: false }),
    await other.delete(path),
  ])
    expect(answer.status).toBe(404);
  expect((await owner.call("PATCH", path, {})).body.code).toBe("VALIDATION_ERROR");
  expect((await owner.call("PATCH", path, { files: [{ path: "../SKILL.md", content: "" }] })).body).toMatchObject({
    code: "VALIDATION_ERROR",
    details: [
      { path: "files.0.path", file: "../SKILL.md" },
      { path: "files", file: "SKILL.md" },
    ],
  });
  const team = await owner.post(ofWorkspace, { files });
  expect((await agent.get(path)).body.data.replaces).toMatchObject([{ workspaceId: world.workspaceId }]);
  expect((await agent.call("PATCH", path, { enabled: false })).status).toBe(403);
  expect((await other.get(`${ofWorkspace}/${team.body.data.id}`)).body.data).toMatchObject({ name: "keep", files });
  expect((await owner.delete(`${ofWorkspace}/${team.body.data.id}`)).status).toBe(204);
  expect((await owner.call("PATCH", path, { enabled: false, files: printing("kept", "two") })).status).toBe(204);
  expect((await owner.get(path)).body.data).toMatchObject({ name: "kept", enabled: false, replaces: [] });
  expect((await owner.delete(path)).status).toBe(204);
  expect((await owner.get(path)).status).toBe(404);
});

test("of several skills with one name, the personal one counts, then the workspace's, then the project's; a change takes effect in the next turn", async () => {
  const [own, team, project] = ["personal", "workspace", "project"].map((source) => printing("show", source));
  const made = [await owner.post(personal, { files: own }), await owner.post(ofWorkspace, { files: team })];
  const [ownPath, teamPath] = [personal, ofWorkspace].map((path, at) => `${path}/${made[at]?.body.data.id}`);
  const writes = (project ?? []).map(({ path, content }) => ({
    write: { path: `.agents/skills/show/${path}`, content },
  }));
  const { id, path } = await owner.createSession({ title: "Skills" });
  await owner.run(
    path,
    ...writes,
    { bash: "chmod +x .agents/skills/show/print.sh; git add -A; git commit -qm skill" },
    { say: "Done." },
  );

  /** The source that the list names, and what the agent printed. */
  const shown = async () => {
    const list = (await owner.get(`/api/projects/${world.projectId}/skills?sessionId=${id}`)).body.data;
    const sent = await owner.send(path, "/show");
    await owner.jobUntil(path, sent.body.data.chatJobId);
    const blocks = await owner.listBlocks(path, sent.body.data.chatJobId);
    const sources = list
      .filter(({ name }: { name: string }) => name === "show")
      .map((one: { source: string }) => one.source);
    return [...sources, blocks.find(({ output }) => typeof output === "string")?.output];
  };
  expect(await shown()).toEqual(["personal", "printed personal\n"]);
  expect((await owner.call("PATCH", `${ownPath}`, { files: printing("show", "anew") })).status).toBe(204);
  expect(await shown()).toEqual(["personal", "printed anew\n"]);
  expect((await owner.call("PATCH", `${ownPath}`, { enabled: false })).status).toBe(204);
  expect(await shown()).toEqual(["workspace", "printed workspace\n"]);
  expect((await owner.delete(`${teamPath}`)).status).toBe(204);
  expect(await shown()).toEqual(["project", "printed project\n"]);
  const mine = (await other.get(`/api/projects/${world.projectId}/skills`)).body.data;
  // The member may have skills of other tests.
  expect(mine.filter(({ name }: { name: string }) => name === "show")).toEqual([]);
});
