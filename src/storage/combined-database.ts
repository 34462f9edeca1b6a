// A D1 database that combines writes: those that are requested at the same moment, such as the
// effects of one decision, take one round trip.

/** D1 accepts any number, but a longer transaction would delay those of others. */
const mostStatements = 40;

/**
 * Requests within this many steps of settled promises count as the same moment. That takes
 * microseconds; the shortest timer takes some milliseconds in a busy object.
 */
const stepsOfOneMoment = 200;

interface Waiting {
  statements: D1PreparedStatement[];
  resolve(results: D1Result<never>[]): void;
  reject(error: unknown): void;
}

/**
 * Combines the writes of one object: `run` and `batch`. Each still succeeds or fails by itself, in
 * the order of the requests. Reads are sent immediately.
 */
export function withCombinedWrites(database: D1Database): D1Database {
  let waiting: Waiting[] = [];

  function send(statements: D1PreparedStatement[]): Promise<D1Result<never>[]> {
    const { promise, resolve, reject } = Promise.withResolvers<D1Result<never>[]>();
    waiting.push({ statements, resolve, reject });
    if (waiting.length === 1) void flush();
    return promise;
  }

  async function flush(): Promise<void> {
    for (let step = 0; step < stepsOfOneMoment; step++) await null;
    const together = waiting;
    waiting = [];
    for (const group of grouped(together)) await sendGroup(group);
  }

  async function sendGroup(group: Waiting[]): Promise<void> {
    try {
      const results = await database.batch<never>(group.flatMap(({ statements }) => statements));
      for (const { statements, resolve } of group) resolve(results.splice(0, statements.length));
    } catch (error) {
      const [only] = group;
      if (group.length === 1) return only?.reject(error);
      // A failing write must not make the others fail.
      for (const one of group) await sendGroup([one]);
    }
  }

  const inner = new WeakMap<object, D1PreparedStatement>();

  function combining(statement: D1PreparedStatement): D1PreparedStatement {
    const combined = new Proxy(statement, {
      get(_, name) {
        if (name === "bind") return (...values: unknown[]) => combining(statement.bind(...values));
        if (name === "run") return async () => (await send([statement]))[0];
        const member: unknown = Reflect.get(statement, name);
        return typeof member === "function" ? member.bind(statement) : member;
      },
    });
    inner.set(combined, statement);
    return combined;
  }

  return new Proxy(database, {
    get(_, name) {
      if (name === "prepare") return (query: string) => combining(database.prepare(query));
      if (name === "batch") {
        return (statements: D1PreparedStatement[]) => send(statements.map((one) => inner.get(one) ?? one));
      }
      const member: unknown = Reflect.get(database, name);
      return typeof member === "function" ? member.bind(database) : member;
    },
  });
}

function grouped(waiting: Waiting[]): Waiting[][] {
  const groups: Waiting[][] = [];
  let size = mostStatements;
  for (const one of waiting) {
    size += one.statements.length;
    if (size > mostStatements) {
      groups.push([]);
      size = one.statements.length;
    }
    groups.at(-1)?.push(one);
  }
  return groups;
}
