// Projects as the database stores them: listed by name to those who reach them, and changed once
// the code host has the branch.
import { env as bindings } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { Sender } from "../../../src/access/rules/actor.ts";
import type { Reach } from "../../../src/access/rules/reachable-workspaces.ts";
import type { Env } from "../../../src/env.ts";
import { createProject } from "../../../src/project/create.ts";
import { findProject, listProjects, listWorkspaceProjects } from "../../../src/project/queries.ts";
import { updateProject } from "../../../src/project/update.ts";
import type { Idempotency } from "../../../src/rules/idempotency.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { standIn } from "../support/outside.ts";
import { addMember, addWorkspaceWith } from "../support/people.ts";

const env: Env = { ...(bindings as unknown as Env), CODE_HOST_TOKEN: "token" };
const branches = new Set<string>();
let isSilent: boolean;
let permission: object;

beforeEach(() => {
  branches.clear();
  branches.add("main").add("release/2");
  isSilent = false;
  permission = { permission: "write", user: { id: 1001 } };
  return standIn(env.CODE_HOST_API_URL, (request) => {
    if (isSilent) return new Response(null, { status: 500 });
    const { pathname } = new URL(request.url);
    if (/^\/repos\/acme\/app$/i.test(pathname))
      return Response.json({ id: 73_001, full_name: "acme/app", default_branch: "main" });
    if (pathname === "/repos/acme/app/collaborators/olive/permission") return Response.json(permission);
    const [, branch = ""] = /\/branches\/([^/]+)$/.exec(pathname) ?? [];
    const name = decodeURIComponent(branch);
    return branches.has(name) ? Response.json({ name }) : new Response("{}", { status: 404 });
  });
});

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
  test("have the projects of the caller's workspaces, by name and in pages", async () => {
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
    expect((await listWorkspaceProjects(env.DB, one.workspaceId)).map(({ name }) => name)).toEqual(["B", "C"]);
  });
});

describe("a change of a project", () => {
  let id: string;
  beforeEach(async () => {
    id = await addProject("ws", "P");
  });
  const change = (changes: { name?: string; targetBranch?: string }, of = id) => updateProject(env, of, changes, 7);

  test("can be of its name, or to a branch that the code host has", async () => {
    expect(await change({ name: "New" })).toMatchObject({ name: "New", targetBranch: "main", updatedAt: 7 });
    expect(await change({ targetBranch: "release/2" })).toMatchObject({ name: "New", targetBranch: "release/2" });
  });

  test("without changes changes nothing", async () => {
    expect(await change({})).toMatchObject({ updatedAt: 0 });
    expect(await change({ name: "P", targetBranch: "main" })).toMatchObject({ updatedAt: 0 });
  });

  test("is refused completely if the branch does not exist or cannot be checked", async () => {
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

describe("a new project", () => {
  let people: Awaited<ReturnType<typeof addWorkspaceWith<"olive" | "mia">>>;
  beforeEach(async () => {
    people = await addWorkspaceWith({ olive: "member", mia: "owner" });
    await env.DB.prepare("DELETE FROM code_host_identities").run();
    await env.DB.prepare(
      `INSERT INTO code_host_identities (user_id, host_user_id, login, name, email, sealed, created_at)
       VALUES (?1, '1001', 'olive', 'Olive', 'olive@example.com', '', 0)`,
    )
      .bind(people.users.olive)
      .run();
  });

  const person = (id: string) => ({ id, name: "", email: "", imageUrl: null });
  function create(
    more: object = {},
    userId = people.users.olive,
    boundTo: string | null = null,
    repeat: Idempotency | null = null,
  ) {
    const draft = { workspaceId: people.workspaceId, name: "App", repository: "Acme/App", targetBranch: undefined };
    const actor: Sender = { type: "member", user: person(userId), role: null };
    const caller = { actor, workspaceId: boundTo };
    return createProject(env, { draft: { ...draft, ...more }, caller, repeat }, 7);
  }

  test("has the id of its repository, and a separate sandbox", async () => {
    const made = await create();
    if (isRefusal(made)) throw new Error(made.message);
    expect(made).toMatchObject({
      name: "App",
      repository: "acme/app",
      repositoryId: 73_001,
      targetBranch: "main",
      deployStatus: "idle",
      settings: { setup: [], services: [], env: {} },
      mainSandboxKey: expect.stringMatching(/^m[a-z0-9]{16}$/),
      createdAt: 7,
    });
    expect(await findProject(env.DB, made.id)).toEqual(made);
    // Several projects may have the same repository.
    const again = await create({ targetBranch: "release/2" });
    expect(again).toMatchObject({ repositoryId: 73_001, targetBranch: "release/2" });
    expect(again).not.toMatchObject({ mainSandboxKey: made.mainSandboxKey });
  });

  test.each<[string, () => Promise<unknown>, string, RegExp]>([
    ["an unknown workspace", () => create({ workspaceId: "ws_no" }), "NOT_FOUND", /workspace/],
    ["a stranger", () => create({}, "usr_stranger"), "FORBIDDEN", /not a member/],
    ["a credential of another workspace", () => create({}, undefined, "ws_other"), "FORBIDDEN", /own workspace/],
    ["an unknown repository", () => create({ repository: "acme/gone" }), "BAD_REQUEST", /install the service's app/],
    ["a member without an account", () => create({}, people.users.mia), "FORBIDDEN", /\/api\/auth\/github\/connect/],
    ["an unknown branch", () => create({ targetBranch: "gone" }), "BAD_REQUEST", /no branch gone/],
  ])("is refused to %s", async (_, made, code, message) => {
    expect(await made()).toMatchObject({ code, message: expect.stringMatching(message) });
    expect((await listWorkspaceProjects(env.DB, people.workspaceId)).length).toBe(0);
  });

  test("is found by a repeat of its request, also after its creator has disconnected from the code host", async () => {
    const again = () => create({}, undefined, null, { key: "once", bodyHash: "body" });
    const made = await again();
    await env.DB.prepare("DELETE FROM code_host_identities").run();
    expect(await again()).toEqual(made);
    expect(await create()).toMatchObject({ code: "FORBIDDEN" });
  });

  test("is refused without permission to push, and while the code host does not respond", async () => {
    permission = { permission: "read", user: { id: 1001 } };
    expect(await create()).toMatchObject({ code: "FORBIDDEN", message: expect.stringContaining("may not push") });
    isSilent = true;
    expect(await create()).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect((await listWorkspaceProjects(env.DB, people.workspaceId)).length).toBe(0);
  });

  test("does not reveal a repository that the user cannot see, or who has taken over a login", async () => {
    for (const held of [
      { permission: "none", user: { id: 1001 } },
      { permission: "admin", user: { id: 7 } },
    ]) {
      permission = held;
      const [there, gone] = [await create({ repository: "acme/app" }), await create({ repository: "acme/gone" })];
      expect(there).toMatchObject({ code: "BAD_REQUEST", message: expect.stringContaining("acme/app") });
      expect(there).toEqual(JSON.parse(JSON.stringify(gone).replaceAll("acme/gone", "acme/app")));
    }
    for (const repository of ["acme/app", "acme/gone"])
      expect(await create({ repository }, people.users.mia)).toMatchObject({ code: "FORBIDDEN" });
    expect((await listWorkspaceProjects(env.DB, people.workspaceId)).length).toBe(0);
  });
});
