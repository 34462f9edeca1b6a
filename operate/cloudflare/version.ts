// Which version of the product a checkout has, and which one is deployed. wrangler stores it with
// each version of the Worker, so that `wrangler versions list` shows what can be rolled back to.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Platform, PlatformError } from "./api.ts";

const product = "Switchyard ";

/** Reads the version of a checkout, with its commit where git knows it: `1.0.0, commit 1a2b3c4`. */
export function readVersion(root: string, env: Readonly<Record<string, string | undefined>>): string {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const commit = readCommit(root, env);
  return commit === null ? version : `${version}, commit ${commit}`;
}

/** Null outside a repository, such as in an unpacked archive. */
function readCommit(root: string, { PATH, HOME }: Readonly<Record<string, string | undefined>>): string | null {
  const args = ["-C", root, "describe", "--always", "--exclude=*", "--dirty=, changed"];
  try {
    const env = { PATH, HOME };
    return execFileSync("git", args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return null;
  }
}

/** The options by which wrangler stores a version. */
export const versionOptions = (version: string) => [
  ...["--tag", version.split(",")[0] ?? version],
  ...["--message", product + version],
];

interface WorkerVersion {
  id: string;
  number: number;
  annotations?: { "workers/message"?: string };
}

/**
 * Finds the version that is deployed. Null while there is no Worker, empty if no deployment has
 * stored its version. A change of one secret makes another version without this text, so the newest
 * text up to the deployed one counts.
 */
export async function findDeployedVersion(
  platform: Platform,
  accountId: string,
  workerName: string,
): Promise<string | null> {
  const script = `/accounts/${accountId}/workers/scripts/${workerName}`;
  const deployments = await listDeployments(platform, script);
  const shares = deployments[0]?.versions.toSorted((one, other) => other.percentage - one.percentage);
  if (!shares?.[0]) return null;
  const { items } = await platform.get<{ items: WorkerVersion[] }>(`${script}/versions`);
  const newestFirst = items.toSorted((one, other) => other.number - one.number);
  const deployed = newestFirst.findIndex(({ id }) => id === shares[0]?.version_id);
  const stored = newestFirst
    .slice(Math.max(deployed, 0))
    .map(({ annotations }) => annotations?.["workers/message"] ?? "")
    .find((message) => message.startsWith(product));
  return stored?.slice(product.length) ?? "";
}

/** The ids of a Worker's newest deployments, the newest first. */
export async function listDeploymentIds(platform: Platform, accountId: string, workerName: string): Promise<string[]> {
  const deployments = await listDeployments(platform, `/accounts/${accountId}/workers/scripts/${workerName}`);
  return deployments.map(({ id }) => id);
}

interface WorkerDeployment {
  id: string;
  versions: { version_id: string; percentage: number }[];
}

/** The deployments of a script, the newest first. */
async function listDeployments(platform: Platform, script: string): Promise<WorkerDeployment[]> {
  const { deployments } = await platform
    .get<{ deployments: WorkerDeployment[] }>(`${script}/deployments`)
    .catch((error: unknown) => {
      if (error instanceof PlatformError && error.status === 404) return { deployments: [] };
      throw error;
    });
  return deployments;
}

/** Says from which version to which a deployment goes. */
export function formatVersions(from: string | null, to: string): string {
  if (from === null) return `This will be the first deployment, of ${product}${to}.`;
  if (from === to) return `${product}${to} is deployed already. It is deployed again.`;
  return `From ${product}${from || "of a version that is not known"} to ${to}.`;
}
