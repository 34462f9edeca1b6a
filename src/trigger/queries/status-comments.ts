// Reads and writes the status comments: the comments at the code host that show the state of a
// session.
import { and, eq, sql } from "drizzle-orm";
import { toDrizzle } from "../../storage/database.ts";
import { triggerAnswers } from "../tables.ts";

type Row = typeof triggerAnswers.$inferSelect;

export interface StatusComment extends Omit<Row, "answer" | "commentId" | "slug"> {
  /** A comment with text also has the answer of the agent. */
  content: "link" | "text";
  /**
   * The comment at the code host. `deleted` if somebody deleted it there and nobody has asked there
   * since.
   */
  comment: "missing" | "deleted" | { id: number };
  /** The public link that it shows. A wanted one is made when the comment is written. */
  shareLink: "none" | "wanted" | { slug: string };
}

const deletedId = 0;
const wantedSlug = "";

function toStatusComment({ answer, commentId, slug, ...row }: Row): StatusComment {
  return {
    ...row,
    content: answer === "text" ? answer : "link",
    comment: commentId === null ? "missing" : commentId === deletedId ? "deleted" : { id: commentId },
    shareLink: slug === null ? "none" : slug === wantedSlug ? "wanted" : { slug },
  };
}

/**
 * The person who decides whether comments of a project have public links: who wrote its triggers.
 * Null if they may not, or if no trigger shares.
 */
export async function findSharer(database: D1Database, projectId: string): Promise<string | null> {
  return await database
    .prepare(
      `SELECT u.id FROM triggers t JOIN projects p ON p.id = t.project_id
         JOIN members m ON m.workspace_id = p.workspace_id AND m.user_id = t.written_by
         JOIN users u ON u.id = m.user_id AND u.suspended_at IS NULL
       WHERE t.project_id = ?1 AND EXISTS (SELECT 1 FROM json_each(t.triggers) rule WHERE rule.value ->> 'share')`,
    )
    .bind(projectId)
    .first<string>("id");
}

/**
 * Records that a comment at a place shows the state of this session from now on. It is looked for
 * again, because it may be deleted. A repeat does not take it from a newer session.
 */
export async function saveStatusComment(
  database: D1Database,
  {
    content: answer,
    isShared,
    ...place
  }: Omit<StatusComment, "comment" | "editedAt" | "shareLink"> & { isShared: boolean },
  isRepeat: boolean,
): Promise<void> {
  const { sessionId, sender } = place;
  const isOther = sql`excluded.slug IS NULL OR excluded.session_id <> ${triggerAnswers.sessionId}`;
  const slug = sql`iif(${isOther}, excluded.slug, coalesce(${triggerAnswers.slug}, ${wantedSlug}))`;
  await toDrizzle(database)
    .insert(triggerAnswers)
    .values({ ...place, answer, slug: isShared ? wantedSlug : null, commentId: null, editedAt: 0 })
    .onConflictDoUpdate({
      target: [triggerAnswers.projectId, triggerAnswers.kind, triggerAnswers.externalId],
      set: { sessionId, answer, ...(sender === null ? {} : { sender }), slug, commentId: null },
      setWhere: sql`${Number(!isRepeat)} OR excluded.session_id > ${triggerAnswers.sessionId}`,
    });
}

/** The comments that show the state of a session. */
export async function listStatusComments(database: D1Database, sessionId: string): Promise<StatusComment[]> {
  const rows = await toDrizzle(database).select().from(triggerAnswers).where(eq(triggerAnswers.sessionId, sessionId));
  return rows.map(toStatusComment);
}

/** Records the comment of a place, or the link that it shows. */
export async function updateStatusComment(
  database: D1Database,
  { projectId, kind, externalId }: StatusComment,
  { commentId, ...changes }: { commentId?: number | "deleted"; editedAt?: number; slug?: string },
): Promise<void> {
  const place = and(
    eq(triggerAnswers.projectId, projectId),
    eq(triggerAnswers.kind, kind),
    eq(triggerAnswers.externalId, externalId),
  );
  const set = { ...changes, commentId: commentId === "deleted" ? deletedId : commentId };
  await toDrizzle(database).update(triggerAnswers).set(set).where(place);
}
