// Sign-ins at the model providers that were started, and the logins that they connect.
import { and, asc, eq, inArray, isNull, lte, ne, or } from "drizzle-orm";
import { toDrizzle } from "../../storage/database.ts";
import type { LoginName } from "../rules/login.ts";
import type { Attempt, AttemptOutcome } from "../rules/sign-in.ts";
import { signInAttempts } from "../tables.ts";
import { type StoredLogin, saveWorkspaceLoginStatements } from "./logins.ts";
import { addLast, saveInPlace } from "./subscriptions.ts";

type Row = typeof signInAttempts.$inferSelect;

export interface AttemptRow extends Attempt, Pick<Row, "tokenHash" | "sealed" | "intervalSeconds" | "nextPollAt"> {
  /** The login that it creates. */
  name: LoginName;
}

export async function addAttempt(database: D1Database, row: typeof signInAttempts.$inferInsert): Promise<void> {
  await toDrizzle(database).insert(signInAttempts).values(row);
}

/** The attempt with this hash of its login token; null if there is none. */
export async function findAttempt(database: D1Database, tokenHash: string): Promise<AttemptRow | null> {
  const found = await toDrizzle(database)
    .select()
    .from(signInAttempts)
    .where(eq(signInAttempts.tokenHash, tokenHash))
    .get();
  return found ? toAttempt(found) : null;
}

function toAttempt({ ownerType, ownerId, loginId, ...row }: Row): AttemptRow {
  const owner = { type: ownerType, id: ownerId };
  return { ...row, owner, name: { owner, provider: row.provider, id: loginId } };
}

/** Changes an open attempt. */
export async function updateAttempt(
  database: D1Database,
  tokenHash: string,
  changes: Partial<Pick<Row, "sealed" | "intervalSeconds" | "nextPollAt" | "outcome">>,
): Promise<void> {
  await toDrizzle(database)
    .update(signInAttempts)
    .set(changes)
    .where(and(eq(signInAttempts.tokenHash, tokenHash), isNull(signInAttempts.outcome)));
}

/** The owner's login for an account; null if there is none. */
export async function findHeldLogin(
  database: D1Database,
  { owner, provider }: Pick<LoginName, "owner" | "provider">,
  fingerprint: string,
): Promise<string | null> {
  return await database
    .prepare(
      "SELECT id FROM provider_logins WHERE owner_type = ?1 AND owner_id = ?2 AND provider = ?3 AND fingerprint = ?4",
    )
    .bind(owner.type, owner.id, provider, fingerprint)
    .first<string>("id");
}

/**
 * Connects the login of an attempt, and ends the attempt, in one transaction. `isHeld` is true if
 * the owner already has the account under this name. False, with nothing changed, if that is no
 * longer so, or if the subscription is full or the workspace deleted.
 */
export async function connectAttempt(
  database: D1Database,
  tokenHash: string,
  { name, login, isHeld }: { name: LoginName; login: StoredLogin; isHeld: boolean },
): Promise<boolean> {
  const statements =
    name.owner.type === "workspace"
      ? saveWorkspaceLoginStatements(database, name, login)
      : [(isHeld ? saveInPlace : addLast)(database, name, login)];
  const ends = database
    .prepare(
      `UPDATE sign_in_attempts SET outcome = 'connected', sealed = '' WHERE token_hash = ?1
         AND EXISTS (SELECT 1 FROM provider_logins WHERE id = ?2 AND sealed = ?3) RETURNING token_hash`,
    )
    .bind(tokenHash, name.id, login.sealed);
  const results = await database.batch([...statements, ends]);
  return (results.at(-1)?.results.length ?? 0) > 0;
}

/**
 * Ends an open attempt whose login is not saved. Its tokens are queued for revocation, also if the
 * workspace has another login of the same id. An attempt that has connected its login is not open.
 */
export async function endAttempt(
  database: D1Database,
  tokenHash: string,
  { outcome, sealed }: { outcome: AttemptOutcome; sealed: string },
): Promise<void> {
  await database.batch([
    database
      .prepare(
        `INSERT INTO token_revocations (id, owner_type, owner_id, provider, login_id, sealed, due_at)
         SELECT lower(hex(randomblob(16))), owner_type, owner_id, provider, login_id, ?2, 0 FROM sign_in_attempts
         WHERE token_hash = ?1 AND outcome IS NULL`,
      )
      .bind(tokenHash, sealed),
    database
      .prepare("UPDATE sign_in_attempts SET outcome = ?2, sealed = '' WHERE token_hash = ?1 AND outcome IS NULL")
      .bind(tokenHash, outcome),
  ]);
}

/** Attempts that expired before a time and may have tokens, the oldest first. */
export async function listExpiredAttempts(database: D1Database, before: number, limit: number): Promise<AttemptRow[]> {
  const { expiresAt, sealed } = signInAttempts;
  const expired = await toDrizzle(database)
    .select()
    .from(signInAttempts)
    .where(and(lte(expiresAt, before), ne(sealed, "")))
    .orderBy(asc(expiresAt))
    .limit(limit);
  return expired.map(toAttempt);
}

/** Deletes attempts that expired before a time: these, and those that have no tokens. */
export async function sweepAttempts(
  database: D1Database,
  before: number,
  tokenHashes: readonly string[],
): Promise<void> {
  const { expiresAt, sealed, tokenHash } = signInAttempts;
  const isDone = or(eq(sealed, ""), inArray(tokenHash, [...tokenHashes]));
  await toDrizzle(database)
    .delete(signInAttempts)
    .where(and(lte(expiresAt, before), isDone));
}

/**
 * The statement that cancels attempts of somebody who is deleted. The sweep deletes them soon, and
 * revokes tokens that they have. `which` is a condition of `sign_in_attempts`.
 */
export function cancelAttempts(database: D1Database, which: string, id: string): D1PreparedStatement {
  return database.prepare(`UPDATE sign_in_attempts SET expires_at = 0 WHERE ${which}`).bind(id);
}
