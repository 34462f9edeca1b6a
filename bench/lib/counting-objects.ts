// Objects that count what they are billed for: their rows, alarms and messages, and how long they
// are busy.
import type { DurableObject } from "cloudflare:workers";
import type { Env } from "../../src/env.ts";
import { withBusyObject } from "./busy-objects.ts";
import { withCounts } from "./counting-bindings.ts";
import { addTo, type Counts, ofBench } from "./counts.ts";

type ObjectClass = new (ctx: DurableObjectState, env: Env) => DurableObject<Env>;

/** The class of an object, with bindings and storage that count. */
export function toCountedObject(Product: ObjectClass, all: Counts[]): ObjectClass {
  const add = addTo(all);
  return class extends Product {
    readonly #name: string;

    constructor(ctx: DurableObjectState, env: Env) {
      countStorage(ctx, all);
      super(ctx, withCounts(env, all, "objectDatabase"));
      this.#name = ctx.id.name ?? "";
    }

    override async alarm(info?: AlarmInvocationInfo): Promise<void> {
      add("alarms");
      await withBusyObject(this.#name, all, () => super.alarm?.(info));
    }

    override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
      add("messages");
      await withBusyObject(this.#name, all, () => super.webSocketMessage?.(socket, message));
    }
  };
}

/** Counts the rows and the busy time of an object through its state. */
function countStorage(ctx: DurableObjectState, all: Counts[]): void {
  const add = addTo(all);
  const { storage } = ctx;
  const { sql, kv } = storage;
  const replace = (target: object, name: string, value: unknown) => Object.defineProperty(target, name, { value });

  const exec = sql.exec.bind(sql);
  replace(sql, "exec", (...given: Parameters<typeof exec>) => {
    const cursor = exec(...given);
    if (given[0].startsWith(ofBench)) return cursor;
    // The caller reads all rows before anything else happens.
    queueMicrotask(() => {
      add("objectRowsRead", cursor.rowsRead);
      add("objectRowsWritten", cursor.rowsWritten);
    });
    return cursor;
  });
  const putSync = kv.put.bind(kv);
  replace(kv, "put", (...given: Parameters<typeof putSync>) => {
    add("objectRowsWritten");
    putSync(...given);
  });
  const setAlarm = storage.setAlarm.bind(storage);
  replace(storage, "setAlarm", (...given: Parameters<typeof setAlarm>) => {
    add("objectRowsWritten");
    return setAlarm(...given);
  });
  const waitUntil = ctx.waitUntil.bind(ctx);
  replace(ctx, "waitUntil", (work: Promise<unknown>) => {
    void withBusyObject(ctx.id.name ?? "", all, () => work);
    waitUntil(work);
  });
}
