import { readFile, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { buildFolder, buildOnce } from "../../practice/build-cache.ts";

const name = "build-cache-test";
const record = join(buildFolder, `${name}.json`);
afterAll(() => rm(record, { force: true }));

test("a build is cached by the relative paths of its inputs, so that a copy of the folder uses its own inputs", async () => {
  const build = async () => ({ built: "built", inputs: [import.meta.filename, "LICENSE"] });
  expect(await buildOnce(name, build)).toBe("built");
  const { changedAt } = JSON.parse(await readFile(record, "utf8"));
  expect(Object.keys(changedAt)).toEqual(["test/practice/build-cache.test.ts", "LICENSE", "package-lock.json"]);
  expect(await buildOnce(name, () => Promise.reject(new Error("built again")))).toBe("built");
  const now = new Date();
  await utimes(import.meta.filename, now, now);
  expect(await buildOnce(name, async () => ({ ...(await build()), built: "anew" }))).toBe("anew");
});
