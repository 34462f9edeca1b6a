// Replaces what names a deleted person in everything that an object stores in its tables.
import {
  type DeletedPerson,
  deletePersonFromJson,
  deletePersonFromText,
  listPersonTexts,
} from "../../src/deletion/rules/person.ts";

/**
 * Goes through every text of every table, so that a new table is included without further code.
 * Idempotent. Must run without `await` before and after, like a decision: the caller then discards
 * what it has cached.
 */
export function deletePersonFromTables(storage: DurableObjectStorage, person: DeletedPerson): void {
  const texts = JSON.stringify(listPersonTexts(person));
  storage.transactionSync(() => {
    for (const { table, column } of listTextColumns(storage.sql)) {
      const named = `EXISTS (SELECT 1 FROM json_each(?) t WHERE instr(lower("${column}"), t.value) > 0)`;
      const rows = storage.sql
        .exec<{ id: number }>(`SELECT rowid AS id FROM "${table}" WHERE ${named}`, texts)
        .toArray();
      // One row at a time, because all of them may be larger than the memory.
      for (const { id } of rows) {
        const { stored } = storage.sql
          .exec<{ stored: string }>(`SELECT "${column}" AS stored FROM "${table}" WHERE rowid = ?`, id)
          .one();
        const forgotten = withoutPerson(stored, person);
        if (forgotten !== stored)
          storage.sql.exec(`UPDATE "${table}" SET "${column}" = ? WHERE rowid = ?`, forgotten, id);
      }
    }
  });
}

function listTextColumns(sql: SqlStorage): { table: string; column: string }[] {
  const tables = sql
    .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .toArray()
    .filter(({ name }) => !/^(_cf_|__|sqlite_)/.test(name));
  return tables.flatMap(({ name: table }) =>
    sql
      .exec<{ name: string; type: string }>("SELECT name, type FROM pragma_table_info(?)", table)
      .toArray()
      .filter(({ type }) => type.toUpperCase() === "TEXT")
      .map(({ name: column }) => ({ table, column })),
  );
}

function withoutPerson(stored: string, person: DeletedPerson): string {
  if (!/^[[{"]/.test(stored)) return deletePersonFromText(stored, person);
  let value: unknown;
  try {
    value = JSON.parse(stored);
  } catch {
    return deletePersonFromText(stored, person);
  }
  const forgotten = deletePersonFromJson(value, person);
  return forgotten === value ? stored : JSON.stringify(forgotten);
}
