// One service of the project as a running process: started with its ports, started again with growing pauses when it ends, its output
// kept in a log of bounded size.
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import type { ServicePlan } from "../src/sandbox/protocol.ts";
import type { Folders } from "./folders.ts";
import type { Ports } from "./ports.ts";
import { createProcessFamily } from "./processes.ts";
import { openServiceLog } from "./service-log.ts";
import { type Environment, shellEnvironment } from "./shell-environment.ts";

export interface ServiceProcess {
  /** Ends the service and everything it started. */
  stop(): Promise<void>;
}

const firstPauseMs = 500;
const longestPauseMs = 30_000;
/** A service that ran this long starts again without the pauses of its earlier failures. */
const steadyAfterMs = 15_000;
const gracefulStopMs = 1_000;

/** Starts a service. */
export function startService(folders: Folders, plan: ServicePlan, env: Environment, ports: Ports): ServiceProcess {
  const family = createProcessFamily("SWITCHYARD_SERVICE");
  const log = openServiceLog(join(folders.state, "logs"), plan.name);
  let child: ChildProcess | null = null;
  let pauseMs = firstPauseMs;
  let restart: NodeJS.Timeout | undefined;
  let isStopped = false;

  function start(): void {
    if (isStopped) return;
    const startedAtMs = Date.now();
    const started = spawn("/bin/bash", ["-c", plan.command], {
      cwd: join(folders.project, plan.cwd ?? ""),
      env: {
        ...shellEnvironment(folders, { ...env, ...plan.env }, null),
        ...portEnvironment(plan, ports),
        ...family.mark,
      },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    child = started;
    if (started.pid !== undefined) family.addGroup(started.pid);
    started.stdout?.on("data", log.write);
    started.stderr?.on("data", log.write);
    let hasEnded = false;
    const onEnd = (how: string) => {
      if (hasEnded || isStopped) return;
      hasEnded = true;
      if (Date.now() - startedAtMs > steadyAfterMs) pauseMs = firstPauseMs;
      log.write(Buffer.from(`\n[${plan.name} ${how}; starting again in ${pauseMs} ms]\n`));
      restart = setTimeout(() => void family.killAll().then(start), pauseMs);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    };
    started.once("error", (error) => onEnd(`could not be started: ${error.message}`));
    started.once("exit", (code, signal) => onEnd(`ended with ${signal ?? `exit code ${code}`}`));
  }

  async function stop(): Promise<void> {
    isStopped = true;
    clearTimeout(restart);
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) await endGracefully(child);
    await family.killAll();
    log.close();
  }

  start();
  return { stop };
}

function endGracefully(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, gracefulStopMs);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
    try {
      process.kill(-(child.pid ?? 0), "SIGTERM");
    } catch {
      resolve();
    }
  });
}

function portEnvironment(plan: ServicePlan, ports: Ports): Environment {
  const env: Environment = {};
  for (const [index, endpoint] of plan.endpoints.entries()) {
    const port = String(ports.real(endpoint.port));
    if (index === 0) env.PORT = port;
    if (endpoint.name) env[`PORT_${endpoint.name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`] = port;
  }
  return env;
}
