// Access: what one statement tells of a caller, of the noun of a path and of what a send is held against.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { credentialHash } from "../../../src/storage/credential-hash.ts";
import { type Access, findAccess, type NounKind } from "../../../src/storage/queries/access.ts";
import { claimSlot, markSlot } from "../../../src/storage/queries/sandbox-slots.ts";
import { isJobElsewhere } from "../../../src/storage/queries/session-index.ts";

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
    await credentialHash(id),
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
  await run("INSERT INTO jobs (id, session_id, number, status, created_at) VALUES (?1, ?1, 1, 'running', 0)", id);
});

async function run(sql: string, ...values: unknown[]): Promise<void> {
  await env.DB.prepare(sql)
    .bind(...values)
    .run();
}

async function access(noun: NounKind): Promise<Access> {
  const found = await findAccess(env.DB, await credentialHash(id), noun, {
    workspaceId: id,
    projectId: id,
    sessionId: id,
    streamId: id,
  });
  if (!found) throw new Error("the key was not found");
  return found;
}

test("a job is elsewhere for every session but its own, and one that never was is so for none", async () => {
  expect(await isJobElsewhere(env.DB, id, "another")).toBe(true);
  expect(await isJobElsewhere(env.DB, id, id)).toBe(false);
  expect(await isJobElsewhere(env.DB, "nothing", id)).toBe(false);
});

const ownerOf = (sessionId: string) => ({
  workspaceId: id,
  projectId: id,
  sessionId,
  branch: "branch",
  baseBranch: "main",
});

test.each(["none", "workspace", "project", "project-for-send", "session", "session-for-send", "stream"] as const)(
  "the statement for %s finds the nouns of the path and the user's role",
  async (noun) => {
    const found = await access(noun);
    expect(found.user?.id).toBe(id);
    expect(found.role).toBe(noun === "none" ? null : "admin");
    expect(found.workspace?.id).toBe(noun === "none" ? undefined : id);
    expect(found.project?.id).toBe(/^(project|session|stream)/.test(noun) ? id : undefined);
    expect(found.session?.assigneeId).toBe(/^(session|stream)/.test(noun) ? "usr_somebody" : undefined);
  },
);

test("a send of a workspace at rest finds no slot taken and no time run", async () => {
  const { workspace, session } = await access("session-for-send");
  expect(workspace).toMatchObject({ slotsTaken: 0, runningMsThisMonth: 0 });
  expect(session).toMatchObject({ slot: null });
});

test("a send finds the state of its own slot, and those that the whole workspace takes", async () => {
  await claimSlot(env.DB, "another", ownerOf("another"), Date.now());
  expect(await access("session-for-send")).toMatchObject({ workspace: { slotsTaken: 1 }, session: { slot: null } });
  await claimSlot(env.DB, id, ownerOf(id), Date.now());
  expect(await access("session-for-send")).toMatchObject({ workspace: { slotsTaken: 2 }, session: { slot: null } });
  await markSlot(env.DB, id, "starting");
  expect(await access("session-for-send")).toMatchObject({ session: { slot: "starting" } });
  await markSlot(env.DB, id, "running");
  expect(await access("session-for-send")).toMatchObject({ session: { slot: "running" } });
  expect(await access("project-for-send")).toMatchObject({ workspace: { slotsTaken: 2 } });
});

test("a send finds this month's running time, what runs now included, and no other month's", async () => {
  const month = new Date().toISOString().slice(0, 7);
  await run("INSERT INTO running_time (workspace_id, month, ms) VALUES (?1, ?2, 5000), (?1, '2001-01', 7)", id, month);
  expect(await access("session-for-send")).toMatchObject({ workspace: { runningMsThisMonth: 5000 } });
  // Claimed before the month began: the part in this month counts, however little of it has passed.
  await claimSlot(env.DB, id, ownerOf(id), 0);
  expect(await access("session-for-send")).toMatchObject({ workspace: { runningMsThisMonth: 5000 } });
  await markSlot(env.DB, id, "starting");
  const monthStart = Date.parse(`${month}-01T00:00:00Z`);
  const { workspace } = await access("session-for-send");
  const runningNow = Number((workspace as { runningMsThisMonth?: number } | null)?.runningMsThisMonth) - 5000;
  expect(Math.abs(runningNow - (Date.now() - monthStart))).toBeLessThan(minuteMs);
});
