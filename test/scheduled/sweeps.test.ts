// What is done on a schedule: one that fails is told, and the others are waited for all the same.
import { expect, test, vi } from "vitest";
import { settleSweeps } from "../../src/scheduled/sweeps.ts";

test("a failed sweep is logged with its name and reason, and the others run", async () => {
  const log = vi.spyOn(console, "error").mockReturnValue();
  const done: string[] = [];
  const later = async (name: string) => {
    await new Promise(setImmediate);
    done.push(name);
  };
  await settleSweeps({
    forms: later("forms"),
    turns: Promise.reject(new Error("D1_ERROR: gone")),
    bases: later("bases"),
  });
  expect(log.mock.calls).toEqual([["sweep failed", "turns", "D1_ERROR: gone"]]);
  expect(done).toEqual(["forms", "bases"]);
  log.mockRestore();
});
