// Another project in the workspace of a user, with the settings of the project that it is copied
// from.
import { createId, createName } from "../../src/lib/ids.ts";
import { sandboxKeyCharacters } from "../../src/rules/limits.ts";
import { createSandboxKey } from "../../src/sandbox/rules/sandbox-key.ts";

/** Adds the project with SQL statements on the world's database, and returns its id. */
export async function copyProject(
  run: (sql: string, ...values: unknown[]) => Promise<unknown>,
  { projectId, userId }: { projectId: string; userId: string },
): Promise<string> {
  const id = createId();
  await run(
    `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, is_live, settings, main_sandbox_key,
       created_at, updated_at)
     SELECT ?1, m.workspace_id, p.name, p.repository, p.target_branch, p.deploy_status, p.is_live, p.settings, ?2, p.created_at, p.updated_at
     FROM projects p JOIN members m ON m.user_id = ?3 WHERE p.id = ?4`,
    id,
    createSandboxKey("main", createName(sandboxKeyCharacters)),
    userId,
    projectId,
  );
  return id;
}
