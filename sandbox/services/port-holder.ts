// Who listens on a port of this machine, as the kernel tells it. A stray process that holds a service's port would keep it from starting.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface PortHolder {
  id: number;
  /** What it was started with, for people. */
  command: string;
  /** Its environment, as `NAME=value` entries between zero bytes; empty when it is not ours to read. */
  environment: string;
}

/** The process that listens on a port; null when none does, or none that this user may look at. */
export function portHolder(port: number): PortHolder | null {
  const sockets = new Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => listeningSockets(table, port)));
  if (sockets.size === 0) return null;
  const id = readdirSync("/proc")
    .map(Number)
    .find((candidate) => Number.isInteger(candidate) && holdsOne(candidate, sockets));
  if (id === undefined) return null;
  const command = contentOf(`/proc/${id}/cmdline`).replaceAll("\0", " ").trim();
  return { id, command, environment: `\0${contentOf(`/proc/${id}/environ`)}\0` };
}

const listening = "0A";

/** The sockets of a kernel table that listen on a port, as a process's open files name them. */
function listeningSockets(table: string, port: number): string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  return contentOf(table)
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => state === listening && local?.split(":")[1] === wanted)
    .map((fields) => `socket:[${fields[9]}]`);
}

function holdsOne(id: number, sockets: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${id}/fd`).some((file) => sockets.has(linkOf(`/proc/${id}/fd/${file}`)));
  } catch {
    return false;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
