// Deletes what belongs only to a person, and lists what may still name them.
import { cancelAttempts } from "../../provider-login/queries/connect-attempts.ts";
import { addRevocations } from "../../provider-login/queries/revocations.ts";
import { listLinkEndings } from "../../workspace/queries/members.ts";
import {
  type DeletedPerson,
  deletePersonFromJson,
  deletePersonFromText,
  getDeletedAddress,
  listPersonTexts,
} from "../rules/person.ts";
import { deletedUserName } from "../rules/person-sentences.ts";

/** The person that an operator names. */
export interface FoundPerson {
  person: DeletedPerson;
  name: string;
  /** Null for a person who is not deleted. */
  deletedAt: number | null;
}

/** Finds a person by the id or by the login at the code host; null if there is none. */
export async function findPerson(database: D1Database, idOrLogin: string): Promise<FoundPerson | null> {
  const found = await database
    .prepare(
      `SELECT u.id, u.name, u.email, u.deleted_at AS deletedAt, i.login, i.name AS hostName, i.email AS commitEmail
       FROM users u LEFT JOIN code_host_identities i ON i.user_id = u.id
       WHERE u.id = ?1 OR lower(i.login) = lower(?1) ORDER BY u.id = ?1 DESC LIMIT 1`,
    )
    .bind(idOrLogin)
    .first<
      Record<"id" | "name" | "email", string> &
        Record<"login" | "hostName" | "commitEmail", string | null> & { deletedAt: number | null }
    >();
  if (!found) return null;
  const { id, name, hostName, email, commitEmail, login, deletedAt } = found;
  const addresses = [email, commitEmail ?? email].flatMap((address) => [address, address.toLowerCase()]);
  const names = [name, hostName ?? name].filter((text) => text !== "");
  const person = { id, names: [...new Set(names)], addresses: [...new Set(addresses)] };
  return { person: { ...person, login: login?.toLowerCase() ?? null }, name, deletedAt };
}

export interface MembershipOfPerson {
  workspaceId: string;
  name: string;
  slug: string;
  isOwner: boolean;
  /** How many other members the workspace has. */
  others: number;
}

/** The workspaces of a person, by slug. */
export async function listMemberships(database: D1Database, userId: string): Promise<MembershipOfPerson[]> {
  const { results } = await database
    .prepare(
      `SELECT w.id AS workspaceId, w.name, w.slug, m.role,
         (SELECT count(*) FROM members o WHERE o.workspace_id = w.id AND o.user_id <> ?1) AS others
       FROM members m JOIN workspaces w ON w.id = m.workspace_id WHERE m.user_id = ?1 ORDER BY w.slug`,
    )
    .bind(userId)
    .all<Omit<MembershipOfPerson, "isOwner"> & { role: string }>();
  return results.map(({ role, ...membership }) => ({ ...membership, isOwner: role === "owner" }));
}

/**
 * Records the deletion of a person and deletes what belongs to them, in one transaction. `audit`
 * runs before their memberships are deleted. False if they are deleted already, or own a workspace.
 */
export async function startPersonDeletion(
  database: D1Database,
  person: DeletedPerson,
  { now, audit }: { now: number; audit: D1PreparedStatement },
): Promise<boolean> {
  const [started] = await database.batch([
    database
      .prepare(
        `INSERT INTO removals (type, id, projects, person, created_at)
         SELECT 'person', u.id, '[]', ?2, ?3 FROM users u WHERE u.id = ?1 AND u.deleted_at IS NULL
           AND NOT EXISTS (SELECT 1 FROM members m WHERE m.user_id = u.id AND m.role = 'owner')
         ON CONFLICT DO NOTHING RETURNING id`,
      )
      .bind(person.id, JSON.stringify(person), now),
    audit,
    ...listPurges(database, person, now),
  ]);
  return started !== undefined && started.results.length > 0;
}

/** Deletes again what belongs to the person, because a late request may have written it. */
export async function deletePersonRows(database: D1Database, person: DeletedPerson, now: number): Promise<void> {
  await database.batch(listPurges(database, person, now));
}

/** What each table has that belongs only to a person. `?1` is the user id. */
const ownedRows: [table: string, which: string][] = [
  // The runs of their crons continue with the rights of runs whose creator has left.
  ["keys", "user_id = ?1 AND kind <> 'cron-run'"],
  ["oauth_codes", "user_id = ?1"],
  ["device_sign_ins", "user_id = ?1"],
  ["code_host_identities", "user_id = ?1"],
  ["provider_logins", "owner_type = 'member' AND owner_id = ?1"],
  ["skills", "owner_type = 'member' AND owner_id = ?1"],
  ["plugin_choices", "user_id = ?1"],
  ["push_devices", "user_id = ?1"],
  ["web_push_devices", "user_id = ?1"],
  ["push_notices", "notice ->> '$.userId' = ?1"],
  ["seen_marks", "user_id = ?1"],
  ["session_seen", "user_id = ?1"],
  ["invitations", "created_by = ?1"],
  ["members", "user_id = ?1 AND role <> 'owner'"],
];

/** The statements that delete it. They do nothing unless the deletion is recorded. */
function listPurges(database: D1Database, person: DeletedPerson, now: number): D1PreparedStatement[] {
  const { id } = person;
  const isRecorded = "EXISTS (SELECT 1 FROM removals r WHERE r.type = 'person' AND r.id = ?1)";
  return [
    // The sweep of unconfirmed objects deletes the picture and the bodies of the skills.
    database
      .prepare(
        `INSERT INTO objects_in_doubt (key, due_at) SELECT substr(image_url, instr(image_url, '/pictures/') + 1), ?2 FROM users
         WHERE id = ?1 AND instr(image_url, '/pictures/') > 0 AND ${isRecorded} ON CONFLICT DO NOTHING`,
      )
      .bind(id, now),
    database
      .prepare(
        `INSERT OR REPLACE INTO objects_in_doubt (key, due_at) SELECT body_key, ?2 FROM skills
         WHERE owner_type = 'member' AND owner_id = ?1 AND ${isRecorded}`,
      )
      .bind(id, now),
    addRevocations(database, `owner_type = 'member' AND owner_id = ?1 AND ${isRecorded}`, [id]),
    cancelAttempts(database, `((owner_type = 'member' AND owner_id = ?1) OR caller_id = ?1) AND ${isRecorded}`, id),
    ...[
      ...listLinkEndings("l.created_by = ?1", isRecorded),
      ...ownedRows.map(([table, which]) => `DELETE FROM ${table} WHERE (${which}) AND ${isRecorded}`),
    ].map((statement) => database.prepare(statement).bind(id)),
    database
      .prepare(`DELETE FROM invitations WHERE email IN (SELECT value FROM json_each(?2)) AND ${isRecorded}`)
      .bind(id, JSON.stringify(person.addresses)),
    database
      .prepare(
        `UPDATE users SET name = ?2, email = ?3, image_url = NULL, auto_commit = 1, reply_style = 'standard', marketing_emails = 0,
           onboarding_completed = 0, default_model = NULL, notifications_off = '[]', suspended_at = NULL, deleted_at = coalesce(deleted_at, ?4) WHERE id = ?1 AND ${isRecorded}`,
      )
      .bind(id, deletedUserName, getDeletedAddress(id), now),
  ];
}

/** Finds the deletion in progress of the person who had a login; null without one. */
export async function findDeletionByLogin(database: D1Database, login: string): Promise<string | null> {
  return await database
    .prepare(
      "SELECT id FROM removals WHERE type = 'person' AND person ->> '$.login' = lower(?1) ORDER BY created_at DESC",
    )
    .bind(login)
    .first<string>("id");
}

/** The objects of one step whose id comes after another, ordered by id. */
export async function listIdsAfter(
  database: D1Database,
  step: keyof typeof idLists,
  { userId, after, limit }: { userId: string; after: string; limit: number },
): Promise<string[]> {
  const { results } = await database
    .prepare(`SELECT id FROM (${idLists[step]}) WHERE id > ?1 ORDER BY id LIMIT ?3`)
    .bind(after, userId, limit)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/**
 * A person may have written in every session, also in workspaces that they left long ago. Only the
 * objects know it, so all of them are asked.
 */
const idLists = {
  "running turns":
    "SELECT id FROM sessions WHERE turn_status IN ('pending', 'running') OR (assignee_kind = 'member' AND assignee_id = ?2)",
  workspaces: "SELECT id FROM workspaces",
  sessions: "SELECT id FROM sessions",
  projects: "SELECT id FROM projects",
  "cron runs": "SELECT id FROM cron_runs WHERE is_opened = 1",
};

/** The columns that may name a person, of tables that are read by their row ids. */
const namingColumns = {
  activity: { table: "activity", column: "payload" },
  "audit events": { table: "audit_events", column: "event" },
  "message texts": { table: "message_texts", column: "text" },
};

/**
 * Replaces what names the person in some rows after a row id. Returns the last row id, null at the
 * end of the table, and how many rows were changed.
 */
export async function deletePersonFromRows(
  database: D1Database,
  step: keyof typeof namingColumns,
  { person, after, limit }: { person: DeletedPerson; after: number; limit: number },
): Promise<{ last: number | null; changed: number }> {
  const { table, column } = namingColumns[step];
  const last = await database
    .prepare(`SELECT max(rowid) AS last FROM (SELECT rowid FROM ${table} WHERE rowid > ?1 ORDER BY rowid LIMIT ?2)`)
    .bind(after, limit)
    .first<number | null>("last");
  if (last === null) return { last: null, changed: 0 };
  const { results } = await database
    .prepare(
      `SELECT rowid AS id, ${column} AS stored FROM ${table} WHERE rowid > ?1 AND rowid <= ?2
         AND EXISTS (SELECT 1 FROM json_each(?3) t WHERE instr(lower(${column}), t.value) > 0)`,
    )
    .bind(after, last, JSON.stringify(listPersonTexts(person)))
    .all<{ id: number; stored: string }>();
  const changes = results.flatMap(({ id, stored }) => {
    const forgotten =
      step === "message texts"
        ? deletePersonFromText(stored, person)
        : JSON.stringify(deletePersonFromJson(JSON.parse(stored), person));
    return forgotten === stored ? [] : [{ id, stored, forgotten }];
  });
  // A row that was replaced meanwhile stays as it is.
  for (let at = 0; at < changes.length; at += statementsPerBatch)
    await database.batch(
      changes
        .slice(at, at + statementsPerBatch)
        .map(({ id, stored, forgotten }) =>
          database
            .prepare(`UPDATE ${table} SET ${column} = ?3 WHERE rowid = ?1 AND ${column} = ?2`)
            .bind(id, stored, forgotten),
        ),
    );
  return { last, changed: changes.length };
}

const statementsPerBatch = 50;

/** Days of the audit log in storage, ordered by their row ids, after one. */
export async function listAuditDaysAfter(
  database: D1Database,
  after: number,
  limit: number,
): Promise<{ rowId: number; workspaceId: string; day: string }[]> {
  const { results } = await database
    .prepare(
      "SELECT rowid AS rowId, workspace_id AS workspaceId, day FROM audit_days WHERE rowid > ?1 ORDER BY rowid LIMIT ?2",
    )
    .bind(after, limit)
    .all<{ rowId: number; workspaceId: string; day: string }>();
  return results;
}
