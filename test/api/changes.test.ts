// The file tree, the changes, the patch and the commits of a session's sandbox, through the API.
import { beforeAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { createCollaborator } from "../support/collaborator.ts";

const world = apiWorld();
const owner = createClient(world);
const cleo = createCollaborator(world);
let session: string;
let id: string;

beforeAll(async () => {
  const created = await owner.createSession({
    title: "Changes",
    content: script(
      {
        bash: "mkdir -p notes node_modules/x && echo x > node_modules/x/index.js && printf 'one\\ntwo\\n' > notes/new.txt",
      },
      {
        bash: "git add notes && git commit -qm 'Add notes' && echo more >> README.md && ln -s / root && touch .DS_Store",
      },
      { say: "Changed." },
    ),
  });
  ({ path: session, id } = created);
  expect((await owner.jobUntil(session, created.jobId)).status).toBe("completed");
});

/** Gives a session a Target Branch that is deleted afterwards. */
async function becomes(path: string, targetBranch: string): Promise<void> {
  await cleo.atHost("branch", targetBranch, "main");
  expect((await owner.put(path, { targetBranch })).status).toBe(200);
  await cleo.atHost("branch", "-D", targetBranch);
}

const get = async (what: string) => (await owner.get(`${session}/preview/${what}`)).body.data;
const diff = (path: string) => owner.get(`${session}/preview/diff?path=${path}`);

test("the tree has the project's files without the folders that tools generate", async () => {
  const { files } = await get("files");
  const top = files.map(({ name }: { name: string }) => name);
  expect(top).toEqual(expect.arrayContaining(["notes", "README.md", "root"]));
  for (const name of ["node_modules", ".git", ".DS_Store"]) expect(top).not.toContain(name);
  expect(files.find(({ name }: { name: string }) => name === "notes").children).toEqual([
    { name: "new.txt", type: "file", path: "notes/new.txt", size: 8, lastModified: expect.any(String) },
  ]);
});

test("files that differ from the base are listed, with their committed state", async () => {
  const { files } = await get("changed-files");
  expect(files).toContainEqual({
    path: "notes/new.txt",
    previousPath: null,
    status: "added",
    additions: 2,
    deletions: 0,
    isBinary: false,
    committed: true,
  });
  expect(files).toContainEqual(expect.objectContaining({ path: "README.md", status: "modified", committed: false }));
});

test("the patch can be of one file or of all files", async () => {
  const one = await get("diff?path=notes/new.txt");
  expect(one).toEqual({
    patch: expect.stringMatching(/^diff --git a\/notes\/new.txt [\s\S]*\n\+one\n\+two\n$/),
    isCut: false,
  });
  expect((await get("diff")).patch).toContain("+more\n");
  expect(await get("diff?kept=true")).toMatchObject({ patch: expect.stringContaining("+more\n"), available: true });
});

test("the commits are those that the base does not have", async () => {
  const { commits } = await get("commits");
  expect(commits).toEqual([
    {
      sha: expect.stringMatching(/^[0-9a-f]{40}$/),
      message: "Add notes",
      author: "Switchyard Agent",
      committedAt: expect.stringMatching(/Z$/),
    },
  ]);
});

describe("a patch never shows a file outside of the project, however the path is written", () => {
  test.each([
    ["../outside.txt", 404],
    ["%2e%2e%2foutside.txt", 404],
    ["%252e%252e/outside.txt", 404],
    ["..%5coutside.txt", 404],
    ["/etc/passwd", 404],
    [".git/config", 404],
    ["%2Egit/config", 404],
    ["nowhere", 404],
    ["a%00b", 400],
    ["", 400],
    ["a".repeat(2_049), 400],
  ])("%.30s", async (path, status) => {
    expect((await diff(path)).status).toBe(status);
  });

  test("a symbolic link out of the project reveals nothing of its target", async () => {
    const { status, body } = await diff("root/etc/passwd");
    expect(status === 200 ? body.data.patch : "").toBe("");
  });
});

test("a base that the remote does not have returns 503", async () => {
  const { path, jobId } = await owner.createSession({ title: "Elsewhere", content: script({ say: "Ready." }) });
  await owner.jobUntil(path, jobId);
  await becomes(path, "nowhere");
  for (const what of ["changed-files", "commits", "diff"]) {
    const { status, body } = await owner.get(`${path}/preview/${what}`);
    expect([what, status, body.code]).toEqual([what, 503, "SERVICE_UNAVAILABLE"]);
  }
});

test("without a running sandbox the lists are empty, the patch returns 503, and nothing is woken", async () => {
  const stopped = await owner.post(`/api/organizations/${world.workspaceId}/stop-sandboxes`, { sessionIds: [id] });
  expect(stopped.status).toBe(200);
  expect(await get("files")).toEqual({ files: [] });
  expect(await get("changed-files")).toEqual({ files: [] });
  expect(await get("commits")).toEqual({ commits: [] });
  for (const what of ["diff", "diff?path=notes/new.txt"]) {
    const { status, body } = await owner.get(`${session}/preview/${what}`);
    expect([status, body.code]).toEqual([503, "SERVICE_UNAVAILABLE"]);
  }
  const kept = { available: false, asOf: expect.stringMatching(/Z$/) };
  const { files, ...truth } = await get("changed-files?kept=true");
  expect(files).toContainEqual(expect.objectContaining({ path: "notes/new.txt", committed: true }));
  expect(truth).toEqual(kept);
  expect(await get("commits?kept=true")).toMatchObject({ commits: [{ message: "Add notes" }], ...kept });
  expect(await get("diff?path=notes&kept=true")).toEqual({
    patch: expect.stringMatching(/^diff --git a\/notes\/new.txt [\s\S]*\n\+one\n\+two\n$/),
    isCut: false,
    ...kept,
  });
  const health = await owner.get(`/api/projects/${world.projectId}/preview/health?sessionId=${id}`);
  expect(health.body.data.paused).toBe(true);
});

test("with an open pull request, changes are compared with its base, even if the Target Branch changes", async () => {
  const sent = await owner.send(session, "/svc:open-pr");
  expect((await owner.jobUntil(session, sent.body.data.chatJobId)).status).toBe("completed");
  await becomes(session, "not-there");
  const { commits } = await get("commits");
  expect(commits.map(({ message }: { message: string }) => message)).toContain("Add notes");
  expect(await get("git-state")).toMatchObject({ available: true, hasCommitsAheadOfBase: true });
  expect((await get("changed-files")).files).toContainEqual(expect.objectContaining({ path: "notes/new.txt" }));
});
