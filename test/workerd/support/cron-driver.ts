// Drives a cron object as the routes, its alarm and the sandboxes of its runs do.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { getCronObject, getCronRunObject } from "../../../durable-objects/address.ts";
import type { Actor } from "../../../src/access/rules/actor.ts";
import type { NewCron } from "../../../src/cron/rules/cron.ts";
import { createId } from "../../../src/lib/ids.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import type { TurnOutcome } from "../../../src/sandbox-protocol/protocol.ts";
import { addWorkspaceWith } from "./people.ts";
import { dial, started } from "./session-driver.ts";

export const minute = 60_000;

/** A workspace that can run crons, with live projects. */
export async function addCronWorkspace(projects = 1) {
  const { workspaceId, users } = await addWorkspaceWith({ olive: "owner" });
  await env.DB.prepare(
    `INSERT INTO provider_logins (id, owner_type, owner_id, provider, place, kind, sealed, label, authenticated_at)
     VALUES (?1, 'workspace', ?2, 'anthropic', 0, 'key', '', '', 0)`,
  )
    .bind(createId(), workspaceId)
    .run();
  const projectIds: string[] = [];
  for (let place = 0; place < projects; place++) projectIds.push(await addLiveProject(workspaceId, `project ${place}`));
  const user = { id: users.olive, name: "olive", email: "", imageUrl: null };
  const by: Actor = { type: "member", user, role: "owner" };
  return { workspaceId, projectIds, by, userId: users.olive };
}

async function addLiveProject(workspaceId: string, name: string): Promise<string> {
  const id = createId();
  await env.DB.prepare(
    `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, is_live, settings, main_sandbox_key, created_at,
       updated_at) VALUES (?1, ?2, ?3, 'a/b', 'main', 'deployed', 1, '{}', ?4, 0, 0)`,
  )
    .bind(id, workspaceId, name, `m${id.replaceAll("-", "").slice(0, 16)}`)
    .run();
  return id;
}

export type CronDriver = Awaited<ReturnType<typeof beginCron>>;

/** Creates a cron over the projects of a new workspace. */
export async function beginCron({ projectCount = 1, ...draft }: Partial<NewCron> & { projectCount?: number } = {}) {
  const world = await addCronWorkspace(projectCount);
  const id = createId();
  const object = () => getCronObject(env, id);
  const command: NewCron = {
    id,
    workspaceId: world.workspaceId,
    createdBy: world.userId,
    writtenBy: { userId: world.userId, as: "person" },
    name: "nightly",
    prompt: "Look around.",
    cronExpression: "0 3 * * *",
    model: null,
    zone: "UTC",
    ...draft,
    projects: world.projectIds.map((projectId, place) => ({ projectId, name: `project ${place}` })),
  };
  const answer: unknown = await object().create(command, world.by);
  if (isRefusal(answer)) throw new Error(answer.message);

  const sql = (text: string, ...values: unknown[]) =>
    runInDurableObject(object(), (_, { storage }) => storage.sql.exec(text, ...values).toArray());

  return {
    ...world,
    id,
    command,
    object,
    sql,
    state: async () => JSON.parse(String((await sql("SELECT state FROM cron"))[0]?.state ?? "null")),
    /** Moves the planned slot into the past, and makes its alarm due. */
    async makeDue(slot: number, dueAt = Date.now() - 1_000): Promise<void> {
      await sql("UPDATE cron SET state = json_set(state, '$.cron.slot', ?, '$.cron.dueAt', ?)", slot, dueAt);
      await sql("UPDATE reminders SET at = 1 WHERE name = 'fire'");
    },
    alarm: () => runDurableObjectAlarm(object()),
    async runNow(projectIds: string[] | null = null) {
      const runs = await object().runNow({ projectIds, by: world.by }, null);
      if (isRefusal(runs)) throw new Error(runs.message);
      return runs;
    },
    rows: async () =>
      (await env.DB.prepare("SELECT * FROM cron_runs WHERE cron_id = ?1 ORDER BY created_at, id").bind(id).all())
        .results,
    /** The sandbox of a run ends it. */
    async end(runId: string, outcome: TurnOutcome = { status: "completed" }): Promise<void> {
      const link = await dial(getCronRunObject(env, runId) as never, runId, 1);
      await link.tell(1, started);
      await link.tell(2, { type: "ended", outcome });
    },
  };
}

/** Resolves once a run is over and its cron has counted it. */
export async function untilOver({ state }: Pick<CronDriver, "state">, runId: string): Promise<void> {
  for (;;) {
    const { inFlight } = await state();
    if (!inFlight.some((run: { runId: string }) => run.runId === runId)) return;
    await scheduler.wait(5);
  }
}
