// What a repository says of itself in `.switchyard.json`: its service and its project. It gets no
// key by that: only a key that was kept for that service is sent there.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { UsageError } from "./exit.ts";

const name = ".switchyard.json";

interface RepositoryFile {
  host?: string;
  project?: string;
}

/** Reads the file of the folder, or of the nearest above it in its repository; empty if none. */
export async function readRepositoryFile(): Promise<RepositoryFile> {
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const file = join(folder, name);
    const text = await readFile(file, "utf8").catch(() => null);
    if (text !== null) return parse(file, text);
    const isTop = existsSync(join(folder, ".git")) || dirname(folder) === folder;
    if (isTop) return {};
  }
}

function parse(file: string, text: string): RepositoryFile {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not JSON.`);
  }
  const { host, project } = (read ?? {}) as Record<string, unknown>;
  return {
    ...(typeof host === "string" && { host }),
    ...(typeof project === "string" && { project }),
  };
}
