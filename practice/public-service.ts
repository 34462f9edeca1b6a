// A service for a team on one machine: the edge with the Worker in its runtime, without any
// stand-in for an outside service.
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createSecret } from "../src/lib/ids.ts";
import { saveCommandLine } from "./command-line.ts";
import type { Engine } from "./container-engine/engine.ts";
import { createEngineSandboxes } from "./container-engine/engine-sandboxes.ts";
import { savePages } from "./docs.ts";
import { type EdgeHosts, getStorageEndpoint, startEdge } from "./edge.ts";
import { claimFreePort, isFree } from "./free-port.ts";
import { applyMigrations, findNewestMigration } from "./migrations.ts";
import { startHostSandboxes } from "./sandbox-host/host-sandboxes.ts";
import { publicKeysFile, stateFormat } from "./state-folder.ts";
import { startWorkerRuntime, tickEveryMs, withDatabase } from "./worker-runtime.ts";

export interface PublicServiceOptions extends EdgeHosts {
  /** The port for the proxy. */
  port: number;
  stateDir: string;
  /** The Worker's settings without its secrets. */
  variables: Record<string, string>;
  /** All secrets of the Worker, except those of the storage. */
  secrets: Record<string, string>;
  /** Sandboxes are containers of this engine; otherwise, processes in bubblewrap. */
  engine: Engine | null;
  report: (line: string) => void;
  /** Receives the log lines that are neither warnings nor errors. Without it, they are dropped. */
  reportLog?: (line: string) => void;
}

export interface PublicService {
  baseUrl: string;
  /** The file with the operator's key. */
  operatorKeyFile: string;
  isolationNotice: string;
  /** Returns the keys of the sandboxes whose work could not be saved. */
  close(): Promise<string[]>;
}

interface LastRun {
  workerPort?: number;
  migration?: string;
}

const bucket = "switchyard";

/** Starts the service and resolves when it is ready. Continues with the state of an earlier run. */
export async function startPublicService(options: PublicServiceOptions): Promise<PublicService> {
  const { port, stateDir, publicHost, previewDomain, variables, engine, report, reportLog } = options;
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  const secrets: Record<string, string> = {
    S3_ACCESS_KEY_ID: "one-machine",
    S3_SECRET_ACCESS_KEY: createSecret(),
    ...options.secrets,
  };
  // Saved before they are used: what is sealed with a key that is lost is lost too.
  await writePrivate(join(stateDir, publicKeysFile), `${JSON.stringify(secrets, null, 2)}\n`);
  const operatorKeyFile = join(stateDir, "operator-key");
  await writePrivate(operatorKeyFile, secrets.OPERATOR_KEY ?? "");
  const last = await readLastRun(stateDir);
  if (last === null) report("Starting Switchyard. A first start takes up to two minutes …");
  const newest = await findNewestMigration();
  const folder = `${stateDir}/cloudflare`;
  // Objects whose alarms are due wake with the runtime, and would find the tables of the earlier
  // version.
  if (last !== null && last.migration !== newest) await withDatabase(folder, applyMigrations);
  const lastPort = last?.workerPort;
  const workerPort = lastPort !== undefined && (await isFree(lastPort)) ? lastPort : await claimFreePort();
  const sandboxes = engine
    ? await createEngineSandboxes(engine, { folder, port: workerPort, report })
    : await startHostSandboxes({ folder: `${stateDir}/sandboxes`, port: workerPort, keepsDisks: true });
  const worker = await startWorkerRuntime({
    port: workerPort,
    folder,
    report: reportLog,
    ...(sandboxes.containers && { containers: sandboxes.containers }),
    s3Credentials: {
      accessKeyId: secrets.S3_ACCESS_KEY_ID ?? "",
      secretAccessKey: secrets.S3_SECRET_ACCESS_KEY ?? "",
    },
    settings: {
      ...variables,
      ...secrets,
      ...sandboxes.settings,
      S3_ENDPOINT: getStorageEndpoint(previewDomain, bucket),
    },
  });
  await Promise.all([applyMigrations(worker.database), worker.store().then(saveCommandLine)]);
  const baseUrl = `https://${publicHost}`;
  const run = { baseUrl, workerPort, migration: newest, format: stateFormat };
  await writePrivate(`${stateDir}/dev.json`, JSON.stringify(run, null, 2));
  const ticker = setInterval(() => {
    worker.tick(Date.now()).catch((error: unknown) => console.error("tick:", error));
  }, tickEveryMs);
  // The API does not wait for them.
  const saving = savePages(worker.store());
  const edge = await startEdge({ port, workerPort, publicHost, previewDomain });
  return {
    baseUrl,
    operatorKeyFile,
    isolationNotice: sandboxes.notice,
    async close() {
      clearInterval(ticker);
      // While sandboxes are saved, no member changes or starts one.
      await edge.close();
      await saving;
      const unsaved = await worker.saveSandboxes();
      await worker.close();
      await sandboxes.close(unsaved);
      return unsaved;
    },
  };
}

/** Replaces a file that only its user reads. */
async function writePrivate(file: string, text: string): Promise<void> {
  // Writing to an existing file would keep its permissions.
  await rm(`${file}.new`, { force: true });
  await writeFile(`${file}.new`, text, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
}

/** Null for a first start, or if that was killed. */
async function readLastRun(stateDir: string): Promise<LastRun | null> {
  try {
    return JSON.parse(await readFile(`${stateDir}/dev.json`, "utf8"));
  } catch {
    return null;
  }
}
