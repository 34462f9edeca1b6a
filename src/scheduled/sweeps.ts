// What is done on a schedule, one thing beside the other: what fails says so in the log, and keeps nothing else from being done.
import { reasonOf } from "../reason.ts";

/** Waits for all of it, each by its name. */
export async function allSwept(sweeps: Record<string, Promise<unknown>>): Promise<void> {
  const told = Object.entries(sweeps).map(([name, sweep]) =>
    sweep.catch((error: unknown) => console.error("sweep failed", name, reasonOf(error))),
  );
  await Promise.all(told);
}
