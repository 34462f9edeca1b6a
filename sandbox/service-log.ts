// The log of one service: its newest output, in two files of bounded size, without the secrets of its environment. The agent reads it.
import { closeSync, existsSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import type { Folders } from "./folders.ts";
import { createRedaction } from "./redaction.ts";

export interface ServiceLog {
  /** Output of the service. */
  write(chunk: Buffer): void;
  /** A line of the program's own. */
  note(text: string): void;
  close(): void;
}

const fileLimitBytes = 1_024 * 1_024;

/** Where the logs of all services are: outside of the checkout, so that its git status stays clean. */
export const serviceLogFolder = (folders: Folders): string => join(folders.state, "logs");

/** The file name of a service's log. */
export const serviceLogName = (serviceName: string): string =>
  `service-${serviceName.replaceAll(/[^A-Za-z0-9_-]/g, "_")}.log`;

/** Opens the log; what was logged before goes where the older half of a log is. */
export function openServiceLog(folders: Folders, serviceName: string, secrets: string[]): ServiceLog {
  const folder = serviceLogFolder(folders);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, serviceLogName(serviceName));
  const decoder = new StringDecoder("utf8");
  const redaction = createRedaction(secrets);
  const redacted = redaction.stream();
  let file: number | null = openAnew();
  let bytes = 0;
  let endsLine = true;

  function openAnew(): number {
    if (existsSync(path)) renameSync(path, `${path}.1`);
    return openSync(path, "w", 0o600);
  }

  function append(text: string): void {
    if (file === null || text === "") return;
    const chunk = Buffer.from(text).subarray(-fileLimitBytes);
    if (bytes + chunk.length > fileLimitBytes) {
      closeSync(file);
      file = openAnew();
      bytes = 0;
    }
    writeSync(file, chunk);
    bytes += chunk.length;
    endsLine = text.endsWith("\n");
  }

  const rest = () => redacted.push(decoder.end()) + redacted.flush();

  return {
    write: (chunk) => append(redacted.push(decoder.write(chunk))),
    note(text) {
      append(rest());
      append(`${endsLine ? "" : "\n"}${redaction.whole(`[${serviceName} ${text}]`)}\n`);
    },
    close() {
      append(rest());
      if (file !== null) closeSync(file);
      file = null;
    },
  };
}
