// The texts of messages that searches find, and the search.
import type { Reach } from "../../access/rules/reachable-workspaces.ts";
import { messageMatchesMax } from "../../rules/limits.ts";
import type { FilterFacts } from "../rules/filter.ts";
import {
  formatMatch,
  formatScope,
  markEnd,
  markStart,
  parseSnippet,
  type Snippet,
  toIndexedText,
} from "../rules/message-search.ts";
import type { Session } from "../rules/session.ts";
import type { SessionStatus } from "../rules/status.ts";

/** A message of a session, as it is indexed. */
export interface IndexedMessage {
  messageId: string;
  jobId: string;
  role: "user" | "assistant";
  text: string;
  createdAt: number;
}

/**
 * Writes the texts of messages. A session that is not in its table, because it was deleted, gets
 * none. Returns false for such a session. Idempotent.
 */
export async function saveMessageTexts(
  database: D1Database,
  { id, workspaceId, projectId }: Pick<Session, "id" | "workspaceId" | "projectId">,
  messages: readonly IndexedMessage[],
): Promise<boolean> {
  const rows = messages.map(({ text, ...message }) => ({ ...message, text: toIndexedText(text) }));
  const write = database
    .prepare(
      `INSERT INTO message_texts (message_id, session_id, workspace_id, project_id, job_id, role, scope, text, created_at)
       SELECT value ->> '$.messageId', ?2, ?3, ?4, value ->> '$.jobId', value ->> '$.role', ?5, value ->> '$.text', value ->> '$.createdAt'
       FROM json_each(?1) WHERE EXISTS (SELECT 1 FROM sessions s WHERE s.id = ?2)
       ON CONFLICT (message_id) DO UPDATE SET text = excluded.text WHERE excluded.text <> text`,
    )
    .bind(JSON.stringify(rows), id, workspaceId, projectId, formatScope({ workspaceId, projectId }));
  const [session] = await database.batch([database.prepare("SELECT 1 FROM sessions WHERE id = ?1").bind(id), write]);
  return session !== undefined && session.results.length > 0;
}

/** The facts that decide where a caller may search. */
export async function readSearchFacts(
  database: D1Database,
  { reach, workspaceIds, projectIds }: { reach: Reach; workspaceIds: readonly string[]; projectIds: readonly string[] },
): Promise<FilterFacts> {
  const list = (sql: string, value: unknown) => database.prepare(sql).bind(value);
  const [workspaces, projects, memberships] = await database.batch<{ id: string; workspaceId: string }>([
    list("SELECT id FROM workspaces WHERE id IN (SELECT value FROM json_each(?1))", JSON.stringify(workspaceIds)),
    list(
      "SELECT id, workspace_id AS workspaceId FROM projects WHERE id IN (SELECT value FROM json_each(?1))",
      JSON.stringify(projectIds),
    ),
    list(
      `SELECT m.workspace_id AS workspaceId FROM members m JOIN workspaces w ON w.id = m.workspace_id AND w.suspended_at IS NULL
       WHERE m.user_id = ?1 ORDER BY m.workspace_id`,
      reach.kind === "memberships" ? reach.userId : "",
    ),
  ]);
  const joined = memberships?.results.map(({ workspaceId }) => workspaceId) ?? [];
  return {
    workspaceIds: workspaces?.results.map(({ id }) => id) ?? [],
    projects: projects?.results ?? [],
    reached: reach.kind === "workspace" ? [reach.workspaceId] : joined,
    reachedProject: reach.kind === "workspace" ? (reach.projectId ?? null) : null,
  };
}

export interface MessageMatch {
  sessionId: string;
  projectId: string;
  title: string;
  status: SessionStatus;
  messageId: string;
  jobId: string;
  role: "user" | "assistant";
  snippet: Snippet;
  createdAt: number;
}

const snippetWords = 24;
/**
 * The sessions of a deleted project are deleted one by one. The index only narrows a search: its
 * reach is compared with the columns of the texts.
 */
const matching = `message_index JOIN message_texts t ON t.id = message_index.rowid JOIN sessions s ON s.id = t.session_id
  WHERE message_index MATCH ?1 AND t.workspace_id IN (SELECT value FROM json_each(?2))
    AND (?3 = '[]' OR t.project_id IN (SELECT value FROM json_each(?3)))
    AND EXISTS (SELECT 1 FROM projects p WHERE p.id = t.project_id)`;

/** One page of the newest messages that have all words, and how many there are, up to a limit. */
export async function findMessages(
  database: D1Database,
  words: string,
  {
    reached,
    projectIds,
    page,
    pageSize,
  }: { reached: readonly string[]; projectIds: readonly string[]; page: number; pageSize: number },
): Promise<{ matches: MessageMatch[]; total: number }> {
  const match = formatMatch(words, { workspaceIds: reached, projectIds });
  if (match === null) return { matches: [], total: 0 };
  const bound = [match, JSON.stringify(reached), JSON.stringify(projectIds)];
  const from = Math.min((page - 1) * pageSize, messageMatchesMax);
  const [counted, found] = await database.batch<Record<string, unknown>>([
    database
      .prepare(`SELECT count(*) AS total FROM (SELECT 1 FROM ${matching} LIMIT ${messageMatchesMax})`)
      .bind(...bound),
    database
      .prepare(
        `SELECT t.session_id AS sessionId, t.project_id AS projectId, s.title, s.status, t.message_id AS messageId, t.job_id AS jobId,
           t.role, t.created_at AS createdAt, snippet(message_index, 1, ?4, ?5, '…', ${snippetWords}) AS marked
         FROM ${matching} ORDER BY message_index.rowid DESC LIMIT ?6 OFFSET ?7`,
      )
      .bind(...bound, markStart, markEnd, Math.min(pageSize, messageMatchesMax - from), from),
  ]);
  const rows = (found?.results ?? []) as unknown as (Omit<MessageMatch, "snippet"> & { marked: string })[];
  return {
    matches: rows.map(({ marked, ...row }) => ({ ...row, snippet: parseSnippet(marked) })),
    total: Number(counted?.results[0]?.total ?? 0),
  };
}
