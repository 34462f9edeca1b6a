// What a file of a repository says about how to run the project.

/** The files of a repository, or of a folder of it. Paths are relative to it. */
export interface Files {
  paths: ReadonlySet<string>;
  /** The text of a file; null if it does not exist or was not read. */
  text(path: string): string | null;
}

export interface FoundService {
  name: string;
  command: string;
  /** The port of its public endpoint; null if it serves nothing. */
  port: number | null;
  env?: Record<string, string>;
  /** The reason for proposing it, such as `package.json: the script dev runs Vite`. */
  because: string;
}

/**
 * What a file contains: commands that prepare a checkout, services, and notes on what it names but
 * is not run here.
 */
export interface Found {
  setup: { command: string; because: string }[];
  services: FoundService[];
  notes: string[];
}

export const nothing: Found = { setup: [], services: [], notes: [] };

/** A port that a command names, such as in `--port 4000`, `PORT=4000` or `localhost:4000`. */
export function findPort(command: string): number | null {
  const named =
    /(?:(?:--port|-p|--bind|--addr|-addr)[= ]|\bPORT\s*[?:]?=\s*|(?:localhost|127\.0\.0\.1|0\.0\.0\.0|::1\]):)(?:\S{0,200}:)?(\d{2,5})\b/;
  // A debugger's port is not the service's port.
  const port = Number(named.exec(command.replace(/--inspect\S*/g, ""))?.[1]);
  return port >= 1 && port <= 65_535 ? port : null;
}
