// A project with a row in the database and no Deploy yet, for tests of its object, and the waits
// for its Deploys.
import { env } from "cloudflare:workers";
import type { ProjectFacts } from "../../../durable-objects/project/rpc.ts";
import type { TurnEvent } from "../../../src/sandbox-protocol/protocol.ts";
import { noSpend } from "../../../src/usage/rules/spend-limit.ts";

const run = (sql: string, ...values: unknown[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();

/** Adds a workspace with a project that was never deployed. */
export async function addProject(): Promise<ProjectFacts> {
  const id = crypto.randomUUID();
  const mainSandboxKey = `m${id.replaceAll("-", "").slice(0, 16)}`;
  const workspaceId = `ws_${id}`;
  await run(
    "INSERT INTO workspaces (id, name, slug, timezone, plan, created_at) VALUES (?1, 'W', ?1, 'UTC', 'free', 0)",
    workspaceId,
  );
  await run(
    `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
     VALUES (?1, ?2, 'P', 'acme/app', 'main', 'idle', '{"setup":[],"services":[],"env":{}}', ?3, 0, 0)`,
    ...[id, workspaceId, mainSandboxKey],
  );
  return {
    projectId: id,
    workspaceId,
    mainSandboxKey,
    isLive: false,
    runnable: new Set(["anthropic"] as const),
    isBlockedOnBilling: false,
    workspaceSpend: noSpend,
  };
}

/** Gives the workspace a credential for deploy agents. */
export const connectProvider = ({ workspaceId }: ProjectFacts) =>
  run(
    `INSERT INTO provider_logins (id, owner_type, owner_id, provider, place, kind, sealed, label, authenticated_at)
     VALUES (?1, 'workspace', ?1, 'anthropic', 0, 'key', 'sealed', 'key', 0)`,
    workspaceId,
  );

/** Waits until the Deploy is in a status, and its agent at the beginning of its turn. */
export async function reachedStatus({ projectId }: ProjectFacts, status: string) {
  for (;;) {
    const state = await env.PROJECT.getByName(projectId).read();
    if (state?.deploy?.status === status && (status !== "running_agent" || state.chat.turn?.status === "pending"))
      return state;
    await scheduler.wait(5);
  }
}

/** The events of a turn that asks which port it is. */
export const asks: TurnEvent[] = [
  {
    type: "block",
    index: 0,
    block: {
      type: "clarification",
      clarificationData: {
        questions: [
          {
            topic: "Port",
            question: "Which port?",
            options: ["3000", "8080"].map((title) => ({ title, description: "", isRecommended: title === "3000" })),
          },
        ],
      },
    },
  },
  { type: "ended", outcome: { status: "awaiting_response" } },
];
