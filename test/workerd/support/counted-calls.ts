// Counts the calls that an object makes to other objects, the database and the store in each of its
// alarms. The platform allows a limited number in one invocation.
import { runInDurableObject } from "cloudflare:test";

/**
 * Gives an object bindings that count. Returns the calls of each of its alarms from now on, in
 * their order.
 */
export async function countAlarms(stub: DurableObjectStub, bindings: object): Promise<number[]> {
  const count = { calls: 0 };
  const alarms: number[] = [];
  await runInDurableObject(stub, (object) => {
    const own = object.alarm?.bind(object);
    Object.assign(object, {
      env: countedBindings(bindings, count),
      async alarm() {
        const before = count.calls;
        await own?.();
        alarms.push(count.calls - before);
      },
    });
  });
  return alarms;
}

/** Bindings whose calls are counted. A batch of the database is one. */
function countedBindings<Bindings extends object>(bindings: Bindings, count: { calls: number }): Bindings {
  const counted = Object.entries(bindings).map(([name, binding]) => {
    if (name === "DB") return [name, countedDatabase(binding, count)];
    if (name === "STORE") return [name, counting(binding, count)];
    if (typeof binding !== "object" || binding === null || !("getByName" in binding)) return [name, binding];
    return [name, { getByName: (id: string) => counting(binding.getByName(id), count) }];
  });
  return { ...bindings, ...Object.fromEntries(counted) };
}

function countedDatabase(database: D1Database, count: { calls: number }): D1Database {
  const inner = new WeakMap<object, D1PreparedStatement>();
  const statement = (real: D1PreparedStatement): D1PreparedStatement => {
    const counted = new Proxy(counting(real, count, ["all", "run", "first", "raw"]), {
      get: (target, name) =>
        name === "bind" ? (...values: unknown[]) => statement(real.bind(...values)) : Reflect.get(target, name),
    });
    inner.set(counted, real);
    return counted;
  };
  return {
    ...database,
    prepare: (text: string) => statement(database.prepare(text)),
    withSession: (constraint?: string) =>
      countedDatabase(database.withSession(constraint) as unknown as D1Database, count),
    batch(statements: D1PreparedStatement[]) {
      count.calls += 1;
      return database.batch(statements.map((one) => inner.get(one) ?? one));
    },
  } as unknown as D1Database;
}

/** A stub whose method calls count; of others, only the named ones. */
function counting<Target extends object>(target: Target, count: { calls: number }, names: string[] = []): Target {
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...values: unknown[]) => {
        if (names.length === 0 || names.includes(String(name))) count.calls += 1;
        return Reflect.apply(member, target, values);
      };
    },
  });
}
