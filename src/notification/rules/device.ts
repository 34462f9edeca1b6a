// A device that gets push notifications: a phone's app, or a watch's (decisions, "Push"). A token
// belongs to the person who registered it last, and a watch to its highest generation: an older one
// is refused with CONFLICT. The database decides both in one statement (`saveDevice` in
// `notification/queries/devices.ts`).
import { deviceTokenBytesMax, deviceTokenBytesMin } from "../../rules/limits.ts";
import { refuse } from "../../rules/refusal.ts";

export const pushEnvironments = ["sandbox", "production"] as const;
export type PushEnvironment = (typeof pushEnvironments)[number];

export const pushPlatforms = ["ios", "watchos"] as const;
export type PushPlatform = (typeof pushPlatforms)[number];

/** A registration of a watch. For each installation, only the highest generation counts. */
export interface WatchInstallation {
  id: string;
  generation: number;
}

/** The fields of a registration. */
export interface DeviceToRegister {
  /** Hexadecimal, in lower case. */
  token: string;
  bundleId: string;
  environment: PushEnvironment;
  platform: PushPlatform;
  /** Null for a phone. */
  installation: WatchInstallation | null;
  /** What the person calls it. */
  label?: string | null;
}

/** The refusal of a registration of a watch that is older than the one in force. */
export const olderGeneration = refuse(
  "CONFLICT",
  "A newer generation of this installation is registered. Raise generation, then register.",
);

/** The pattern of a device token: two hexadecimal digits per byte, in any case. */
export const deviceTokenPattern = new RegExp(`^(?:[0-9A-Fa-f]{2}){${deviceTokenBytesMin},${deviceTokenBytesMax}}$`);

/** The stored form of a device token, so that it is one device regardless of case. */
export function toStoredToken(token: string): string {
  return token.toLowerCase();
}

/** Of one person; a further device replaces the one that was registered longest ago. */
export const pushDevicesMax = 500;

export const bundleIdCharactersMax = 155;
export const installationIdCharactersMax = 200;

/** The pattern of a bundle id: letters, digits and hyphens, in parts that dots separate. */
export const bundleIdPattern = /^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/;

/**
 * What is wrong with the installation of a registration, by field; null if nothing is. A watch
 * needs both fields, a phone neither; only one field is always wrong.
 */
export function findInstallationMistake(
  platform: PushPlatform,
  { installationId, generation }: { installationId?: string | undefined; generation?: number | undefined },
): { path: "installationId" | "generation"; message: string } | null {
  if (platform === "ios") {
    const path = installationId !== undefined ? "installationId" : generation !== undefined ? "generation" : null;
    return path && { path, message: "is only for watches" };
  }
  const path = installationId === undefined ? "installationId" : generation === undefined ? "generation" : null;
  return path && { path, message: "is needed for a watch" };
}
