// The log of a service is read in parts, and a part says where output is missing.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createServiceLog, type OutputLog } from "../../../sandbox-program/services/output-log.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "output-log-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const bytes = 10;
const open = () => createServiceLog({ shared: folder } as Parameters<typeof createServiceLog>[0], "web", []);
const write = (log: OutputLog, text: string) => log.write(Buffer.from(text));

test("parts join to the whole, however the output is split", () => {
  const log = open();
  let [offset, joined] = [log.after(null, bytes).offset, ""];
  for (const text of ["one\n", "", "zwö 💥", "x"]) {
    write(log, text);
    const part = log.after(offset, bytes);
    expect(part.isCut).toBe(false);
    joined += part.log;
    ({ offset } = part);
  }
  expect(joined).toBe("one\nzwö 💥x");
  expect(log.after(offset, bytes)).toEqual({ log: "", offset, isCut: false });
});

test("missing output is said, and the newest is answered", () => {
  const log = open();
  write(log, "first");
  const { offset } = log.after(null, bytes);
  write(log, "0123456789abc");
  expect(log.after(offset, bytes)).toMatchObject({ log: "3456789abc", isCut: true });
  expect(log.after(null, bytes)).toMatchObject({ log: "3456789abc", isCut: true });
});

test.each(["", "x", "x.1", "000000000000.0", `${"9".repeat(30)}.5`])("the foreign offset %j is no place", (offset) => {
  const log = open();
  write(log, "new");
  expect(log.after(offset, bytes)).toMatchObject({ log: "new", isCut: true });
});

test("an offset of the same log that is not reached yet is no place", () => {
  const log = open();
  write(log, "new");
  const [id] = log.after(null, bytes).offset.split(".");
  expect(log.after(`${id}.99`, bytes)).toMatchObject({ log: "new", isCut: true });
});
