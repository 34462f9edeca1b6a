// The storage cost of a call to a session object: statements, rows read and rows written. The
// object is kept awake between calls.
import { runInDurableObject } from "cloudflare:test";
import type { SessionDriver } from "./session-driver.ts";

export interface StorageCost {
  statements: number;
  rowsRead: number;
  rowsWritten: number;
  /** Of the statement that read most. */
  mostRowsRead: number;
}

/** Counts from now on until the sum is requested. */
export async function countStorage(driver: SessionDriver): Promise<() => Promise<StorageCost>> {
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  const { sql, exec } = await runInDurableObject(driver.session(), (_, { storage }) => {
    const exec = storage.sql.exec;
    storage.sql.exec = (...given: Parameters<typeof exec>) => {
      const cursor = exec.apply(storage.sql, given);
      cursors.push(cursor);
      return cursor as never;
    };
    return { sql: storage.sql, exec };
  });
  return async () =>
    await runInDurableObject(driver.session(), () => {
      sql.exec = exec;
      const sum = (count: "rowsRead" | "rowsWritten") => cursors.reduce((total, cursor) => total + cursor[count], 0);
      const mostRowsRead = Math.max(0, ...cursors.map(({ rowsRead }) => rowsRead));
      return { statements: cursors.length, rowsRead: sum("rowsRead"), rowsWritten: sum("rowsWritten"), mostRowsRead };
    });
}
