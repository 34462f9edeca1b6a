// What the sandboxes of a project may reach: the setting of a project, the default and the ceiling
// of its workspace, and the network that follows from both.
import { formatPattern, parsePattern } from "./pattern.ts";
import { hostsOfPreset, type PresetName } from "./presets.ts";

/** From wide to narrow. In every mode, a sandbox reaches the service. */
export const networkModes = ["open", "hosts", "closed"] as const;
export type NetworkMode = (typeof networkModes)[number];

/** A network as a person sets it. Presets and hosts count only with the mode `hosts`. */
export interface Network {
  mode: NetworkMode;
  presets: PresetName[];
  /** Patterns, as they were written. */
  hosts: string[];
  /** Names that are not listed do not resolve either. */
  strict: boolean;
}

export interface WorkspaceNetwork {
  /** The network of projects that have set none. */
  default: Network;
  /** No project's network is wider. */
  ceiling: NetworkMode;
}

/** The network that a sandbox is held to. Two are equal if their JSON is. */
export interface NetworkInForce {
  mode: NetworkMode;
  /** Patterns in their compared form, sorted. */
  hosts: string[];
  strict: boolean;
  /** The project whose secrets are for these hosts, sorted. Missing without any. */
  secrets?: { projectId: string; hosts: string[] };
}

/** A host that a sandbox asked for. */
export interface SeenHost {
  host: string;
  port: number;
  isAllowed: boolean;
  /** How many times. */
  count: number;
}

export const openNetwork: Network = { mode: "open", presets: [], hosts: [], strict: false };
export const openWorkspaceNetwork: WorkspaceNetwork = { default: openNetwork, ceiling: "open" };
export const openInForce: NetworkInForce = { mode: "open", hosts: [], strict: false };

/** The network of a project's next start. `project` is null if the project has set none. */
export function toNetworkInForce(
  project: Network | null,
  workspace: WorkspaceNetwork,
  secrets?: NetworkInForce["secrets"],
): NetworkInForce {
  const network = narrow(project, workspace);
  // A closed network reaches none of their hosts.
  return secrets === undefined || secrets.hosts.length === 0 || network.mode === "closed"
    ? network
    : { ...network, secrets };
}

function narrow(project: Network | null, workspace: WorkspaceNetwork): NetworkInForce {
  const asked = project ?? workspace.default;
  const mode = toNarrower(asked.mode, workspace.ceiling);
  if (mode !== "hosts") return { ...openInForce, mode };
  // An open project under the ceiling `hosts` lists none, so the workspace's default does.
  const listed = [asked, workspace.default].find((network) => network.mode === "hosts") ?? openNetwork;
  const patterns = [...listed.presets.flatMap(hostsOfPreset), ...listed.hosts].map(parsePattern);
  const hosts = patterns.flatMap((pattern) => ("mistake" in pattern ? [] : [formatPattern(pattern)]));
  return { mode, hosts: [...new Set(hosts)].toSorted(), strict: listed.strict };
}

/** True if two sandboxes with these networks reach the same. */
export function isSameNetwork(one: NetworkInForce, other: NetworkInForce): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function toNarrower(one: NetworkMode, other: NetworkMode): NetworkMode {
  return networkModes[Math.max(networkModes.indexOf(one), networkModes.indexOf(other))] ?? "closed";
}
