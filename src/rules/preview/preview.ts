// A preview: what can be told of a sandbox's public endpoints without and with a running sandbox (Part 1, "Previews and sandboxes").
import type { Frontend, ProjectSettings } from "../project/settings.ts";
import type { SandboxLifeState } from "../sandbox/sandbox.ts";

/** What is seen of a sandbox without waking it. */
export interface SandboxSight {
  state: SandboxLifeState;
  generation: number;
  resumesOnVisit: boolean;
  /** Its services are being restarted. */
  isResetting: boolean;
  /** What each service answers; null when the program does not run or did not answer. */
  services: ServiceSight[] | null;
}

export interface ServiceSight {
  name: string;
  /** Whether every endpoint does; null for a service without endpoints. */
  answers: boolean | null;
  /** The ports of the endpoints that do. */
  answeringPorts: number[];
}

export interface ServiceHealth {
  name: string;
  httpResult: "healthy" | "not_healthy" | null;
}

export interface Health {
  state: "healthy" | "starting";
  services: ServiceHealth[];
  sandboxAvailable: boolean;
  paused: boolean;
  needsStart: boolean;
  indeterminate: boolean;
}

/** What a public link can show (Part 1, "Preview rules", 8), and why it shows nothing. */
export const sharedPreviewStatuses = ["ready", "starting", "unavailable"] as const;
export type SharedPreviewStatus = (typeof sharedPreviewStatuses)[number];
export const unavailableReasons = ["session_ended", "not_running", "no_frontends"] as const;
export type UnavailableReason = (typeof unavailableReasons)[number];

/** Why a preview host has no answer of a service to give. */
const previewTroubles = ["unknown", "refused", "starting", "paused", "unable", "ended", "silent"] as const;
export type PreviewTrouble = (typeof previewTroubles)[number];

/** What it means that nothing in a sandbox took a request. */
export function troubleOf(state: SandboxLifeState): PreviewTrouble {
  switch (state) {
    case "running":
      return "silent";
    case "creating":
    case "resuming":
      return "starting";
    case "absent":
    case "pausing":
    case "paused":
      return "paused";
    case "gone":
      return "ended";
  }
}

/** Reads the health of a sandbox off what is seen of it (Part 1, "Health answer"). */
export function healthOf(sight: SandboxSight, settings: ProjectSettings, frontends: Frontend[]): Health {
  const asleep = {
    state: "starting",
    sandboxAvailable: false,
    paused: false,
    needsStart: false,
    indeterminate: false,
  } as const;
  const unserved = frontends.map(({ key }) => ({ name: key, httpResult: null }));
  switch (sight.state) {
    case "absent":
    case "gone":
      return { ...asleep, services: unserved, needsStart: true };
    case "paused":
      return { ...asleep, services: unserved, paused: true, needsStart: true };
    case "creating":
      return { ...asleep, services: unserved };
    case "pausing":
    case "resuming":
      return { ...asleep, services: [], indeterminate: true };
    case "running":
      return sight.services === null
        ? { ...asleep, services: [], indeterminate: true }
        : { ...asleep, ...servicesHealth(sight.services, sight.isResetting, settings), sandboxAvailable: true };
  }
}

/** Whether a frontend can be seen now; the other endpoints of its service may be silent. */
export function isServing({ service, port }: Frontend, services: SandboxSight["services"]): boolean {
  return services?.find(({ name }) => name === service)?.answeringPorts.includes(port) === true;
}

function servicesHealth(
  statuses: ServiceSight[],
  isResetting: boolean,
  settings: ProjectSettings,
): Pick<Health, "state" | "services"> {
  const services = settings.services.map(({ name }) => {
    const answers = statuses.find((status) => status.name === name)?.answers ?? null;
    return { name, httpResult: answers === null ? null : httpResultOf(answers) };
  });
  const areAllUp = settings.services.every(
    ({ endpoints }, place) => endpoints.length === 0 || services[place]?.httpResult === "healthy",
  );
  return {
    state: areAllUp && !isResetting ? "healthy" : "starting",
    services: [{ name: "agent", httpResult: "healthy" }, ...services],
  };
}

function httpResultOf(answers: boolean): "healthy" | "not_healthy" {
  return answers ? "healthy" : "not_healthy";
}
