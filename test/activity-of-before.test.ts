// Activity that was recorded before it was counted, and members who joined before there were Seen
// Marks.
import { expect, it } from "vitest";
import { migrated } from "./support/migrated.ts";

const hour = 3_600_000;
const day = 24 * hour;
const event = (id: string, project: string | null, actor: string | null, at: number) =>
  `INSERT INTO activity (id, workspace_id, project_id, kind, actor_id, payload, created_at)
   VALUES ('${id}', 'w', ${project && `'${project}'`}, 'k', ${actor && `'${actor}'`}, '{}', ${at})`;

it("is counted, and New to those alone who were there", () => {
  const database = migrated("d1", "0018_feed.sql", [
    "INSERT INTO workspaces (id, name, slug, plan, created_at) VALUES ('w', 'W', 'w', 'team', 0)",
    ...["early", "late"].map(
      (id) => `INSERT INTO users (id, name, email, created_at) VALUES ('${id}', '${id}', '${id}', 0)`,
    ),
    "INSERT INTO members (workspace_id, user_id, role, joined_at) VALUES ('w', 'early', 'owner', 0)",
    `INSERT INTO members (workspace_id, user_id, role, joined_at) VALUES ('w', 'late', 'member', ${hour + 1})`,
    event("a", "p", null, 0),
    event("b", "p", null, hour - 1),
    event("c", null, "early", hour),
    event("d", null, null, hour + 1),
  ]);
  const rows = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map((row) => Object.values(row));
  expect(rows("SELECT scope_id, actor_id, hour, events FROM activity_counts ORDER BY 1, 2, 3")).toEqual([
    ["p", "", 0, 2],
    ["w", "", 0, 2],
    ["w", "", 1, 2],
    ["w", "early", 1, 1],
  ]);
  expect(rows("SELECT user_id, seq FROM seen_marks ORDER BY 1")).toEqual([
    ["early", 0],
    ["late", 3],
  ]);
});

it("is counted by days from its hourly counts, and so is what is counted later, by whatever version", () => {
  const count = (scope: string, at: number, events: number) =>
    `INSERT INTO activity_counts (scope_id, actor_id, kind, hour, events) VALUES ('${scope}', '', 'k', ${at / hour}, ${events})
     ON CONFLICT (scope_id, actor_id, kind, hour) DO UPDATE SET events = events + ${events}`;
  const before = [count("p", 0, 2), count("p", 23 * hour, 3), count("p", day, 5), count("w", day, 7)];
  const database = migrated("d1", "0022_daily_activity_counts.sql", before);
  for (const one of [count("p", day, 1), count("w", 47 * hour, 1), count("w", 2 * day, 1)]) database.exec(one);
  const rows = database.prepare("SELECT scope_id, day, events FROM activity_daily_counts ORDER BY 1, 2").all();
  expect(rows.map((row) => Object.values(row))).toEqual([
    ["p", 0, 5],
    ["p", 1, 6],
    ["w", 1, 8],
    ["w", 2, 1],
  ]);
});
