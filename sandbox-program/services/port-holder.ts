// Finds the process that listens on a port, from the kernel's tables. A stray process on a
// service's port would prevent the service from starting.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface PortHolder {
  id: number;
  /** Its command line. */
  command: string;
  /** Its environment: `NAME=value` entries between zero bytes; empty if unreadable. */
  environment: string;
}

/** The process that listens on a port; null if there is none that this user may inspect. */
export function findPortHolder(port: number): PortHolder | null {
  const sockets = new Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => listeningSockets(table, port)));
  if (sockets.size === 0) return null;
  const id = readdirSync("/proc")
    .map(Number)
    .find((candidate) => Number.isInteger(candidate) && holdsOne(candidate, sockets));
  if (id === undefined) return null;
  const command = readContent(`/proc/${id}/cmdline`).replaceAll("\0", " ").trim();
  return { id, command, environment: `\0${readContent(`/proc/${id}/environ`)}\0` };
}

const listening = "0A";

/**
 * The sockets of a kernel table that listen on a port, in the form of links in `/proc/<pid>/fd`.
 */
function listeningSockets(table: string, port: number): string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  return readContent(table)
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => state === listening && local?.split(":")[1] === wanted)
    .map((fields) => `socket:[${fields[9]}]`);
}

function holdsOne(id: number, sockets: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${id}/fd`).some((file) => sockets.has(readLinkTarget(`/proc/${id}/fd/${file}`)));
  } catch {
    return false;
  }
}

function readLinkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function readContent(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
