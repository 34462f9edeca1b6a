// The output of a command: its ends in memory, and all of it in a file.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createCommandOutput } from "../../../sandbox-program/process/command-output.ts";
import { toolOutputBytes } from "../../../src/rules/limits.ts";
import { createRedaction } from "../../../src/rules/redaction.ts";
import { limitDisk } from "../support/full-disk.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "command-output-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const disk = limitDisk();
const line = "0123456789\n";
const long = line.repeat(2 * toolOutputBytes);

test.each([
  ["no byte", 0],
  ["a part of the beginning", 20],
  ["a part of the rest", toolOutputBytes + 20],
])("a command continues on a disk that takes %s, and its ends are known", (_, room) => {
  disk.room = room;
  const output = createCommandOutput(folder, createRedaction([]), 1_000);
  output.write(Buffer.from(long));
  disk.room = Number.POSITIVE_INFINITY;
  output.write(Buffer.from("the end\n"));
  const ended = output.finish("[exit code 0]");
  expect(ended?.ends.start.toString()).toBe(long.slice(0, toolOutputBytes));
  expect(ended?.ends.end.toString()).toMatch(/9\nthe end\n\[exit code 0\]$/);
  expect(ended?.ends.bytes).toBe(long.length + "the end\n[exit code 0]".length);
  // Room that comes later would leave a gap in the file.
  const [name = ""] = readdirSync(folder);
  expect(readFileSync(join(folder, name), "utf8")).toBe(long.slice(0, room));
  expect(ended?.whole).toEqual({ path: join(folder, name), bytes: room });
});
