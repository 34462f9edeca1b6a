// Runs the sweeps of a schedule concurrently. A failed sweep does not stop the others.
import { reasonOf } from "../error-text.ts";

/** Waits for all sweeps and logs the failed ones by name. Never throws. */
export async function settleSweeps(sweeps: Record<string, Promise<unknown>>): Promise<void> {
  const settled = Object.entries(sweeps).map(([name, sweep]) =>
    sweep.catch((error: unknown) => console.error("sweep failed", name, reasonOf(error))),
  );
  await Promise.all(settled);
}
