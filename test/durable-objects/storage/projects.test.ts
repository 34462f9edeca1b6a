// Projects as the database keeps them: listed by name to those who reach them, and changed once the code host has the branch.
import { env as bindings } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { changeProject } from "../../../src/actions/project/change.ts";
import type { Env } from "../../../src/env.ts";
import type { Reach } from "../../../src/rules/access/reach.ts";
import { listProjects, projectsOf } from "../../../src/storage/queries/project-lists.ts";
import { findProject } from "../../../src/storage/queries/projects.ts";
import { addMember, addWorkspaceWith } from "../support/people.ts";

const env: Env = { ...(bindings as unknown as Env), CODE_HOST_TOKEN: "token" };
const branches = new Set<string>();
let isSilent: boolean;

beforeEach(() => {
  branches.clear();
  branches.add("main").add("release/2");
  isSilent = false;
  const outside = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    if (!request.url.startsWith(env.CODE_HOST_API_URL)) return await outside(request);
    if (isSilent) return new Response(null, { status: 500 });
    const [, branch = ""] = /\/branches\/([^/]+)$/.exec(new URL(request.url).pathname) ?? [];
    const name = decodeURIComponent(branch);
    return branches.has(name) ? Response.json({ name }) : new Response("{}", { status: 404 });
  });
});
afterEach(() => vi.restoreAllMocks());

async function addProject(workspaceId: string, name: string): Promise<string> {
  const id = crypto.randomUUID();
  await env.DB.prepare(
    `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
     VALUES (?1, ?2, ?3, 'acme/app', 'main', 'idle', '{}', 'm0', 0, 0)`,
  )
    .bind(id, workspaceId, name)
    .run();
  return id;
}

describe("lists of projects", () => {
  test("hold the projects of the workspaces that a caller reaches, by name and in pages", async () => {
    const one = await addWorkspaceWith({ member: "member" });
    const other = await addWorkspaceWith({ owner: "owner" });
    const strange = await addWorkspaceWith({ stranger: "owner" });
    await addMember(other.workspaceId, one.users.member, "admin");
    for (const [{ workspaceId }, name] of [
      [one, "B"],
      [other, "A"],
      [one, "C"],
      [strange, "Z"],
    ] as const)
      await addProject(workspaceId, name);
    const names = async (reach: Reach, workspaceIds: string[] = [], page = 1, pageSize = 2) => {
      const { projects, total, facts } = await listProjects(env.DB, { reach, workspaceIds, page, pageSize });
      return { names: projects.map(({ name }) => name).join(""), total, facts };
    };
    const memberships = { kind: "memberships", userId: one.users.member } as const;
    expect(await names(memberships)).toMatchObject({ names: "AB", total: 3 });
    expect(await names(memberships, [], 2)).toMatchObject({ names: "C", total: 3 });
    expect(await names(memberships, [one.workspaceId])).toMatchObject({ names: "BC", total: 2 });
    const { names: none, facts } = await names(memberships, [strange.workspaceId, "ws_unknown"]);
    expect([none, facts.workspaceIds]).toEqual(["", [strange.workspaceId]]);
    expect(new Set(facts.reached)).toEqual(new Set([one.workspaceId, other.workspaceId]));
    const bound = { kind: "workspace", workspaceId: other.workspaceId } as const;
    expect(await names(bound)).toMatchObject({ names: "A", total: 1, facts: { reached: [other.workspaceId] } });
    expect(await names(bound, [one.workspaceId])).toMatchObject({ names: "", total: 0 });
    expect((await projectsOf(env.DB, one.workspaceId)).map(({ name }) => name)).toEqual(["B", "C"]);
  });
});

describe("a change of a project", () => {
  let id: string;
  beforeEach(async () => {
    id = await addProject("ws", "P");
  });
  const change = (changes: { name?: string; targetBranch?: string }, of = id) => changeProject(env, of, changes, 7);

  test("is its name, or a branch that the code host has", async () => {
    expect(await change({ name: "New" })).toMatchObject({ name: "New", targetBranch: "main", updatedAt: 7 });
    expect(await change({ targetBranch: "release/2" })).toMatchObject({ name: "New", targetBranch: "release/2" });
  });

  test("of nothing changes nothing", async () => {
    expect(await change({})).toMatchObject({ updatedAt: 0 });
    expect(await change({ name: "P", targetBranch: "main" })).toMatchObject({ updatedAt: 0 });
  });

  test("is refused whole where the branch is not there, or nobody can tell", async () => {
    expect(await change({ name: "New", targetBranch: "gone" })).toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringContaining("has no branch gone"),
    });
    isSilent = true;
    expect(await change({ name: "New", targetBranch: "release/2" })).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(await findProject(env.DB, id)).toMatchObject({ name: "P", targetBranch: "main" });
    expect(await change({ name: "New" }, crypto.randomUUID())).toMatchObject({ code: "NOT_FOUND" });
  });
});
