// The log of one service: its newest output, in two files of bounded size.
import { closeSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";

export interface ServiceLog {
  write(chunk: Buffer): void;
  close(): void;
}

const fileLimitBytes = 1_024 * 1_024;

/** Opens the log anew. */
export function openServiceLog(folder: string, serviceName: string): ServiceLog {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `service-${serviceName.replaceAll(/[^A-Za-z0-9_-]/g, "_")}.log`);
  let file: number | null = openSync(path, "w");
  let bytes = 0;
  return {
    write(chunk) {
      if (file === null) return;
      if (bytes + chunk.length > fileLimitBytes) {
        closeSync(file);
        renameSync(path, `${path}.1`);
        file = openSync(path, "w");
        bytes = 0;
      }
      const kept = chunk.subarray(-fileLimitBytes);
      writeSync(file, kept);
      bytes += kept.length;
    },
    close() {
      if (file !== null) closeSync(file);
      file = null;
    },
  };
}
