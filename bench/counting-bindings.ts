// Bindings that count the calls of a request or an object to D1, to other objects and to the store. The product itself counts nothing.
import type { Env } from "../src/env.ts";
import type { Reply } from "./http-client.ts";

export interface Counts {
  /** Calls to D1. A batch counts as one. */
  roundTrips: number;
  statements: number;
  rowsRead: number;
  rowsWritten: number;
  objectCalls: number;
  storeCalls: number;
}

export function noCounts(): Counts {
  return { roundTrips: 0, statements: 0, rowsRead: 0, rowsWritten: 0, objectCalls: 0, storeCalls: 0 };
}

/** The calls of one request, which its answer tells. */
export function countsOf({ headers }: Reply): Counts {
  return JSON.parse(String(headers["x-counts"]));
}

/** What was called between two sums. */
export function difference(after: Counts, before: Counts): Counts {
  return {
    roundTrips: after.roundTrips - before.roundTrips,
    statements: after.statements - before.statements,
    rowsRead: after.rowsRead - before.rowsRead,
    rowsWritten: after.rowsWritten - before.rowsWritten,
    objectCalls: after.objectCalls - before.objectCalls,
    storeCalls: after.storeCalls - before.storeCalls,
  };
}

/** Wraps the bindings of `env`. Each call is added to all of the counts. */
export function countingEnv(env: Env, all: Counts[]): Env {
  const add = (name: keyof Counts, by = 1) => {
    for (const counts of all) counts[name] += by;
  };
  const bindings = Object.entries(env).map(([name, binding]) => [
    name,
    isNamespace(binding) ? countingNamespace(binding, add) : binding,
  ]);
  return {
    ...(Object.fromEntries(bindings) as Env),
    DB: countingDatabase(env.DB, add),
    STORE: intercept(env.STORE, () => add("storeCalls")),
  };
}

type Add = (name: keyof Counts, by?: number) => void;

function countingDatabase(database: D1Database, add: Add): D1Database {
  const inner = new WeakMap<object, D1PreparedStatement>();

  function note(results: D1Result[]): void {
    add("roundTrips");
    add("statements", results.length);
    for (const { meta } of results) {
      add("rowsRead", meta.rows_read);
      add("rowsWritten", meta.rows_written);
    }
  }

  function countingStatement(statement: D1PreparedStatement): D1PreparedStatement {
    async function all<Row>(): Promise<D1Result<Row>> {
      const result = await statement.all<Row>();
      note([result]);
      return result;
    }
    const counting = {
      bind: (...values: unknown[]) => countingStatement(statement.bind(...values)),
      all,
      run: all,
      // Only `all` reports the number of rows read.
      async first(column?: string) {
        const row = (await all<Record<string, unknown>>()).results[0];
        return column === undefined ? (row ?? null) : (row?.[column] ?? null);
      },
      async raw() {
        return (await all<Record<string, unknown>>()).results.map((row) => Object.values(row));
      },
    } as unknown as D1PreparedStatement;
    inner.set(counting, statement);
    return counting;
  }

  return {
    prepare: (query: string) => countingStatement(database.prepare(query)),
    async batch(statements: D1PreparedStatement[]) {
      const results = await database.batch(statements.map((statement) => inner.get(statement) ?? statement));
      note(results);
      return results;
    },
  } as unknown as D1Database;
}

interface Namespace {
  getByName(name: string): object;
}

function isNamespace(binding: unknown): binding is Namespace {
  return typeof binding === "object" && binding !== null && "getByName" in binding;
}

function countingNamespace(from: Namespace, add: Add): Namespace {
  return new Proxy(from, {
    get(namespace, name) {
      if (name !== "getByName") return Reflect.get(namespace, name);
      return (objectName: string) => intercept(namespace.getByName(objectName), () => add("objectCalls"));
    },
  });
}

/** A proxy that calls `beforeCall` before each method call. */
function intercept<Target extends object>(target: Target, beforeCall: () => void): Target {
  return new Proxy(target, {
    get(_, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...values: unknown[]) => {
        beforeCall();
        return Reflect.apply(member, target, values);
      };
    },
  });
}
