// Keys: the credentials that the service issues. A key is returned once, when it is issued; only
// its hash is stored. `browser-sessions.ts` issues those of browsers.
import { and, asc, eq, gt } from "drizzle-orm";
import type { CallerKind } from "../../access/rules/permission-table.ts";
import { findReplyStyle } from "../../account/queries.ts";
import type { ReplyStyle } from "../../account/rules/profile.ts";
import type { RunBounds } from "../../cron/rules/last-writer.ts";
import { getKeyHash } from "../../lib/base64url.ts";
import { createId, createSecret } from "../../lib/ids.ts";
import type { ProviderId } from "../../model/rules/provider.ts";
import { type EnabledPlugin, listEnabledPlugins } from "../../plugin/queries/plugins.ts";
import { getPluginProvider } from "../../plugin/rules/plugin.ts";
import { findWorkspaceLogin, type PayerLogins, toWorkspaceLogins } from "../../provider-login/queries/logins.ts";
import { findProviderLogin } from "../../provider-login/queries/subscriptions.ts";
import { cronRunKeyLifetimeMs, keysMax } from "../../rules/limits.ts";
import { type EnabledSkill, listEnabledSkills } from "../../skill/queries.ts";
import { toDrizzle } from "../../storage/database.ts";
import { findSpend } from "../../usage/queries.ts";
import { noSpend, type Spend } from "../../usage/rules/spend-limit.ts";
import { keys } from "../tables.ts";

export type KeyRow = typeof keys.$inferSelect;

const prefixes: Record<CallerKind, string> = {
  browser: "svc_ses_",
  "api-key": "svc_key_",
  agent: "svc_agt_",
  "cron-run": "svc_crn_",
  relay: "svc_rly_",
  client: "svc_cli_",
};

type Grant = Pick<KeyRow, "kind" | "name"> &
  Partial<Pick<KeyRow, "userId" | "workspaceId" | "sessionId" | "turnId" | "expiresAt">>;

/** A new key of a grant, and its row. */
export async function createKey(grant: Grant, now: number): Promise<{ token: string; row: typeof keys.$inferInsert }> {
  const token = createSecret(prefixes[grant.kind]);
  const row = { ...grant, id: createId(now), hash: await getKeyHash(token), lastFour: token.slice(-4), createdAt: now };
  return { token, row };
}

/**
 * Issues a key, which is deleted in the same transaction if its holder has more than `keysMax`.
 * Returns the key itself, which is not stored, and its row.
 */
async function issueKey(
  database: D1Database,
  grant: Grant,
  ofHolder: ReturnType<typeof and>,
  now: number,
): Promise<{ token: string; row: KeyRow } | null> {
  const { token, row } = await createKey(grant, now);
  const db = toDrizzle(database);
  const [[issued], excess] = await db.batch([
    db.insert(keys).values(row).returning(),
    db
      .delete(keys)
      .where(and(eq(keys.hash, row.hash), gt(db.$count(keys, ofHolder), keysMax)))
      .returning({ id: keys.id }),
  ]);
  return issued && excess.length === 0 ? { token, row: issued } : null;
}

/** Issues an API key of a user. Null if they have `keysMax`. */
export function issueApiKey(
  database: D1Database,
  { userId, name, expiresAt }: { userId: string; name: string; expiresAt: number | null },
  now: number,
): Promise<{ token: string; row: KeyRow } | null> {
  return issueKey(database, { kind: "api-key", userId, name, expiresAt }, ofUser(userId), now);
}

/** Issues the key of a chat-tool relay. Null if the workspace has `keysMax`. */
export function issueRelayKey(
  database: D1Database,
  { workspaceId, name }: { workspaceId: string; name: string },
  now: number,
): Promise<{ token: string; row: KeyRow } | null> {
  return issueKey(database, { kind: "relay", workspaceId, name }, ofWorkspace(workspaceId), now);
}

export interface AgentGrant {
  workspaceId: string;
  sessionId: string;
  turnId: string;
  /** The Assignee if they sent the turn's message, else null. */
  userId: string | null;
  expiresAt: number;
}

/** Issues the token with which the agent of a turn calls the API. */
export async function issueAgentToken(database: D1Database, grant: AgentGrant, now: number): Promise<string> {
  const { token, row } = await createKey(agentKey(grant), now);
  await toDrizzle(database).insert(keys).values(row);
  return token;
}

/** What to look up while issuing an agent's token; null for nobody. */
export interface TurnQuestions {
  /** The user whose subscription may pay. */
  subscriber: string | null;
  provider: ProviderId;
  assigneeId: string | null;
  /** The user to whom the agent writes. */
  readerId: string | null;
}

/** The facts that a turn gets together with its agent's token. */
export interface TurnAnswers {
  token: string;
  holdsLogin: boolean;
  skills: EnabledSkill[];
  plugins: EnabledPlugin[];
  spend: Spend;
  replyStyle: ReplyStyle;
  /** True while an operator has suspended the workspace. */
  isSuspended: boolean;
  /** What the turn's first model call needs if the workspace pays. */
  workspaceLogins: PayerLogins;
}

/**
 * Issues an agent's token and reads the facts for its turn in the same round trip: whether the
 * subscriber is a member with a login of the provider, which skills and plugins the workspace and
 * the Assignee have enabled, what the workspace may spend, whether it is suspended, the reply style
 * for the agent's reader, and the workspace's login at the provider.
 */
export async function issueAgentTokenAndAsk(
  database: D1Database,
  grant: AgentGrant,
  { subscriber, provider, assigneeId, readerId }: TurnQuestions,
  now: number,
): Promise<TurnAnswers> {
  const { workspaceId, turnId: workId, sessionId: ownerId } = grant;
  const { token, row } = await createKey(agentKey(grant), now);
  const [, held, skills, plugins, [workspace], [reader], login] = await toDrizzle(database).batch([
    toDrizzle(database).insert(keys).values(row),
    findProviderLogin(database, { workspaceId, userId: subscriber ?? "", provider }),
    listEnabledSkills(database, workspaceId, assigneeId),
    listEnabledPlugins(database, workspaceId, assigneeId, getPluginProvider(provider)),
    findSpend(database, workspaceId),
    findReplyStyle(database, readerId),
    findWorkspaceLogin(database, { workspaceId, provider, workId, ownerId }),
  ]);
  const replyStyle = reader?.replyStyle ?? "standard";
  const { suspendedAt, ...spend } = workspace ?? { ...noSpend, suspendedAt: null };
  return {
    ...{ token, holdsLogin: held.length > 0, skills, plugins, spend, replyStyle },
    isSuspended: suspendedAt !== null,
    workspaceLogins: toWorkspaceLogins(login),
  };
}

export interface CronRunGrant {
  cronId: string;
  runId: string;
  workspaceId: string;
  projectId: string;
  /** The user id of the cron's creator, who may have left. */
  createdBy: string;
  bounds: RunBounds;
}

/** A new key of a cron run, and the statement that issues it and replaces earlier ones. */
export async function createCronRunKey(
  database: D1Database,
  { runId: turnId, cronId, projectId, workspaceId, createdBy: userId, bounds }: CronRunGrant,
  now: number,
): Promise<{ token: string; insertion: D1PreparedStatement }> {
  const expiresAt = now + cronRunKeyLifetimeMs;
  const { token, row } = await createKey(
    { kind: "cron-run", name: "cron run", workspaceId, userId, turnId, expiresAt },
    now,
  );
  const columns = [
    row.hash,
    row.id,
    row.kind,
    userId,
    workspaceId,
    turnId,
    cronId,
    projectId,
    row.name,
    row.lastFour,
    now,
    expiresAt,
    JSON.stringify(bounds),
  ];
  const insertion = database
    .prepare(
      `INSERT INTO keys (hash, id, kind, user_id, workspace_id, turn_id, cron_id, project_id, name, last_four, created_at, expires_at,
         bounds) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)`,
    )
    .bind(...columns);
  return { token, insertion };
}

function agentKey(grant: AgentGrant): Grant {
  return { kind: "agent", name: "agent", ...grant };
}

/** Revokes the agent tokens of a turn. Idempotent. */
export async function revokeAgentTokens(database: D1Database, turnId: string): Promise<void> {
  await toDrizzle(database).delete(keys).where(eq(keys.turnId, turnId));
}

/** Revokes the agent tokens of all turns of a session. Idempotent. */
export async function revokeSessionTokens(database: D1Database, sessionId: string): Promise<void> {
  await toDrizzle(database).delete(keys).where(eq(keys.sessionId, sessionId));
}

const ofUser = (userId: string) => and(eq(keys.userId, userId), eq(keys.kind, "api-key"));
const ofWorkspace = (workspaceId: string) => and(eq(keys.workspaceId, workspaceId), eq(keys.kind, "relay"));

/** The API keys of a user, oldest first. */
export function listApiKeys(database: D1Database, userId: string): Promise<KeyRow[]> {
  return toDrizzle(database).select().from(keys).where(ofUser(userId)).orderBy(asc(keys.createdAt), asc(keys.id)).all();
}

/** The relay keys of a workspace, oldest first. */
export function listRelayKeys(database: D1Database, workspaceId: string): Promise<KeyRow[]> {
  return toDrizzle(database)
    .select()
    .from(keys)
    .where(ofWorkspace(workspaceId))
    .orderBy(asc(keys.createdAt), asc(keys.id))
    .all();
}

/** Revokes a key of a user. False if they have no such key. */
export function revokeUserKey(
  database: D1Database,
  kind: "browser" | "api-key" | "client",
  userId: string,
  id: string,
): Promise<boolean> {
  return revoke(database, and(eq(keys.userId, userId), eq(keys.id, id), eq(keys.kind, kind)));
}

/** Revokes a relay key of a workspace. False if it has no such key. */
export function revokeRelayKey(database: D1Database, workspaceId: string, id: string): Promise<boolean> {
  return revoke(database, and(eq(keys.workspaceId, workspaceId), eq(keys.kind, "relay"), eq(keys.id, id)));
}

async function revoke(database: D1Database, which: ReturnType<typeof and>): Promise<boolean> {
  const revoked = await toDrizzle(database).delete(keys).where(which).returning({ id: keys.id }).all();
  return revoked.length > 0;
}

/** Records when the key with this hash was last used. */
export async function recordKeyUse(database: D1Database, hash: string, now: number): Promise<void> {
  await toDrizzle(database).update(keys).set({ lastUsedAt: now }).where(eq(keys.hash, hash));
}
