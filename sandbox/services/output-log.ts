// The logs of what the project's own commands print, its services and its setup: the newest output of each, in two files of bounded size,
// without the secrets of its environment. The agent reads them.
import { closeSync, existsSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import type { Folders } from "../folders.ts";
import { createRedaction } from "../transcript/redaction.ts";

export interface OutputLog {
  /** Output of the commands. */
  write(chunk: Buffer): void;
  /** A line of the program's own. */
  note(text: string): void;
  close(): void;
}

const fileLimitBytes = 1_024 * 1_024;

/** Where all of them are: outside of the checkout, so that its git status stays clean. */
export const logFolder = (folders: Folders): string => join(folders.shared, "logs");

/** The file name of a service's log. */
export const serviceLogName = (serviceName: string): string =>
  `service-${serviceName.replaceAll(/[^A-Za-z0-9_-]/g, "_")}.log`;

/** Opens the log of a service. */
export const openServiceLog = (folders: Folders, serviceName: string, secrets: string[]) =>
  openLog(folders, serviceName, serviceLogName(serviceName), secrets);

/** Opens the log of the setup commands. */
export const openSetupLog = (folders: Folders, secrets: string[]) => openLog(folders, "setup", "setup.log", secrets);

/** What was logged before goes where the older half of a log is. */
function openLog(folders: Folders, title: string, file: string, secrets: string[]): OutputLog {
  mkdirSync(logFolder(folders), { recursive: true });
  const path = join(logFolder(folders), file);
  const decoder = new StringDecoder("utf8");
  const redaction = createRedaction(secrets);
  const redacted = redaction.stream();
  let open: number | null = openAnew();
  let bytes = 0;
  let endsLine = true;

  function openAnew(): number {
    if (existsSync(path)) renameSync(path, `${path}.1`);
    // A link in its place is not followed.
    return openSync(path, "wx", 0o600);
  }

  function append(text: string): void {
    if (open === null || text === "") return;
    const chunk = Buffer.from(text).subarray(-fileLimitBytes);
    if (bytes + chunk.length > fileLimitBytes) {
      closeSync(open);
      open = openAnew();
      bytes = 0;
    }
    writeSync(open, chunk);
    bytes += chunk.length;
    endsLine = text.endsWith("\n");
  }

  const rest = () => redacted.push(decoder.end()) + redacted.flush();

  return {
    write: (chunk) => append(redacted.push(decoder.write(chunk))),
    note(text) {
      append(rest());
      append(`${endsLine ? "" : "\n"}${redaction.whole(`[${title} ${text}]`)}\n`);
    },
    close() {
      append(rest());
      if (open !== null) closeSync(open);
      open = null;
    },
  };
}
