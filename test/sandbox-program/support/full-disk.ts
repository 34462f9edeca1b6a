// A disk that takes as many bytes as a test says, and is full after them.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, beforeEach, vi } from "vitest";

/** Limits what each test of a group can write. At first there is room for everything. */
export function limitDisk(): { room: number } {
  const disk = { room: Number.POSITIVE_INFINITY };
  beforeEach(() => {
    disk.room = Number.POSITIVE_INFINITY;
    const { writeSync } = fs;
    vi.spyOn(fs, "writeSync").mockImplementation((file, text, offset) => {
      if (disk.room === 0) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
      const fitting = Buffer.from(text)
        .subarray(offset ?? 0)
        .subarray(0, disk.room);
      const written = writeSync(file, fitting);
      disk.room -= written;
      return written;
    });
    syncBuiltinESMExports();
  });
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  return disk;
}
