// The container application of a deployment: what it runs, and which of its settings differ from
// wrangler.toml.
import type { unstable_readConfig } from "wrangler";

type Config = ReturnType<typeof unstable_readConfig>;

/**
 * The settings of an application that a deployment applies, each as a text that can be compared.
 */
export type ContainerSettings = Record<string, string>;

/** An application as the platform's API lists it, as far as a deployment reads it. */
export interface ListedApplication {
  id: string;
  name: string;
  max_instances?: number;
  rollout_active_grace_period?: number;
  constraints?: Constraints;
  observability?: { logs?: { enabled?: boolean } };
  configuration?: Configuration;
  active_rollout_id?: string;
  /** During a rollout, what its instances get. */
  scheduling_hint?: { target?: { configuration?: Configuration } };
}

interface Configuration {
  image?: string;
  vcpu?: number;
  memory_mib?: number;
  disk?: { size_mb?: number };
  instance_type?: string;
  wrangler_ssh?: { enabled?: boolean };
  observability?: { logs?: { enabled?: boolean } };
}

interface Constraints {
  tiers?: number[];
  regions?: string[];
  jurisdiction?: string;
  cities?: string[];
}

export interface Application {
  id: string;
  /** The image that its instances run; during a rollout, the one that they get. */
  image: string | null;
  settings: ContainerSettings;
  /** A rollout that is not complete, and the image that it replaces. */
  rollout: { id: string; from: string | null } | null;
}

/** The sizes of the platform's instance types: cores, MiB of memory, MB of disk. */
const instanceTypes: Record<string, [vcpu: number, memoryMib: number, diskMb: number]> = {
  lite: [0.0625, 256, 2_000],
  basic: [0.25, 1_024, 4_000],
  "standard-1": [0.5, 4_096, 8_000],
  "standard-2": [1, 6_144, 12_000],
  "standard-3": [2, 8_192, 16_000],
  "standard-4": [4, 12_288, 20_000],
};
const defaultMaxInstances = 20;
const defaultTiers = [1, 2];

/** The application of a Worker. Two deployments in one account need different names. */
export const applicationName = (workerName: string) => `${workerName}-sandboxes`;

/** Finds an application by its whole name. */
export function findApplication(listed: readonly ListedApplication[], name: string): Application | null {
  const found = listed.find((application) => application.name === name);
  if (!found) return null;
  const { configuration = {}, active_rollout_id: rolloutId } = found;
  const target =
    rolloutId === undefined ? configuration : (found.scheduling_hint?.target?.configuration ?? configuration);
  const rollout = rolloutId === undefined ? null : { id: rolloutId, from: configuration.image ?? null };
  return { id: found.id, image: target.image ?? null, settings: deployedSettings(found, target), rollout };
}

/** All images that applications run, or get from a rollout. */
export function listUsedImages(listed: readonly ListedApplication[]): string[] {
  return listed
    .flatMap((application) => [
      application.configuration?.image,
      application.scheduling_hint?.target?.configuration?.image,
    ])
    .filter((image) => image !== undefined);
}

function deployedSettings(application: ListedApplication, configuration: Configuration): ContainerSettings {
  const logs = configuration.observability ?? application.observability;
  return {
    max_instances: String(application.max_instances ?? defaultMaxInstances),
    instance_type: sizeText(
      instanceTypes[configuration.instance_type ?? ""] ?? [
        configuration.vcpu ?? 0,
        configuration.memory_mib ?? 0,
        configuration.disk?.size_mb ?? 0,
      ],
    ),
    constraints: constraintsText(application.constraints ?? {}),
    rollout_active_grace_period: String(application.rollout_active_grace_period ?? 0),
    observability: isOn(logs?.logs?.enabled ?? false),
    ssh: isOn(configuration.wrangler_ssh?.enabled ?? true),
  };
}

/**
 * The settings of the containers in wrangler.toml, as a deployment and wrangler complete them.
 * `jurisdiction` is that of the service.
 */
export function readContainerSettings({ containers, observability }: Config, jurisdiction: string): ContainerSettings {
  const container = containers?.[0];
  const type = container?.instance_type ?? "lite";
  const logs = container?.observability ?? observability;
  return {
    max_instances: String(container?.max_instances ?? defaultMaxInstances),
    instance_type:
      typeof type === "string"
        ? sizeText(instanceTypes[type] ?? [0, 0, 0])
        : sizeText([type.vcpu ?? 0.0625, type.memory_mib ?? 256, type.disk_mb ?? 2_000]),
    constraints: constraintsText((container?.constraints ?? { jurisdiction }) as Constraints),
    rollout_active_grace_period: String(container?.rollout_active_grace_period ?? 0),
    observability: isOn(
      (logs as { logs?: { enabled?: boolean } } | undefined)?.logs?.enabled ?? logs?.enabled ?? false,
    ),
    ssh: isOn((container?.ssh ?? container?.wrangler_ssh)?.enabled ?? true),
  };
}

/** Lists the settings that differ, each with its deployed and its wanted value. */
export function listSettingChanges(deployed: ContainerSettings, wanted: ContainerSettings): string[] {
  return Object.entries(wanted)
    .filter(([name, value]) => deployed[name] !== value)
    .map(([name, value]) => `${name}: ${deployed[name]} → ${value}`);
}

const isOn = (enabled: boolean) => (enabled ? "on" : "off");

const sizeText = ([vcpu, memoryMib, diskMb]: readonly number[]) => `${vcpu} vCPU, ${memoryMib} MiB, ${diskMb} MB`;

function constraintsText({ tiers = defaultTiers, regions, jurisdiction, cities }: Constraints): string {
  const places = [
    ...(jurisdiction ? [jurisdiction.toLowerCase()] : []),
    ...(regions ?? []).map((region) => region.toUpperCase()).sort(),
    ...(cities ?? []).map((city) => city.toLowerCase()).sort(),
  ];
  return [`tiers ${[...tiers].sort().join(" ")}`, ...places].join(", ");
}
