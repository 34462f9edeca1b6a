// The logs of services and setup. The newest output is in two files of limited size, for the agent.
// Its end is also in memory, for people, because an agent could replace the files. The secrets of
// the environment are redacted.
import { randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { serviceLogBytes } from "../../src/rules/limits.ts";
import { createRedaction } from "../../src/rules/redaction.ts";
import type { ServiceLog } from "../../src/sandbox-protocol/protocol.ts";
import type { Folders } from "../folders.ts";
import { isThere } from "../presence.ts";
import { createRecentText } from "./recent-text.ts";

export interface OutputLog {
  /** Appends output of the command. */
  write(chunk: Buffer): void;
  /** Appends a line of the program. */
  note(text: string): void;
  /** The newest output since the log was opened, of at most this many bytes. */
  end(bytes: number): string;
  /**
   * The output after an offset of this log, of at most this many bytes. For another offset, and
   * where output between is no longer in memory, its newest output.
   */
  after(offset: string | null, bytes: number): LogPart;
  close(): void;
}

export type LogPart = Required<ServiceLog>;

const fileLimitBytes = 1_024 * 1_024;

/** The folder of all logs. It is outside of the checkout, so that the git status stays clean. */
export const getLogFolder = (folders: Folders): string => join(folders.shared, "logs");

/** The file name of a service's log. */
export const getServiceLogName = (serviceName: string): string =>
  `service-${serviceName.replaceAll(/[^A-Za-z0-9_-]/g, "_")}.log`;

/** Opens the log of a service. */
export const createServiceLog = (folders: Folders, serviceName: string, secrets: string[]) =>
  createLog(folders, serviceName, getServiceLogName(serviceName), secrets);

/** Opens the log of the setup commands. */
export const createSetupLog = (folders: Folders, secrets: string[]) =>
  createLog(folders, "setup", "setup.log", secrets);

/** Creates a log. An existing log becomes its older half. */
function createLog(folders: Folders, title: string, file: string, secrets: string[]): OutputLog {
  const path = join(getLogFolder(folders), file);
  const decoder = new StringDecoder("utf8");
  const redaction = createRedaction(secrets);
  const redacted = redaction.stream();
  const id = randomBytes(6).toString("hex");
  let open: number | null = openFile();
  let isClosed = false;
  let bytes = 0;
  let endsLine = true;
  const recent = createRecentText(serviceLogBytes);

  /**
   * Null if the disk accepts no file. The command still runs, without a log file, and the end of
   * its output is in memory.
   */
  function openFile(): number | null {
    try {
      mkdirSync(getLogFolder(folders), { recursive: true });
      if (isThere(path)) renameSync(path, `${path}.1`);
      // With `wx`, a link at this path is not followed.
      return openSync(path, "wx", 0o600);
    } catch {
      return null;
    }
  }

  function append(text: string): void {
    if (isClosed || text === "") return;
    recent.push(text);
    endsLine = text.endsWith("\n");
    const chunk = Buffer.from(text).subarray(-fileLimitBytes);
    if (open === null || bytes + chunk.length > fileLimitBytes) {
      if (open !== null) closeSync(open);
      open = openFile();
      bytes = 0;
    }
    if (open === null) return;
    try {
      writeSync(open, chunk);
      bytes += chunk.length;
    } catch {
      // The disk is full. There may be space for later output.
    }
  }

  const rest = () => redacted.push(decoder.end()) + redacted.flush();

  return {
    write: (chunk) => append(redacted.push(decoder.write(chunk))),
    note(text) {
      append(rest());
      append(`${endsLine ? "" : "\n"}${redaction.whole(`[${title} ${text}]`)}\n`);
    },
    end: recent.end,
    after(offset, most) {
      const length = recent.length();
      const [of, at] = (offset ?? "").split(".");
      const isOwn = of === id && Number(at) <= length;
      const missing = length - (isOwn ? Number(at) : 0);
      const newest = recent.end(most);
      const isWhole = missing <= newest.length;
      const log = isWhole && missing > 0 ? newest.slice(-missing) : isWhole ? "" : newest;
      return { log, offset: `${id}.${length}`, isCut: !isWhole || (offset !== null && !isOwn) };
    },
    close() {
      append(rest());
      isClosed = true;
      if (open !== null) closeSync(open);
      open = null;
    },
  };
}
