// Whether this command line is older than the one that the service serves. The service is asked
// once a day, while the command does its work.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Switchyard } from "@switchyard/client";
import { getConfigFolder } from "./config.ts";
import { fetchTraced } from "./trace.ts";
import { version } from "./version.ts";

/** What services serve, by their addresses, and when they were asked. */
type Served = Record<string, { version: string; askedAt: number } | undefined>;

const askAgainMs = 24 * 3_600_000;
const askingMs = 2_000;

const getFile = () => join(getConfigFolder(), "served.json");
let asking: Promise<string | null> = Promise.resolve(null);

/** Begins to look whether this program is old. It never fails. */
export function startAgeCheck(url: string): void {
  asking = findServed(url).catch(() => null);
}

/** What a person should know about the age of this program; null if it is right. */
export async function findAgeNote(): Promise<string | null> {
  return await asking;
}

async function findServed(url: string): Promise<string | null> {
  const known: Served = JSON.parse(await readFile(getFile(), "utf8").catch(() => "{}"));
  const seen = known[url];
  if (seen && Date.now() - seen.askedAt < askAgainMs) return formatAge(url, version, seen.version, false);
  const sy = new Switchyard({ baseUrl: url, apiKey: null, fetch: fetchTraced, retries: 0, client: `cli/${version}` });
  const { cli } = await sy.request("GET /api/meta", { timeoutMs: askingMs });
  await mkdir(dirname(getFile()), { recursive: true, mode: 0o700 });
  await writeFile(getFile(), JSON.stringify({ ...known, [url]: { version: cli.version, askedAt: Date.now() } }));
  return formatAge(url, version, cli.version, true);
}

/**
 * Says that a program is of another major version, or, once a day, that it is older than the one
 * that is served.
 */
export function formatAge(url: string, own: string, served: string, isNew: boolean): string | null {
  const [mine, theirs] = [parseVersion(own), parseVersion(served)];
  if (!mine || !theirs) return null;
  if (mine[0] !== theirs[0]) return `sy ${own} is not made for ${url}, which serves sy ${served}. → sy update`;
  const at = mine.findIndex((part, place) => part !== theirs[place]);
  const isOlder = at >= 0 && (mine[at] ?? 0) < (theirs[at] ?? 0);
  return isOlder && isNew ? `sy ${own} is old: ${url} serves sy ${served}. → sy update` : null;
}

/** The numbers of a version, whose last is 0 before its release; null for any other text. */
function parseVersion(text: string): number[] | null {
  const [, ...parts] = /^(\d+)\.(\d+)\.(\d+)(-.+)?$/.exec(text) ?? [];
  if (parts.length === 0) return null;
  return [...parts.slice(0, 3).map(Number), parts[3] === undefined ? 1 : 0];
}
