// Who may publish the link of a preview: the member who wrote the triggers of a project.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createId } from "../../../src/lib/ids.ts";
import { findSharer, writeTriggers } from "../../../src/trigger/queries.ts";
import type { Trigger } from "../../../src/trigger/rules/trigger.ts";
import { addUser, addWorkspaceWith } from "../support/people.ts";

const run = (sql: string, ...values: unknown[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();

test("only a writer who is still a member shares, and only if a trigger says so", async () => {
  const { workspaceId, users } = await addWorkspaceWith({ owner: "owner", member: "member", suspended: "member" });
  const { users: others } = await addWorkspaceWith({ elsewhere: "owner" });
  await run("UPDATE users SET suspended_at = 1 WHERE id = ?1", users.suspended);
  const projectId = createId();
  await run(
    `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key,
       created_at, updated_at) VALUES (?1, ?2, 'P', 'acme/board', 'main', 'deployed', '{}', ?1, 0, 0)`,
    ...[projectId, workspaceId],
  );
  let version = 0;
  async function find(writtenBy: string | null, share: boolean): Promise<string | null> {
    const triggers = [
      { id: "t1", share: false },
      { id: "t2", share },
    ] as Trigger[];
    expect(await writeTriggers(env.DB, { projectId, version, triggers, writtenBy })).toBe(true);
    version += 1;
    return await findSharer(env.DB, projectId);
  }
  expect(await find(users.owner, true)).toBe(users.owner);
  // Every member may share a preview.
  expect(await find(users.member, true)).toBe(users.member);
  expect(await find(users.member, false)).toBeNull();
  for (const nobody of [users.suspended, others.elsewhere, await addUser("former"), null])
    expect(await find(nobody, true)).toBeNull();
});
