// The figures of the table of distances in `docs/operate.md`. A test checks that the document
// contains it.
import { formatTable } from "./markdown-table.ts";

/** Where the Worker runs: without distances, near its visitor, or at the database. */
export type Place = "nowhere" | "visitor" | "database";

/** Milliseconds that one kind of request took, by the place of the Worker. */
export interface DistanceRow extends Record<Place, number> {
  what: string;
}

/** Figures of `npm run bench -- --only distance`, on two cores with a load average of 16. */
const recordedDistances: DistanceRow[] = [
  { what: "Send that starts a turn", nowhere: 52, visitor: 303, database: 316 },
  { what: "Poll of a job", nowhere: 17, visitor: 286, database: 288 },
  { what: "Read of the messages", nowhere: 20, visitor: 291, database: 298 },
  { what: "First words of the model after the response to a send", nowhere: 150, visitor: 441, database: 357 },
];

/** The table, in Markdown. */
export function formatDistances(rows: readonly DistanceRow[] = recordedDistances): string {
  const ms = (value: number) => `${Math.round(value)} ms`;
  return formatTable(
    ["", "No distances", 'Near the visitor, `"off"`', 'At the database, `"smart"`'],
    rows.map(({ what, nowhere, visitor, database }) => [what, ms(nowhere), ms(visitor), ms(database)]),
  );
}
