// What has to be right for the command line to work, checked one after the other.
import { Switchyard } from "@switchyard/client";
import { findHost } from "./config.ts";
import { findFolderRepository } from "./git/folder.ts";
import { tryGit } from "./git/run.ts";
import { fetchTraced } from "./trace.ts";
import { version } from "./version.ts";

export interface Check {
  name: string;
  isGood: boolean;
  /** True if there was nothing to look at. Nothing is wrong then, so it is good, too. */
  isSkipped: boolean;
  says: string;
}

/** With a clock that differs more, links of the service look expired. */
const clockDifferenceMs = 60_000;
const streamMs = 15_000;

/** What a service says of itself. An older one does not say which `sy` it serves. */
interface Meta {
  version: string;
  cli?: { version: string };
}

/** Ends a check that finds nothing to look at. */
class Skipped extends Error {}

/** Makes all checks. Those of the service end at the first that fails, as each needs the others. */
export async function listChecks(): Promise<Check[]> {
  const checks: Check[] = [];
  async function check(name: string, look: () => Promise<string>): Promise<boolean> {
    try {
      checks.push({ name, isGood: true, isSkipped: false, says: await look() });
      return true;
    } catch (error) {
      const isSkipped = error instanceof Skipped;
      checks.push({ name, isGood: isSkipped, isSkipped, says: error instanceof Error ? error.message : String(error) });
      return isSkipped;
    }
  }
  await check("git", checkGit);
  for (const [name, look] of Object.entries(serviceChecks)) if (!(await check(name, look))) break;
  return checks;
}

async function openService(): Promise<{ url: string; sy: Switchyard }> {
  const { url, apiKey } = await findHost();
  return {
    url,
    sy: new Switchyard({ baseUrl: url, apiKey, fetch: fetchTraced, retries: 0, client: `cli/${version}` }),
  };
}

async function checkGit(): Promise<string> {
  const { stdout } = await tryGit(["--version"]);
  return `${stdout.trim()}; this folder is of ${(await findFolderRepository()) ?? "no repository"}`;
}

const serviceChecks: Record<string, () => Promise<string>> = {
  service: async () => {
    const { url, sy } = await openService();
    const { version: ofService, cli }: Meta = await sy.request("GET /api/meta");
    const says = `${url} has version ${ofService}; sy has ${version}`;
    return cli && cli.version !== version ? `${says}, and ${cli.version} is served. → sy update` : says;
  },
  clock: async () => {
    const response = await fetchTraced(`${(await openService()).url}/api/meta`);
    const date = response.headers.get("date");
    // The runtime sets no date on one machine; the network of Cloudflare and proxies do.
    if (date === null) throw new Skipped("the service sends no time to compare with");
    const differenceMs = Math.abs(Date.parse(date) - Date.now());
    const seconds = `${Math.round(differenceMs / 1000)} s from the service's`;
    if (differenceMs > clockDifferenceMs) throw new Error(`the clock here is ${seconds}; set it`);
    return seconds;
  },
  key: async () => {
    const { name, email } = await (await openService()).sy.request("GET /api/user/profile");
    return `it is of ${name} <${email}>`;
  },
  stream: async () => {
    const { sy } = await openService();
    const [workspace] = await sy.request("GET /api/organizations");
    if (!workspace) throw new Skipped("you have no workspace to follow");
    return await checkStream(sy, workspace.id);
  },
};

/** Follows a workspace until the line is live. */
async function checkStream(sy: Switchyard, workspaceId: string): Promise<string> {
  const line = new AbortController();
  const timer = setTimeout(() => line.abort(), streamMs);
  let isLive = false;
  const onLine = (state: string) => {
    isLive ||= state === "live";
    if (isLive) line.abort();
  };
  try {
    for await (const _ of sy.workspace(workspaceId).follow({ signal: line.signal, onLine })) break;
  } catch (error) {
    if (!line.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  if (!isLive) throw new Error("events do not arrive: does a proxy hold them back?");
  return "events arrive";
}
