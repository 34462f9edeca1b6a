// Bindings that count the calls of a request or an object to D1, to other objects and to the store,
// and that put a distance in front of D1 and objects. The product itself does neither.
import type { Env } from "../../src/env.ts";
import { withBusyObject } from "./busy-objects.ts";
import { addTo, type Counts } from "./counts.ts";
import { callOverDistance, withDistantSocket } from "./distances.ts";

/** Wraps the bindings of a Worker or an object. Each call is added to all of the counts. */
export function withCounts(env: Env, all: Counts[], way: DatabaseWay = "database"): Env {
  const add = addTo(all);
  const bindings = Object.entries(env).map(([name, binding]) => [
    name,
    isNamespace(binding) ? countingNamespace(binding, all) : binding,
  ]);
  return {
    ...(Object.fromEntries(bindings) as Env),
    DB: countingDatabase(env.DB, add, way),
    STORE: countingStore(env.STORE, add),
  };
}

type Add = ReturnType<typeof addTo>;

type DatabaseWay = "database" | "objectDatabase";

/** The database, whose sessions are counted too. */
function countingDatabase(database: D1Database, add: Add, way: DatabaseWay): D1Database {
  const counting = {
    ...countingStatements(database, add, way),
    withSession(constraint: D1SessionConstraint) {
      const session = database.withSession(constraint);
      return { ...countingStatements(session, add, way), getBookmark: () => session.getBookmark() };
    },
  };
  return counting as unknown as D1Database;
}

function countingStatements(database: Pick<D1Database, "prepare" | "batch">, add: Add, way: DatabaseWay) {
  const inner = new WeakMap<object, D1PreparedStatement>();

  function note(results: D1Result[]): void {
    add("roundTrips");
    add("statements", results.length);
    for (const { meta } of results) {
      add("rowsRead", meta.rows_read);
      add("rowsWritten", meta.rows_written);
    }
  }

  function countingStatement(statement: D1PreparedStatement, query: string): D1PreparedStatement {
    async function all<Row>(): Promise<D1Result<Row>> {
      const result = await callOverDistance(way, () => statement.all<Row>());
      note([result]);
      return result;
    }
    const counting = {
      bind: (...values: unknown[]) => countingStatement(statement.bind(...values), query),
      all,
      run: all,
      // Only `all` reports the number of rows read.
      async first(column?: string) {
        const row = (await all<Record<string, unknown>>()).results[0];
        return column === undefined ? (row ?? null) : (row?.[column] ?? null);
      },
      async raw() {
        const { results } = await all<Record<string, unknown>>();
        // Columns of a join may have the same name, and a row by names has only one of them. Joins
        // write nothing, so they can run again.
        return / join /i.test(query) ? await statement.raw() : results.map((row) => Object.values(row));
      },
    } as unknown as D1PreparedStatement;
    inner.set(counting, statement);
    return counting;
  }

  return {
    prepare: (query: string) => countingStatement(database.prepare(query), query),
    async batch(statements: D1PreparedStatement[]) {
      const own = statements.map((statement) => inner.get(statement) ?? statement);
      const results = await callOverDistance(way, () => database.batch(own));
      note(results);
      return results;
    },
  };
}

/**
 * How R2 bills each operation, according to https://developers.cloudflare.com/r2/pricing/. Deletes
 * and aborts are free.
 */
const storeClasses: Record<string, "storeWrites" | "storeReads"> = {
  put: "storeWrites",
  list: "storeWrites",
  createMultipartUpload: "storeWrites",
  uploadPart: "storeWrites",
  complete: "storeWrites",
  get: "storeReads",
  head: "storeReads",
};

function countingStore(store: R2Bucket, add: Add): R2Bucket {
  const classed = (name: string) => {
    const billed = storeClasses[name];
    if (billed) add(billed);
  };
  return intercept(store, (name, call) => {
    add("storeCalls");
    classed(name);
    const answer = call();
    if (name === "resumeMultipartUpload") return countingUpload(answer as R2MultipartUpload);
    if (name !== "createMultipartUpload") return answer;
    return (answer as Promise<R2MultipartUpload>).then(countingUpload);
  });

  function countingUpload(upload: R2MultipartUpload): R2MultipartUpload {
    return intercept(upload, (name, call) => {
      classed(name);
      return call();
    });
  }
}

interface Namespace {
  getByName(name: string): object;
}

function isNamespace(binding: unknown): binding is Namespace {
  return typeof binding === "object" && binding !== null && "getByName" in binding;
}

function countingNamespace(from: Namespace, all: Counts[]): Namespace {
  const add = addTo(all);
  return new Proxy(from, {
    get(namespace, name) {
      if (name !== "getByName") return Reflect.get(namespace, name);
      return (objectName: string) =>
        intercept(namespace.getByName(objectName), (method, call) => {
          add("objectCalls");
          const made = withBusyObject(objectName, all, () => callOverDistance("object", call));
          return method === "fetch" ? (made as Promise<Response>).then(withDistantSocket) : made;
        });
    },
  });
}

/** A proxy whose method calls go through `around`, with the name of the method. */
function intercept<Target extends object>(
  target: Target,
  around: (name: string, call: () => unknown) => unknown,
): Target {
  return new Proxy(target, {
    get(_, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...values: unknown[]) => around(String(name), () => Reflect.apply(member, target, values));
    },
  });
}
