// The sealed logins. The sealed text identifies the tokens, because it changes with each refresh.
import { and, asc, eq, sql } from "drizzle-orm";
import { users } from "../../account/tables.ts";
import type { ProviderId } from "../../model/rules/provider.ts";
import { toDrizzle } from "../../storage/database.ts";
import { getReportedWorkSql, isSpendOfMonth, spendColumns } from "../../usage/queries.ts";
import { noSpend, type Spend } from "../../usage/rules/spend-limit.ts";
import { workspaceSpend } from "../../usage/tables.ts";
import { members, workspaces } from "../../workspace/tables.ts";
import { getWorkspaceLogin, type LoginName, type LoginOwner } from "../rules/login.ts";
import { type Payer, workspacePays } from "../rules/payer.ts";
import { providerLogins } from "../tables.ts";
import { addRevocations } from "./revocations.ts";

export type LoginRow = typeof providerLogins.$inferSelect;

/** The columns of a login for a model call. */
export type SealedCredential = Pick<LoginRow, "kind" | "sealed" | "fingerprint" | "expiresAt" | "needsReauth">;

/** The sealed credential of a login; null if there is none. */
export async function findCredential(database: D1Database, name: LoginName): Promise<SealedCredential | null> {
  const { kind, sealed, fingerprint, expiresAt, needsReauth } = providerLogins;
  const found = await toDrizzle(database)
    .select({ kind, sealed, fingerprint, expiresAt, needsReauth })
    .from(providerLogins)
    .where(eq(providerLogins.id, name.id))
    .get();
  return found ?? null;
}

/** A login; null if there is none. */
export async function findLogin(database: D1Database, { id }: LoginName): Promise<LoginRow | null> {
  return (await toDrizzle(database).select().from(providerLogins).where(eq(providerLogins.id, id)).get()) ?? null;
}

/** Clears the limit mark that was read, unless the login was connected or marked again since. */
export async function deleteLimitMark(
  database: D1Database,
  { id, authenticatedAt, exhaustedUntil }: Pick<LoginRow, "id" | "authenticatedAt" | "exhaustedUntil">,
): Promise<void> {
  if (exhaustedUntil === null) return;
  const isAsRead = [
    eq(providerLogins.authenticatedAt, authenticatedAt),
    eq(providerLogins.exhaustedUntil, exhaustedUntil),
  ];
  await toDrizzle(database)
    .update(providerLogins)
    .set({ exhaustedUntil: null })
    .where(and(eq(providerLogins.id, id), ...isAsRead))
    .run();
}

/**
 * Replaces the tokens that were read with new ones, or marks them as invalid. Does nothing, and
 * returns false, if they have changed meanwhile.
 */
export async function updateCredential(
  database: D1Database,
  name: LoginName,
  read: Pick<SealedCredential, "sealed">,
  changes: Partial<Pick<LoginRow, "sealed" | "expiresAt" | "needsReauth" | "exhaustedUntil">>,
): Promise<boolean> {
  const replaced = await toDrizzle(database)
    .update(providerLogins)
    .set(changes)
    .where(and(eq(providerLogins.id, name.id), eq(providerLogins.sealed, read.sealed)))
    .returning({ id: providerLogins.id })
    .all();
  return replaced.length > 0;
}

/** The name of the login in a row. */
export function getLoginName({ ownerType, ownerId, provider, id }: LoginRow): LoginName {
  return { owner: { type: ownerType, id: ownerId }, provider, id };
}

/**
 * The query for what a workspace has at a provider, for `toWorkspaceLogins`: its login, its spend
 * limit, the share of one piece of work in its spend, and whether the index shows that work as
 * running, such as a session's turn.
 */
export function findWorkspaceLogin(
  database: D1Database,
  { workspaceId, provider, workId = "", ownerId = "" }: WorkspaceUse,
) {
  const { id } = getWorkspaceLogin(workspaceId, provider);
  const isTurnIndexed = sql<number>`EXISTS (SELECT 1 FROM sessions s WHERE s.id = ${ownerId} AND s.turn_id = ${workId}
    AND s.workspace_id = ${workspaceId} AND s.turn_status IN ('pending', 'running'))`;
  return toDrizzle(database)
    .select({ login: providerLogins, ...spendColumns, reportedNanoUsd: getReportedWorkSql(workId), isTurnIndexed })
    .from(providerLogins)
    .leftJoin(workspaces, eq(workspaces.id, providerLogins.ownerId))
    .leftJoin(workspaceSpend, isSpendOfMonth)
    .where(eq(providerLogins.id, id));
}

/** What the workspace pays with, from the result of `findWorkspaceLogin`. */
export function toWorkspaceLogins([row]: Awaited<ReturnType<typeof findWorkspaceLogin>>): PayerLogins {
  const payer = { payer: workspacePays, person: null, isMember: true };
  if (!row) return { ...payer, logins: [], spend: noSpend, reportedNanoUsd: 0, isTurnIndexed: false };
  const { login, reportedNanoUsd, isTurnIndexed: indexed, ...spend } = row;
  return { ...payer, logins: [login], spend, reportedNanoUsd, isTurnIndexed: indexed === 1 };
}

/** The request for the logins of a workspace, possibly for a piece of work of an owner. */
interface WorkspaceUse {
  workspaceId: string;
  provider: ProviderId;
  workId?: string;
  ownerId?: string;
}

/**
 * The logins of a member of the workspace at a provider, in their order, and the user's name. Empty
 * for a user who is not a member.
 */
export async function listMemberLogins(
  database: D1Database,
  { workspaceId, userId, provider }: { workspaceId: string; userId: string; provider: ProviderId },
): Promise<{ person: string | null; isMember: boolean; logins: LoginRow[] }> {
  const { ownerType, ownerId, provider: of, place } = providerLogins;
  const rows = await toDrizzle(database)
    .select({ person: users.name, role: members.role, login: providerLogins })
    .from(users)
    .leftJoin(members, and(eq(members.workspaceId, workspaceId), eq(members.userId, users.id)))
    .leftJoin(providerLogins, and(eq(ownerType, "member"), eq(ownerId, members.userId), eq(of, provider)))
    .where(eq(users.id, userId))
    .orderBy(asc(place))
    .all();
  const [{ person, role } = { person: null, role: null }] = rows;
  return { person, isMember: role !== null, logins: rows.flatMap(({ login }) => login ?? []) };
}

/** The credentials of a workspace. */
export async function listCredentials(database: D1Database, workspaceId: string): Promise<LoginRow[]> {
  return listLogins(database, { type: "workspace", id: workspaceId });
}

/**
 * The logins of a user at every provider, in their order, and their default model, in one round
 * trip.
 */
export async function listUserSubscriptions(
  database: D1Database,
  userId: string,
): Promise<{ logins: LoginRow[]; defaultModel: string | null }> {
  const db = toDrizzle(database);
  const [logins, [user]] = await db.batch([
    listLogins(database, { type: "member", id: userId }),
    db.select({ defaultModel: users.defaultModel }).from(users).where(eq(users.id, userId)),
  ]);
  return { logins, defaultModel: user?.defaultModel ?? null };
}

/** The logins of a user at every provider, in their order. */
export async function listUserLogins(database: D1Database, userId: string): Promise<LoginRow[]> {
  return listLogins(database, { type: "member", id: userId });
}

function listLogins(database: D1Database, { type, id }: LoginOwner) {
  const { ownerType, ownerId, provider, place } = providerLogins;
  return toDrizzle(database)
    .select()
    .from(providerLogins)
    .where(and(eq(ownerType, type), eq(ownerId, id)))
    .orderBy(asc(provider), asc(place));
}

/** A login as it is saved when it is connected. */
export type StoredLogin = Pick<
  LoginRow,
  | ("kind" | "sealed" | "fingerprint" | "label" | "maskedKey")
  | ("accountEmail" | "expiresAt" | "exhaustedUntil" | "authenticatedAt")
>;

/** The columns of a saved login, in the order of `toRowValues`. */
export const keptColumns =
  "kind, sealed, fingerprint, label, masked_key, account_email, expires_at, exhausted_until, authenticated_at";

export function toRowValues(login: StoredLogin) {
  const { kind, sealed, fingerprint, label, maskedKey, accountEmail, expiresAt, exhaustedUntil, authenticatedAt } =
    login;
  return [kind, sealed, fingerprint, label, maskedKey, accountEmail, expiresAt, exhaustedUntil, authenticatedAt];
}

/**
 * The statements that store a workspace's login, and replace its earlier one for the provider. The
 * tokens of another account are queued for revocation. Nothing is stored if the workspace is
 * deleted.
 */
export function saveWorkspaceLoginStatements(
  database: D1Database,
  { id, owner, provider }: LoginName,
  login: StoredLogin,
): D1PreparedStatement[] {
  const isOther = "id = ?1 AND fingerprint IS NOT ?2";
  return [
    addRevocations(database, isOther, [id, login.fingerprint]),
    database
      .prepare(
        `INSERT INTO provider_logins (id, owner_type, owner_id, provider, place, ${keptColumns})
         SELECT ?1, 'workspace', id, ?3, 0, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12 FROM workspaces WHERE id = ?2
         ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, sealed = excluded.sealed, fingerprint = excluded.fingerprint,
           label = excluded.label, masked_key = excluded.masked_key, account_email = excluded.account_email,
           expires_at = excluded.expires_at, needs_reauth = 0, exhausted_until = NULL, authenticated_at = excluded.authenticated_at`,
      )
      .bind(id, owner.id, provider, ...toRowValues(login)),
  ];
}

/**
 * Stores a workspace's login, and replaces its earlier one for the provider. Does nothing if the
 * workspace is deleted.
 */
export async function saveWorkspaceLogin(database: D1Database, name: LoginName, login: StoredLogin): Promise<void> {
  await database.batch(saveWorkspaceLoginStatements(database, name, login));
}

/** Deletes a workspace's login and queues its tokens for revocation. Idempotent. */
export async function deleteCredential(database: D1Database, name: LoginName): Promise<void> {
  await database.batch([
    addRevocations(database, "id = ?1", [name.id]),
    database.prepare("DELETE FROM provider_logins WHERE id = ?1").bind(name.id),
  ]);
}

/** The logins and limits of a payer at a provider, as read for a model call. */
export interface PayerLogins {
  payer: Payer;
  /** The name of the user who pays; null for the workspace. */
  person: string | null;
  /** False for a user who has left the workspace. */
  isMember: boolean;
  /** In the order of the subscription. */
  logins: LoginRow[];
  /** What the workspace may spend, if it pays. */
  spend: Spend;
  /** The share of the calling piece of work in that spend, in nano-dollars. */
  reportedNanoUsd: number;
  /** True if the calling piece of work is a session's turn that the index shows as running. */
  isTurnIndexed: boolean;
}
