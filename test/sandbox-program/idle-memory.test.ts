// Memory of the sandbox program: garbage is collected once each time when it becomes idle.
import { expect, test, vi } from "vitest";
import { createIdleLook } from "../../sandbox-program/idle-memory.ts";

test.each<[does: string, cpuMs: number[], hasTurn: boolean[], collections: number[]]>([
  ["that is idle is collected once", [0, 0, 99], [], [1, 1, 1]],
  ["that computes is not collected", [100, 5_000, 300], [], [0, 0, 0]],
  ["that becomes idle after work is collected again", [0, 400, 0, 0], [], [1, 1, 2, 2]],
  ["whose turn waits for a model is not collected", [0, 0, 0], [true, true, false], [0, 0, 1]],
])("the garbage of a program %s", (_, cpuMs, hasTurn, collections) => {
  let place = 0;
  let usedMs = 0;
  const collect = vi.fn<() => void>(() => {
    usedMs += 80;
  });
  const look = createIdleLook({ hasUndelivered: () => hasTurn[place] ?? false }, { readCpuMs: () => usedMs, collect });
  const seen = cpuMs.map((ms, at) => {
    place = at;
    usedMs += ms;
    look();
    return collect.mock.calls.length;
  });
  expect(seen).toEqual(collections);
});
