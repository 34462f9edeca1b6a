// Reads and sets what the sandboxes of a project, or of all projects of a workspace, may reach.
import { getProjectObject, getSandboxObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { runInLanes } from "../lib/concurrency.ts";
import { log } from "../lib/log.ts";
import { networkSeenMax } from "../rules/limits.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import type { HeldNetwork } from "../sandbox/program/driver.ts";
import {
  findNetworks,
  findWorkspaceNetwork,
  listRunningSandboxes,
  type RunningSandbox,
  type StoredNetworks,
  writeNetworkProposal,
  writeProjectNetwork,
  writeWorkspaceNetwork,
} from "./queries/networks.ts";
import { checkNetwork } from "./rules/check.ts";
import { nothingHolds } from "./rules/decide.ts";
import {
  isSameNetwork,
  type Network,
  type NetworkInForce,
  openWorkspaceNetwork,
  type SeenHost,
  toNetworkInForce,
  type WorkspaceNetwork,
} from "./rules/network.ts";
import { isOpeningHttps } from "./secrets.ts";

type Platforms = Pick<Env, "SANDBOX_NETWORKS" | "CONTAINER">;
type Objects = Pick<Env, "DB" | "PROJECT" | "SANDBOX" | "JURISDICTION"> & Platforms;

/** The network of a project, and how far its sandboxes follow it. */
export interface ProjectNetwork {
  network: Network;
  /** What its next sandbox is held to. */
  inForce: NetworkInForce;
  /** True if sandboxes are held to it here. */
  isEnforced: boolean;
  /** The keys of sandboxes that still run with another network, without spares. */
  outdated: string[];
  /** The hosts that its running sandboxes asked for. */
  seen: SeenHost[];
  /** What the deploy agent proposed since a member last set the network. */
  proposal: Network | null;
}

const unknownProject = refuse("NOT_FOUND", "There is no such project.");
const unknownWorkspace = refuse("NOT_FOUND", "There is no such workspace.");

/** How many sandboxes are asked at the same time. */
const lanes = 8;

/** Reads the network of a project. */
export async function readNetwork(env: Objects, projectId: string): Promise<ProjectNetwork | Refusal> {
  const stored = await findNetworks(env.DB, projectId);
  if (stored === null) return unknownProject;
  const { network, inForce } = toNetworks(env, projectId, stored);
  const held = await readHeld(env, projectId);
  const outdated = held.filter(({ isSpare, network }) => !isSpare && !isSameNetwork(network, inForce));
  const seen = addUp(held.flatMap((sandbox) => sandbox.seen));
  return {
    network,
    inForce: { mode: inForce.mode, hosts: inForce.hosts, strict: inForce.strict },
    isEnforced: canHold(env, inForce),
    outdated: outdated.map(({ key }) => key),
    seen,
    proposal: stored.proposal,
  };
}

/**
 * Sets the network of a project, and clears the proposal. It counts from the next start of each
 * sandbox.
 */
export async function updateNetwork(
  env: Objects,
  { projectId, network }: { projectId: string; network: Network },
  now: number,
): Promise<ProjectNetwork | Refusal> {
  const refusal = checkForProject(env, network);
  if (refusal) return refusal;
  if (!(await writeProjectNetwork(env.DB, { projectId, network, now }))) return unknownProject;
  await getProjectObject(env, projectId).settingsChanged();
  return await readNetwork(env, projectId);
}

/** Keeps a network for members to see, by the same rules as a set one. It changes no sandbox. */
export async function writeProposal(
  env: Pick<Env, "DB"> & Platforms,
  proposed: { projectId: string; network: Network },
): Promise<Refusal | null> {
  const refusal = checkForProject(env, proposed.network, "proposedNetwork");
  if (refusal) return refusal;
  return (await writeNetworkProposal(env.DB, proposed)) ? null : unknownProject;
}

function checkForProject(env: Platforms, network: Network, field = ""): Refusal | null {
  return checkNetwork(network, field) ?? (canHold(env, network) ? null : refuse("BAD_REQUEST", nothingHolds));
}

/** Reads the default and the ceiling of a workspace. */
export async function readWorkspaceNetwork(env: Objects, workspaceId: string) {
  const network = (await findWorkspaceNetwork(env.DB, workspaceId)) ?? openWorkspaceNetwork;
  return toWorkspaceAnswer(env, network);
}

/** Sets them. A lower ceiling narrows every project of the workspace. */
export async function updateWorkspaceNetwork(
  env: Objects,
  { workspaceId, network }: { workspaceId: string; network: WorkspaceNetwork },
) {
  const refusal = checkNetwork(network.default, "default");
  if (refusal) return refusal;
  const projectIds = await writeWorkspaceNetwork(env.DB, { workspaceId, network });
  if (projectIds === null) return unknownWorkspace;
  await runInLanes(
    projectIds,
    lanes,
    (projectId) => getProjectObject(env, projectId).settingsChanged(),
    (projectId, error) => log.warn("network.spares_not_replaced", { projectId, error }),
  );
  return toWorkspaceAnswer(env, network);
}

function toWorkspaceAnswer(env: Platforms, network: WorkspaceNetwork) {
  return { ...network, isEnforced: canHold(env, toNetworkInForce(null, network)) };
}

/** The network of a sandbox that starts. Refused where nothing would hold the sandbox to it. */
export async function readNetworkForStart(
  env: Pick<Env, "DB"> & Platforms,
  { id }: { id: string },
): Promise<NetworkInForce | Refusal> {
  const stored = await findNetworks(env.DB, id);
  if (stored === null) return unknownProject;
  const { inForce } = toNetworks(env, id, stored);
  return canHold(env, inForce) ? inForce : refuse("SERVICE_UNAVAILABLE", nothingHolds);
}

function toNetworks(
  env: Platforms,
  projectId: string,
  { project, workspace, secretHosts }: StoredNetworks,
): { network: Network; inForce: NetworkInForce } {
  const ofWorkspace = workspace ?? openWorkspaceNetwork;
  const secrets = isOpeningHttps(env) ? { projectId, hosts: secretHosts } : undefined;
  return { network: project ?? ofWorkspace.default, inForce: toNetworkInForce(project, ofWorkspace, secrets) };
}

/** An open network needs nothing that holds it. */
const canHold = (env: Platforms, { mode }: Pick<Network, "mode">) => mode === "open" || env.SANDBOX_NETWORKS === "held";

/** The networks of the project's running sandboxes. One that cannot be asked is left out. */
async function readHeld(env: Objects, projectId: string): Promise<(RunningSandbox & HeldNetwork)[]> {
  const held: (RunningSandbox & HeldNetwork)[] = [];
  await runInLanes(
    await listRunningSandboxes(env.DB, projectId),
    lanes,
    async (sandbox) => {
      const one = await getSandboxObject(env, sandbox.key).findNetwork();
      if (one !== null) held.push({ ...sandbox, ...one });
    },
    ({ key: sandboxKey }, error) => log.warn("network.sandbox_not_asked", { sandboxKey, error }),
  );
  return held.toSorted((one, other) => one.key.localeCompare(other.key));
}

/** One row for each host and port, the most frequent first. */
function addUp(seen: SeenHost[]): SeenHost[] {
  const sums = new Map<string, SeenHost>();
  for (const one of seen) {
    const key = `${one.host}:${one.port}`;
    const sum = sums.get(key);
    sums.set(key, { ...one, count: one.count + (sum?.count ?? 0) });
  }
  return [...sums.values()].toSorted((one, other) => other.count - one.count).slice(0, networkSeenMax);
}
