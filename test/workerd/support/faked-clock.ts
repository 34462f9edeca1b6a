// A clock that tests move: the time of day as objects read it, and the alarms that come due on the
// way.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { vi } from "vitest";

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;

export interface FakedClock {
  now(): number;
  /** Lets time pass; alarms of the object that come due meanwhile fire at their time. */
  pass(object: DurableObjectStub, ms: number): Promise<void>;
  /** Lets time pass up to the next alarm of the object, and returns how much that was. */
  passToAlarm(object: DurableObjectStub): Promise<number>;
  putBack(): void;
}

/** Stops the time of day where it is. Timers continue to run. */
export function fakeClock(): FakedClock {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  const readAlarm = (object: DurableObjectStub) => runInDurableObject(object, (_, { storage }) => storage.getAlarm());

  async function passTo(object: DurableObjectStub, at: number): Promise<void> {
    vi.setSystemTime(Math.max(at, Date.now()));
    await runDurableObjectAlarm(object);
  }

  return {
    now: () => Date.now(),
    async pass(object, ms) {
      const end = Date.now() + ms;
      for (let at = await readAlarm(object); at !== null && at <= end; at = await readAlarm(object))
        await passTo(object, at);
      vi.setSystemTime(end);
    },
    async passToAlarm(object) {
      const before = Date.now();
      const at = await readAlarm(object);
      if (at === null) throw new Error("no alarm is set");
      await passTo(object, at);
      return Date.now() - before;
    },
    putBack: () => void vi.useRealTimers(),
  };
}
