// The docs in the bucket of a service on one machine.
import { expect, test } from "vitest";
import { saveDocs } from "../../../practice/docs.ts";
import { docsIndexKey } from "../../../src/docs/docs-key.ts";

test("new docs replace the previous ones, and nothing else", async () => {
  const saved = new Map<string, unknown>([["docs.txt", ""]]);
  const store = {
    put: async (key: string, bytes: unknown) => void saved.set(key, bytes),
    list: async ({ prefix }: { prefix: string }) => ({
      objects: [...saved.keys()].filter((key) => key.startsWith(prefix)).map((key) => ({ key })),
    }),
    delete: async (keys: string[]) => keys.forEach((key) => void saved.delete(key)),
  } as unknown as R2Bucket;
  const save = (text: string) => saveDocs(store, [{ path: "/docs/", kind: "html", base64: btoa(text) }]);
  await save("one");
  const first = [...saved.keys()];
  await save("two");
  const second = [...saved.keys()];
  expect([first, second].map((keys) => keys.filter((key) => !key.includes("pack-")))).toEqual(
    Array(2).fill(["docs.txt", docsIndexKey]),
  );
  expect(second).toHaveLength(3);
  expect(second).not.toEqual(first);
});
