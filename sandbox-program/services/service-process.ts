// Runs one service of the project: starts it with its ports, restarts it with growing pauses when
// it ends, and logs its output.

import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceExit, ServiceRun } from "../../src/preview/rules/service-state.ts";
import { getBackoffMs } from "../../src/rules/backoff.ts";
import type { ServicePlan } from "../../src/sandbox-protocol/protocol.ts";
import type { Folders } from "../folders.ts";
import { isThere } from "../presence.ts";
import type { Environment } from "../process/environment.ts";
import { createProcessFamily, sendSignal } from "../process/process-family.ts";
import { isRunning } from "../process/running-processes.ts";
import { getShellEnvironment } from "../process/shell-environment.ts";
import { spawnMember } from "../process/spawn-member.ts";
import { createServiceLog, type LogPart } from "./output-log.ts";
import type { Ports } from "./port-map.ts";
import { getPortEnvironment, releaseServicePorts } from "./service-ports.ts";

export interface ServiceProcess {
  run(): Omit<ServiceRun, "logEnd">;
  /** The newest output of the service, of at most this many bytes. */
  logEnd(bytes: number): string;
  /** The output of the service after an offset, of at most this many bytes. */
  logAfter(offset: string | null, bytes: number): LogPart;
  /** Ends the service and everything it started. */
  stop(): Promise<void>;
}

export interface ServiceParts {
  folders: Folders;
  ports: Ports;
  plan: ServicePlan;
  /** The environment that all services share. */
  env: Environment;
  /** Variables that are not secret. The project's variables override them. */
  hostEnv: Environment;
  /** True if an endpoint of the service responds. */
  answers(): Promise<boolean>;
}

const pauses = { firstMs: 500, longestMs: 30_000 };
/** The run time after which the restart pause is reset. */
const steadyAfterMs = 15_000;
const gracefulStopMs = 1_000;
const gracefulLookMs = 5;
/** The interval of checks on a service that runs in the background. */
const backgroundLookMs = 2_000;

/** Starts a service. */
export function startService({ folders, ports, plan, env, hostEnv, answers }: ServiceParts): ServiceProcess {
  const family = createProcessFamily(folders, "SWITCHYARD_SERVICE");
  const own = { ...env, ...plan.env };
  const log = createServiceLog(folders, plan.name, Object.values(own));
  const cwd = join(folders.project, plan.cwd ?? "");
  let child: ChildProcess | null = null;
  /** The starts since the service last ran for a while. */
  let tries = 1;
  let next: NodeJS.Timeout | undefined;
  let isStopped = false;
  let startedAtMs: number | null = null;
  let restarts = 0;
  let isDone = false;
  let lastExit: ServiceExit | null = null;

  function start(): void {
    if (isStopped) return;
    releaseServicePorts(folders, ports, plan, log.note);
    const attemptAtMs = Date.now();
    startedAtMs = attemptAtMs;
    let hasEnded = false;
    const onEnd = (how: string, endedWell: boolean, exit: ServiceExit = { code: null, how }) => {
      if (hasEnded || isStopped) return;
      hasEnded = true;
      startedAtMs = null;
      lastExit = exit;
      if (Date.now() - attemptAtMs > steadyAfterMs) tries = 1;
      isDone = endedWell && plan.endpoints.length === 0;
      if (isDone) log.note(`${how}; it has done its work`);
      else if (endedWell) next = setTimeout(() => void lookBehind(how), getBackoffMs(tries, pauses));
      else startAgain(how);
    };
    if (!isThere(cwd)) {
      onEnd(`could not be started: there is no folder ${plan.cwd}`, false);
      return;
    }
    log.note(`starts${onPorts()}: ${plan.command}`);
    family.open().then(
      () => isStopped || launch(onEnd),
      (error: unknown) => onEnd(`could not be started: ${error instanceof Error ? error.message : error}`, false),
    );
  }

  function launch(onEnd: (how: string, endedWell: boolean, exit?: ServiceExit) => void): void {
    const env = { ...getShellEnvironment(folders, { ...hostEnv, ...own }, null), ...getPortEnvironment(plan, ports) };
    const member = { argv: ["/bin/bash", "-c", plan.command], cwd, env };
    const started = spawnMember(family, member, { stdio: ["ignore", "pipe", "pipe"] });
    child = started;
    started.stdout?.on("data", log.write);
    started.stderr?.on("data", log.write);
    started.once("error", (error) => onEnd(`could not be started: ${error.message}`, false));
    started.once("exit", (code, signal) =>
      onEnd(`ended with ${signal ?? `exit code ${code}`}`, code === 0, {
        code,
        how: signal === null ? `exited ${code}` : `was ended by ${signal}`,
      }),
    );
  }

  function onPorts(): string {
    const real = plan.endpoints.map(({ port }) => ports.real(port));
    return real.length === 0 ? "" : ` on port ${real.join(", ")}`;
  }

  function startAgain(how: string): void {
    if (isStopped) return;
    const pauseMs = getBackoffMs(tries, pauses);
    log.note(`${how}; starting again in ${pauseMs} ms`);
    restarts += 1;
    next = setTimeout(() => void family.killAll().then(start), pauseMs);
    tries += 1;
  }

  /**
   * A command may exit with success and leave a server in the background. That server counts as the
   * service while it responds.
   */
  async function lookBehind(how: string): Promise<void> {
    if (isStopped) return;
    if (!(await answers())) return startAgain(how);
    tries = 1;
    if (!isStopped) next = setTimeout(() => void lookBehind("stopped answering in the background"), backgroundLookMs);
  }

  async function stop(): Promise<void> {
    isStopped = true;
    clearTimeout(next);
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null)
      await endGracefully(child.pid, family.findLeader(child.pid));
    await family.close();
    log.close();
  }

  start();
  return {
    run: () => ({ ageMs: startedAtMs === null ? null : Date.now() - startedAtMs, isDone, restarts, lastExit }),
    logEnd: log.end,
    logAfter: log.after,
    stop,
  };
}

/** Sends SIGTERM to a process group and waits for its leader to exit. */
async function endGracefully(group: number, leader: number): Promise<void> {
  if (!sendSignal(-group, "SIGTERM")) return;
  const givenUpAt = Date.now() + gracefulStopMs;
  while (Date.now() < givenUpAt && isRunning(leader)) await sleep(gracefulLookMs);
}
