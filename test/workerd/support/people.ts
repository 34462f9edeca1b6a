// Users and workspaces in the database of the tests of objects.
import { env } from "cloudflare:workers";
import type { Role } from "../../../src/access/rules/membership.ts";

async function run(sql: string, ...values: unknown[]): Promise<void> {
  await env.DB.prepare(sql)
    .bind(...values)
    .run();
}

/**
 * Adds a workspace with members, and returns its id and theirs. Their addresses are
 * `<id>@example.com`.
 */
export async function addWorkspaceWith<Name extends string>(
  roles: Record<Name, Role>,
): Promise<{ workspaceId: string; users: Record<Name, string> }> {
  const workspaceId = `ws_${crypto.randomUUID()}`;
  await run(
    "INSERT INTO workspaces (id, name, slug, plan, created_at) VALUES (?1, 'Acme', ?1, 'team', 0)",
    workspaceId,
  );
  const entries: [Name, string][] = [];
  for (const name of Object.keys(roles) as Name[]) {
    const userId = await addUser(name);
    await addMember(workspaceId, userId, roles[name]);
    entries.push([name, userId]);
  }
  return { workspaceId, users: Object.fromEntries(entries) as Record<Name, string> };
}

export async function addUser(name: string): Promise<string> {
  const id = `usr_${crypto.randomUUID()}`;
  await run("INSERT INTO users (id, name, email, created_at) VALUES (?1, ?2, ?3, 0)", id, name, `${id}@example.com`);
  return id;
}

export async function addMember(workspaceId: string, userId: string, role: Role): Promise<void> {
  await run(
    "INSERT INTO members (workspace_id, user_id, role, joined_at) VALUES (?1, ?2, ?3, 0)",
    workspaceId,
    userId,
    role,
  );
}
