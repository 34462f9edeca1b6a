// The state of a service in a running sandbox: what it does, and how it last ended.
import type { ServiceLayout } from "../../project/rules/settings.ts";
import type { SandboxStatus, ServiceHealth, ServiceStatus } from "./preview.ts";

/** The sandbox program's report on a service's process. */
export interface ServiceRun {
  /** Milliseconds since its process started; null while none runs. */
  ageMs: number | null;
  /** True if it ended successfully and needs no process any longer. */
  isDone: boolean;
  /** The number of restarts. */
  restarts: number;
  /** How its process last ended; null before that. */
  lastExit: ServiceExit | null;
  /** The end of its log if it does not respond; otherwise empty. */
  logEnd: string;
}

export interface ServiceExit {
  /** Null if a signal ended it, or it could not be started. */
  code: number | null;
  /** Such as `exited 127`. */
  how: string;
}

/**
 * `waiting`: it starts once the earlier services respond. `not_answering`: its process runs, and
 * had enough time to respond. `crashed`: it ended, and is restarted repeatedly. `done`: it ended
 * successfully and has no endpoint. `stopped`: the sandbox does not run.
 */
export const serviceStates = ["waiting", "starting", "running", "not_answering", "crashed", "done", "stopped"] as const;
export type ServiceState = (typeof serviceStates)[number];

/** A process that has run this long has finished starting. */
const steadyAfterMs = 15_000;

export function getServiceState({ answers, run }: Pick<ServiceStatus, "answers" | "run">): ServiceState {
  if (run === null) return "waiting";
  if (run.isDone) return "done";
  if (answers === true) return "running";
  if (run.ageMs === null) return run.lastExit === null ? "starting" : "crashed";
  if (answers === null) return "running";
  if (run.ageMs >= steadyAfterMs) return "not_answering";
  return run.lastExit === null ? "starting" : "crashed";
}

export interface ServiceReport {
  name: string;
  state: ServiceState;
  ageMs: number | null;
  lastExit: ServiceExit | null;
  restarts: number;
  httpResult: ServiceHealth["httpResult"];
}

/** Reports every service of a layout. Null if the sandbox runs and its program did not respond. */
export function findServiceReports(
  { state, services }: SandboxStatus,
  layout: ServiceLayout[],
): ServiceReport[] | null {
  const asleep = { ageMs: null, lastExit: null, restarts: 0, httpResult: null };
  if (state !== "running") return layout.map(({ name }) => ({ name, state: "stopped", ...asleep }));
  if (services === null) return null;
  return layout.map(({ name }) => {
    const status = services.find((one) => one.name === name);
    if (!status) return { name, state: "waiting", ...asleep };
    const { ageMs, lastExit, restarts } = { ...asleep, ...status.run };
    return {
      name,
      state: getServiceState(status),
      ageMs,
      lastExit,
      restarts,
      httpResult: findHttpResult(status.answers),
    };
  });
}

export function findHttpResult(answers: boolean | null): ServiceHealth["httpResult"] {
  if (answers === null) return null;
  return answers ? "healthy" : "not_healthy";
}

/** Why a service is down. */
export interface Crash {
  /** Such as `exited 127`. */
  how: string;
  /** The last lines of its log. */
  logEnd: string;
}

/** Why a service crashed; null if it has not. */
export function findCrash(status: Pick<ServiceStatus, "answers" | "run">): Crash | null {
  const { run } = status;
  if (!run?.lastExit || getServiceState(status) !== "crashed") return null;
  return { how: run.lastExit.how, logEnd: getLastLines(run.logEnd) };
}

const linesShown = 12;
const charactersShown = 2_000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a log may hold any.
const terminalCodes = /\u001b(\[[0-?]*[ -/]*[@-~]|[@-_])|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** The last lines of a log as a page shows them, without terminal color codes. */
export function getLastLines(log: string): string {
  const plain = log.replace(/\r\n/g, "\n").replace(terminalCodes, "").trimEnd();
  return plain.slice(-charactersShown).split("\n").slice(-linesShown).join("\n");
}

export interface NamedService {
  name: string;
  crash: Crash | null;
}

/**
 * The service of a port, with the reason of its crash; null for an unknown port, and while the
 * services are unknown.
 */
export function findServiceAt(
  port: number,
  { services }: Pick<SandboxStatus, "services">,
  layout: ServiceLayout[],
): NamedService | null {
  const name = layout.find(({ endpoints }) => endpoints.some((endpoint) => endpoint.port === port))?.name;
  const status = services?.find((one) => one.name === name);
  return name !== undefined && status ? { name, crash: findCrash(status) } : null;
}
