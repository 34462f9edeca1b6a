// The saves of a stop, while sandboxes change and start.
import { expect, test } from "vitest";
import { saveSandboxes } from "../../practice/save-sandboxes.ts";

const long = 60_000;
const allStale = { first: long, second: long, fresh: 0 };
const allFresh = { ...allStale, fresh: long };

/** Sandboxes whose saves return these results in turn. */
function createSandboxes(results: Record<string, (boolean | Error | Promise<boolean>)[]>) {
  const sandboxes = {
    saves: [] as string[],
    keys: Object.keys(results),
    list: async () => [...sandboxes.keys],
    async save(key: string) {
      sandboxes.saves.push(key);
      const result = await results[key]?.shift();
      if (result instanceof Error) throw result;
      return result ?? true;
    },
  };
  return sandboxes;
}

test("each sandbox is saved once if all saves are soon done", async () => {
  const sandboxes = createSandboxes({ a: [true], b: [true] });
  expect(await saveSandboxes(sandboxes, allFresh)).toEqual([]);
  expect(sandboxes.saves).toEqual(["a", "b"]);
});

test("one that was saved long before the others is saved again, and only its last save counts", async () => {
  const sandboxes = createSandboxes({ a: [true, false], b: [true, true], c: [true, new Error("gone")] });
  expect(await saveSandboxes(sandboxes, allStale)).toEqual(["a", "c"]);
  expect(sandboxes.saves).toEqual(["a", "b", "c", "a", "b", "c"]);
});

test("one that could not be saved is tried once more", async () => {
  const sandboxes = createSandboxes({ a: [new Error("busy"), true], b: [false, false], c: [true] });
  expect(await saveSandboxes(sandboxes, allFresh)).toEqual(["b"]);
  expect(sandboxes.saves).toEqual(["a", "b", "c", "a", "b"]);
});

test("one that starts meanwhile is saved, too, or counts as unsaved", async () => {
  const slow = Promise.withResolvers<boolean>();
  const late = Promise.withResolvers<boolean>();
  const sandboxes = createSandboxes({ a: [slow.promise], b: [late.promise] });
  sandboxes.keys = ["a"];
  const saving = saveSandboxes(sandboxes, allFresh);
  sandboxes.keys = ["a", "b"];
  slow.resolve(true);
  await expect.poll(() => sandboxes.saves).toEqual(["a", "b"]);
  sandboxes.keys = ["a", "b", "c"];
  late.resolve(true);
  expect(await saving).toEqual(["c"]);
});

test("one whose save does not end counts as unsaved, and is not asked twice", async () => {
  const sandboxes = createSandboxes({ a: [new Promise(() => {})], b: [true] });
  expect(await saveSandboxes(sandboxes, { first: 0, second: 0, fresh: long })).toEqual(["a"]);
  expect(sandboxes.saves).toEqual(["a", "b"]);
});
