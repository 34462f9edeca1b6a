// The runs of crons as callers of the API: one for each writer of the cron. Their keys are rows
// that no route makes.
import { randomUUID } from "node:crypto";
import type { CronRunFacts } from "../../src/access/rules/permission-table.ts";
import type { RunBounds } from "../../src/cron/rules/last-writer.ts";
import { getKeyHash } from "../../src/lib/base64url.ts";
import { createSecret } from "../../src/lib/ids.ts";
import type { WorldAddress } from "./world-address.ts";
import { createInside } from "./world-inside.ts";

/** The bounds of a run whose creator wrote the cron. */
const ownBounds: RunBounds = { writer: null, isAskedByAgent: false };

type RunCaller = [caller: string, facts: CronRunFacts, headers: () => Promise<Record<string, string>>];

/**
 * Runs of the owner's cron in the project of a world. Every call of `headers` makes another key.
 */
export function cronRunCallers(world: WorldAddress): RunCaller[] {
  const { workspaceId, projectId, users } = world;

  async function keyWith(bounds: RunBounds) {
    const token = createSecret("svc_crn_");
    const ofRun = [workspaceId, projectId, randomUUID(), randomUUID(), users.owner.id];
    await createInside(world).sql(
      `INSERT INTO keys (hash, id, bounds, workspace_id, project_id, cron_id, turn_id, user_id, kind, name, last_four, created_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'cron-run', 'cron run', 'test', 0)`,
      ...[await getKeyHash(token), randomUUID(), JSON.stringify(bounds), ...ofRun],
    );
    return { authorization: `Bearer ${token}` };
  }

  const own = { kind: "cron-run", sameWorkspace: true, sameProject: true, actsAsMember: true } as const;
  const asked = { ...own, writer: "creator", isAskedByAgent: true } as const;
  const admin = { userId: users.admin.id, as: "person" } as const;
  const agent = { userId: users.owner.id, as: "agent" } as const;
  const byCreator = { ...asked, isAskedByAgent: false };
  return [
    ["a cron run", byCreator, () => keyWith(ownBounds)],
    [
      "a cron run that an admin wrote",
      { ...byCreator, writer: "person" },
      () => keyWith({ ...ownBounds, writer: admin }),
    ],
    [
      "a cron run that an agent wrote",
      { ...byCreator, writer: "agent" },
      () => keyWith({ ...ownBounds, writer: agent }),
    ],
    ["a cron run that an agent asked for", asked, () => keyWith({ ...ownBounds, isAskedByAgent: true })],
  ];
}
