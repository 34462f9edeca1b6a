// Lists with the largest number of values in each filter: more than the 100 parameters that a query
// of the database takes.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { listProjects } from "../../../src/project/queries.ts";
import { filterValuesMax } from "../../../src/rules/limits.ts";
import { indexSession } from "../../../src/session/queries/index.ts";
import { listSessions } from "../../../src/session/queries/lists.ts";
import { checkFilter } from "../../../src/session/rules/filter.ts";
import { sessionStatuses } from "../../../src/session/rules/status.ts";
import { sessionState } from "../../support/session-state.ts";

const ids = (form: (id: string) => string) => Array.from({ length: filterValuesMax }, () => form(crypto.randomUUID()));

test("a filter takes 100 values, in each of them and in all together", async () => {
  const userId = `usr_${crypto.randomUUID()}`;
  const workspaceIds = ids((id) => `ws_${id}`);
  const projectIds = ids((id) => id);
  await env.DB.prepare("INSERT INTO users (id, name, email, created_at) VALUES (?1, 'U', ?1, 0)").bind(userId).run();
  for (const [at, workspaceId] of workspaceIds.entries()) {
    const [projectId = "", id] = [projectIds[at], crypto.randomUUID()];
    await env.DB.batch([
      env.DB.prepare("INSERT INTO workspaces (id, name, slug, plan, created_at) VALUES (?1, 'A', ?1, 'team', 0)").bind(
        workspaceId,
      ),
      env.DB.prepare("INSERT INTO members VALUES (?1, ?2, 'member', 0)").bind(workspaceId, userId),
      env.DB.prepare(
        `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
         VALUES (?1, ?2, 'P', 'a/b', 'main', 'deployed', '{}', 'm', 0, 0)`,
      ).bind(projectId, workspaceId),
    ]);
    await indexSession(
      env.DB,
      sessionState({ session: { id, sandboxKey: id, workspaceId, projectId, createdAt: at } }),
    );
  }
  const reach = { kind: "memberships", userId } as const;
  const filter = {
    workspaceIds,
    projectIds,
    statuses: [...sessionStatuses],
    assignee: null,
    search: "o",
    needsYou: false,
  };
  const { facts, summaries, total } = await listSessions(env.DB, {
    ...{ reach, projectId: null, filter, page: 1, pageSize: 100 },
  });
  expect(checkFilter(filter, facts)).toBeNull();
  expect([total, summaries.map(({ session }) => session.projectId)]).toEqual([100, projectIds.toReversed()]);
  const listed = await listProjects(env.DB, { reach, workspaceIds, page: 1, pageSize: 100 });
  expect([listed.total, listed.facts.workspaceIds.length]).toEqual([100, 100]);
});
