// Two machines can deploy the same Worker at the same time, and a rollback can come in between. A
// deployment notices that by the list of the Worker's deployments, and leaves the other one as it
// is: it may have other keys, or an image that this one knows nothing of.
import { Stop } from "../lib/exit.ts";
import type { AccountFacts } from "./account.ts";
import type { Platform } from "./api.ts";
import { environment, type Settings } from "./settings.ts";
import { listDeploymentIds } from "./version.ts";

export interface Deploying {
  platform: Platform;
  /** `deploymentId` is the newest deployment that this run knows. */
  facts: Pick<AccountFacts, "account" | "deploymentId">;
  settings: Pick<Settings, "workerName">;
}

const listIds = ({ platform, facts, settings }: Deploying) =>
  listDeploymentIds(platform, facts.account.id, settings.workerName);

const explain = ({ settings }: Deploying) =>
  `Another deployment of ${settings.workerName}, or a rollback, was made since this one began: npx wrangler deployments list --env ${environment}. Deploy again what is to run.`;

/** Says what has replaced this deployment; null if nothing has, as far as this run knows. */
export async function findReplacement(of: Deploying): Promise<string | null> {
  const [newest = null] = await listIds(of);
  return newest === of.facts.deploymentId ? null : explain(of);
}

/** Notes what this run has deployed. Throws `Stop` if another run deployed at the same time. */
export async function recordDeployment(of: Deploying): Promise<void> {
  const [own = null, previous = null] = await listIds(of);
  if (previous !== of.facts.deploymentId) throw new Stop(explain(of));
  of.facts.deploymentId = own;
}
