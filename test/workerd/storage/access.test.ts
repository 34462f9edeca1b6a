// Access: the one statement that reads a caller, the noun of a path and the limits for a start of
// work.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { type Access, type Detail, findAccess, type NounKind } from "../../../src/access/queries.ts";
import type { TurnOwner } from "../../../src/chat/rules/chat.ts";
import { getKeyHash } from "../../../src/lib/base64url.ts";
import { claimSlot, updateSlot } from "../../../src/sandbox/queries/slots.ts";
import { isJobElsewhere } from "../../../src/session/queries/index.ts";

const minuteMs = 60_000;

let id: string;
beforeEach(async () => {
  id = crypto.randomUUID();
  await run("INSERT INTO workspaces (id, name, slug, plan, created_at) VALUES (?1, 'A', ?1, 'team', 0)", id);
  await run("INSERT INTO users (id, name, email, created_at) VALUES (?1, 'U', ?1, 0)", id);
  await run("INSERT INTO members (workspace_id, user_id, role, joined_at) VALUES (?1, ?1, 'admin', 0)", id);
  await run(
    `INSERT INTO keys (hash, id, kind, user_id, name, last_four, created_at) VALUES (?2, ?1, 'api-key', ?1, 'k', 'four', 0)`,
    id,
    await getKeyHash(id),
  );
  await run(
    `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
     VALUES (?1, ?1, 'P', 'a/b', 'main', 'deployed', '{}', 'm', 0, 0)`,
    id,
  );
  await run(
    `INSERT INTO sessions (id, workspace_id, project_id, title, status, priority, target_branch, sandbox_key, assignee_kind, assignee_id,
       is_behind, queue_count, created_at, updated_at)
     VALUES (?1, ?1, ?1, 'S', 'active', 'none', 'main', ?1, 'member', 'usr_somebody', 0, 0, 0, 0)`,
    id,
  );
  await run("INSERT INTO prototypes (id, project_id, title, variants, created_at) VALUES (?1, ?1, 'Y', '[]', 0)", id);
  await run("INSERT INTO jobs (id, owner_id, number, status, created_at) VALUES (?1, ?1, 1, 'running', 0)", id);
});

async function run(sql: string, ...values: unknown[]): Promise<void> {
  await env.DB.prepare(sql)
    .bind(...values)
    .run();
}

const ofTest = () => ({ workspaceId: id, projectId: id, sessionId: id, streamId: id, prototypeId: id });

async function access(noun: NounKind, details: Detail[] = [], params: Record<string, string> = {}): Promise<Access> {
  const asked = { noun, with: details, params: { ...ofTest(), ...params } };
  const found = await findAccess(env.DB, await getKeyHash(id), asked);
  if (!found) throw new Error("the key was not found");
  return found;
}

const session = (id: string): TurnOwner => ({ type: "session", id });

test("a job belongs to another session for every session but its own, and an unknown one for none", async () => {
  expect(await isJobElsewhere(env.DB, id, session("another"))).toBe(true);
  expect(await isJobElsewhere(env.DB, id, session(id))).toBe(false);
  expect(await isJobElsewhere(env.DB, "nothing", session(id))).toBe(false);
});

const createOwner = (sessionId: string) => ({
  type: "session" as const,
  id: sessionId,
  workspaceId: id,
});

test.each<[NounKind, string[]]>([
  ["none", []],
  ["workspace", ["workspace"]],
  ["project", ["workspace", "project"]],
  ["session", ["workspace", "project", "session"]],
  ["stream", ["workspace", "project", "stream"]],
  ["prototype", ["workspace", "project", "prototype"]],
])("the statement for %s finds %j, the user and their role", async (noun, names) => {
  const { user, role, workspaceId, unknown, missing, found } = await access(noun);
  expect([user?.id, role, workspaceId]).toEqual(noun === "none" ? [id, null, null] : [id, "admin", id]);
  expect(found).toEqual(Object.fromEntries(names.map((name) => [name, expect.objectContaining({ id })])));
  expect([unknown, missing]).toEqual([null, null]);
});

test("the result for a session and a Prototype", async () => {
  expect((await access("session")).found.session).toMatchObject({ status: "active", assigneeId: "usr_somebody" });
  const prototype = { id, projectId: id, title: "Y", variants: [], createdBy: null, createdAt: 0 };
  expect((await access("prototype")).found.prototype).toEqual(prototype);
});

test.each<[NounKind, Record<string, string>, string | null, string]>([
  ["workspace", { workspaceId: "no" }, "workspace", "workspace"],
  ["project", { projectId: "no" }, "project", "project"],
  ["session", { projectId: "no" }, "project", "session in this project"],
  ["session", { sessionId: "no" }, null, "session in this project"],
  ["stream", { streamId: "no" }, "stream", "stream"],
  ["prototype", { prototypeId: "no" }, null, "Prototype in this project"],
])(
  "of %s, where %j names nothing, the workspace or the row itself is reported as missing",
  async (noun, params, ...told) => {
    const { role, unknown, missing } = await access(noun, [], params);
    expect([unknown, missing]).toEqual(told);
    expect(role).toBe(unknown === null ? "admin" : null);
  },
);

test("the additional columns of a project's read", async () => {
  const { found } = await access("project", ["projectRecord"]);
  expect(found.projectRecord).toEqual({ workspaceId: id, repository: "a/b", createdAt: 0, updatedAt: 0 });
});

const forWork: Detail[] = ["runningMsThisMonth", "slot"];

test("a send in an idle workspace finds no slot and no running time", async () => {
  expect((await access("session", forWork)).found).toMatchObject({ runningMsThisMonth: 0, slot: null });
});

test("a send finds the state of its slot once its sandbox starts", async () => {
  const slot = async () => (await access("session", forWork)).found.slot;
  await claimSlot(env.DB, "another", createOwner("another"), Date.now());
  await updateSlot(env.DB, "another", "running");
  expect(await slot()).toBeNull();
  await claimSlot(env.DB, id, createOwner(id), Date.now());
  expect(await slot()).toBeNull();
  await updateSlot(env.DB, id, "starting");
  expect(await slot()).toBe("starting");
  await updateSlot(env.DB, id, "running");
  expect(await slot()).toBe("running");
});

test("a send finds this month's running time, including running sandboxes, and of no other month", async () => {
  const running = async () => Number((await access("session", forWork)).found.runningMsThisMonth);
  const month = new Date().toISOString().slice(0, 7);
  await run("INSERT INTO running_time (workspace_id, month, ms) VALUES (?1, ?2, 5000), (?1, '2001-01', 7)", id, month);
  expect(await running()).toBe(5000);
  // Claimed before the month began: the part in this month counts, however short it is.
  await claimSlot(env.DB, id, createOwner(id), 0);
  expect(await running()).toBe(5000);
  await updateSlot(env.DB, id, "starting");
  const monthStart = Date.parse(`${month}-01T00:00:00Z`);
  const runningNow = (await running()) - 5000;
  expect(Math.abs(runningNow - (Date.now() - monthStart))).toBeLessThan(minuteMs);
});
