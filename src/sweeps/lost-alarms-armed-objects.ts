// The objects that may have set an alarm, by the table that knows them. Each page is a walk along the primary key, behind an id.

/** A row whose objects are looked at. */
export interface ArmedRow {
  id: string;
  updatedAt: number;
  /** Of a project: the code host's id of its repository, whose inbox is an object too. */
  repositoryId: number | null;
}

const tables = {
  sessions: "SELECT id, updated_at AS updatedAt, NULL AS repositoryId FROM sessions",
  projects: "SELECT id, updated_at AS updatedAt, repository_id AS repositoryId FROM projects",
  crons: "SELECT id, updated_at AS updatedAt, NULL AS repositoryId FROM crons",
} as const;

export type ArmedTable = keyof typeof tables;

/** The next rows of a table behind an id, in the order of their ids. */
export async function armedRows(
  database: D1Database,
  table: ArmedTable,
  behind: string,
  limit: number,
): Promise<ArmedRow[]> {
  const { results } = await database
    .prepare(`${tables[table]} WHERE id > ?1 ORDER BY id LIMIT ?2`)
    .bind(behind, limit)
    .all<ArmedRow>();
  return results;
}
