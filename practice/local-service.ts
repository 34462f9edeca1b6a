// The one-machine world: the Worker in its runtime, and stand-ins for all external services.
// `npm start`, the system tests and the benchmark use it.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createName } from "../src/lib/ids.ts";
import { type ProviderId, providerIds } from "../src/model/rules/provider.ts";
import type { PlanName } from "../src/workspace/rules/billing-plan.ts";
import { startPracticeCodeHost } from "./code-host/practice-code-host.ts";
import { saveCommandLine } from "./command-line.ts";
import type { Engine } from "./container-engine/engine.ts";
import { createEngineSandboxes } from "./container-engine/engine-sandboxes.ts";
import { type DemoDeploy, deployDemo } from "./demo-deploy.ts";
import { savePages } from "./docs.ts";
import { createMarketplaces } from "./marketplaces.ts";
import { applyMigrations, findNewestMigration } from "./migrations.ts";
import { startPracticeProvider } from "./model-provider/provider.ts";
import { getOwnProject, type OwnProject } from "./own-repository/own-project.ts";
import { importOwnRepository, type OwnRepository } from "./own-repository/own-repository.ts";
import { createPathKey } from "./private-path.ts";
import { startPracticePush } from "./push-service/push-service.ts";
import { getProviderSettings, type RealProviders, seedKeys } from "./real-providers.ts";
import { startHostSandboxes } from "./sandbox-host/host-sandboxes.ts";
import { loadSecrets } from "./secrets.ts";
import { type DemoWorld, demoRepository, seed } from "./seed.ts";
import { stateFormat } from "./state-folder.ts";
import {
  startWorkerRuntime,
  tickEveryMs,
  type WorkerRuntime,
  type WorkerRuntimeOptions,
  withDatabase,
} from "./worker-runtime.ts";

const demoApp = join(import.meta.dirname, "demo-app");
const codeHostAppId = "1001";
const codeHostClientId = "practice-switchyard";
const pushKeyId = "PRACTICE01";
const pushTeamId = "PRACTICETM";

export interface WorldOptions extends Pick<WorkerRuntimeOptions, "entry" | "inspectsObjects" | "inspectorPort"> {
  port: number;
  stateDir: string;
  /** Limits all requests, only those without a key, or none. */
  rateLimits?: "on" | "visitors" | "off";
  /** The user's own repository, which gets a project next to the demo project. */
  own?: OwnRepository | null;
  /** The real model providers. */
  real?: RealProviders;
  /** The plan of the demo workspace; null leaves it unchanged. */
  plan?: PlanName | null;
  /** How many minutes an unused sandbox keeps running; null for the default. */
  idleMinutes?: number | null;
  /** The parent domain of the preview hosts, without a port; null for the default. */
  previewDomain?: string | null;
  /**
   * Adds plugin marketplaces to the stand-in code host. They are read before the world is ready.
   */
  hasMarketplaces?: boolean;
  /**
   * Deploys the demo project before the world is ready, if it was never deployed. Without it, the
   * project is live from the start.
   */
  deploysDemo?: boolean;
  /** Webhooks may lead to loopback addresses. */
  webhooksToLoopback?: boolean;
  /**
   * A folder that gets the folders of stopped sandboxes, so that measurements do not include their
   * deletion.
   */
  stoppedFolder?: string | null;
  /** A pause keeps the sandbox's disk for its next wake. Otherwise, it deletes the disk. */
  keepsDisks?: boolean;
  /** Sandboxes are containers of this engine; by default, processes of the sandbox host. */
  engine?: Engine | null;
  /** Receives a line for each step that takes time. */
  report?: (line: string) => void;
  /** Receives the log lines that are neither warnings nor errors. Without it, they are dropped. */
  reportLog?: (line: string) => void;
}

export interface World extends DemoWorld {
  baseUrl: string;
  forgeUrl: string;
  /** The link to the stand-in code host's pages. */
  forgePagesUrl: string;
  /** The link that allows a browser to sign in. */
  signInUrl: string;
  /** A link that opens the console, signed in as the owner. It works once. */
  openUrl: string;
  /** The private address of the practice provider. */
  providerUrl: string;
  /** Empty if sandboxes are containers. */
  sandboxHostUrl: string;
  /** The private address of the practice push service. */
  pushUrl: string;
  /** The project of the user's own repository; null if there is none. */
  own: OwnProject | null;
  /** The providers that are not the practice provider. */
  realProviders: ProviderId[];
  /** The outcome of the demo project's Deploy; null if it needs none. */
  demoDeploy: DemoDeploy | null;
  /** The isolation of sandboxes, and what an agent can reach inside one. */
  isolationNotice: string;
  database: D1Database;
  store: WorkerRuntime["store"];
  objectSql: WorkerRuntime["objectSql"];
  /** Returns the keys of the sandboxes whose work could not be saved. */
  close(): Promise<string[]>;
}

/** Starts everything and resolves when it is ready. Continues with the state of an earlier run. */
export async function startWorld(options: WorldOptions): Promise<World> {
  const {
    port,
    stateDir,
    rateLimits = "on",
    own = null,
    real = {},
    plan = null,
    idleMinutes = null,
    previewDomain = null,
    hasMarketplaces = false,
    deploysDemo = false,
    webhooksToLoopback = false,
    stoppedFolder = null,
    keepsDisks = false,
    engine = null,
    report = () => {},
    reportLog,
    ...runtime
  } = options;
  await mkdir(stateDir, { recursive: true });
  const secrets = await loadSecrets(stateDir);
  const baseUrl = `http://localhost:${port}`;
  const webhooks = { url: `${baseUrl}/api/webhooks/github`, secret: secrets.codeHostWebhookSecret };
  const [before, newest] = await Promise.all([lastRun(stateDir), findNewestMigration()]);
  if (before.baseUrl === undefined) report("Starting Switchyard. A first start takes up to two minutes …");
  // Objects whose alarms are due wake with the runtime, and would find the tables of the earlier
  // version.
  const isUpgrade = before.baseUrl !== undefined && before.migration !== newest;
  if (isUpgrade) await withDatabase(`${stateDir}/cloudflare`, applyMigrations);
  const pushKey = { keyId: pushKeyId, teamId: pushTeamId, privateKey: secrets.apnsPrivateKey };
  const [provider, codeHost, sandboxes, push] = await Promise.all([
    startPracticeProvider({
      port: getPort(before.providerUrl),
      file: `${stateDir}/practice-sign-ins.json`,
      pathKey: createPathKey("practice provider", secrets.codeHostToken),
    }),
    startPracticeCodeHost({
      // Sessions store the URLs of their pull requests, so the port must stay the same.
      port: getPort(before.forgeUrl),
      folder: `${stateDir}/forge`,
      token: secrets.codeHostToken,
      app: { id: codeHostAppId, key: secrets.codeHostAppKey },
      oauth: {
        clientId: codeHostClientId,
        clientSecret: secrets.codeHostClientSecret,
        callbackUrl: `${baseUrl}/api/auth/github/callback`,
      },
      webhooks,
      hosted: own?.type === "hosted" ? own.hosted : null,
    }),
    engine
      ? createEngineSandboxes(engine, { folder: `${stateDir}/cloudflare`, port, report })
      : startHostSandboxes({ folder: `${stateDir}/sandboxes`, port, stoppedFolder, keepsDisks }),
    startPracticePush({
      key: pushKey,
      port: getPort(before.pushUrl),
      pathKey: createPathKey("practice push service", secrets.codeHostToken),
    }),
  ]);
  await codeHost.createRepository(demoRepository, demoApp);
  const marketplaces = hasMarketplaces ? await createMarketplaces(codeHost) : "[]";
  const importing = own && importOwnRepository(codeHost, own, report);
  const starting = startWorkerRuntime({
    port,
    folder: `${stateDir}/cloudflare`,
    report: reportLog,
    ...runtime,
    ...(sandboxes.containers && { containers: sandboxes.containers }),
    s3Credentials: secrets.s3,
    settings: {
      PUBLIC_URL: baseUrl,
      PREVIEW_DOMAIN: `${previewDomain ?? "preview.localhost"}:${port}`,
      ...sandboxes.settings,
      CODE_HOST_GIT_URL: codeHost.url,
      CODE_HOST_API_URL: codeHost.url,
      MARKETPLACES: marketplaces,
      APNS_KEY_ID: pushKeyId,
      APNS_TEAM_ID: pushTeamId,
      APNS_PRIVATE_KEY: secrets.apnsPrivateKey,
      WEB_PUSH_PRIVATE_KEY: secrets.webPushPrivateKey,
      APNS_URLS: JSON.stringify({ sandbox: `${push.url}/sandbox`, production: `${push.url}/production` }),
      CODE_HOST_APP_ID: codeHostAppId,
      CODE_HOST_CLIENT_ID: codeHostClientId,
      CODE_HOST_CLIENT_SECRET: secrets.codeHostClientSecret,
      CODE_HOST_APP_PRIVATE_KEY: secrets.codeHostAppKey,
      CODE_HOST_WEBHOOK_SECRET: secrets.codeHostWebhookSecret,
      ...getProviderSettings(real, provider.url),
      // Not the API's host name, so that browsers do not send the API's cookies to stored files.
      S3_ENDPOINT: `http://127.0.0.1:${port}/cdn-cgi/local/r2/s3/switchyard`,
      S3_ACCESS_KEY_ID: secrets.s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: secrets.s3.secretAccessKey,
      // An agent reaches the service's port. If there are real credentials, it must not be able to
      // sign in as the owner.
      DEV_SIGN_IN: Object.keys(real).length > 0 || own?.type === "hosted" ? "off" : "on",
      RATE_LIMITS: rateLimits,
      IDLE_MINUTES: String(idleMinutes ?? ""),
      WEBHOOKS_TO_LOOPBACK: webhooksToLoopback ? "on" : "off",
      SIGNING_KEY: secrets.signingKey,
      SEALING_KEYS: secrets.sealingKeys,
    },
  });
  const [worker, brought] = await Promise.all([starting, importing]);
  await Promise.all([applyMigrations(worker.database), worker.store().then(saveCommandLine)]);
  const demo = await seed(worker.database, secrets, { plan, isLive: !deploysDemo });
  const { workspaceId } = demo;
  await seedKeys(worker.database, {
    workspaceId,
    real,
    sealingKeys: secrets.sealingKeys,
    random: () => createName(20),
  });
  const ownProject = brought && (await getOwnProject(worker.database, brought, secrets));
  const addresses = {
    baseUrl,
    forgeUrl: codeHost.url,
    forgePagesUrl: codeHost.pagesUrl,
    signInUrl: codeHost.signInUrl,
    providerUrl: provider.privateUrl,
    sandboxHostUrl: sandboxes.hostUrl,
    pushUrl: push.privateUrl,
  };
  await writeFile(
    `${stateDir}/dev.json`,
    JSON.stringify(
      { ...addresses, ...demo, ownProjectId: ownProject?.projectId, migration: newest, format: stateFormat },
      null,
      2,
    ),
    { mode: 0o600 },
  );
  await brought?.announce();
  if (hasMarketplaces) await worker.tick(Date.now());
  const ticker = setInterval(() => {
    worker.tick(Date.now()).catch((error: unknown) => console.error("tick:", error));
  }, tickEveryMs);
  const { apiKey } = demo.users.owner;
  // The API does not wait for them.
  const saving = savePages(worker.store());
  return {
    ...addresses,
    ...demo,
    openUrl: codeHost.createSignInUrl("olive-owner"),
    demoDeploy: deploysDemo ? await deployDemo({ baseUrl, projectId: demo.projectId, apiKey }) : null,
    own: ownProject,
    realProviders: providerIds.filter((id) => real[id]),
    isolationNotice: sandboxes.notice,
    database: worker.database,
    store: worker.store,
    objectSql: worker.objectSql,
    async close() {
      clearInterval(ticker);
      await saving;
      const unsaved = await worker.saveSandboxes();
      await worker.close();
      await Promise.all([sandboxes.close(unsaved), provider.close(), codeHost.close(), push.close()]);
      return unsaved;
    },
  };
}

type LastRun = Pick<World, "baseUrl" | "forgeUrl" | "providerUrl" | "pushUrl"> & { migration: string };

/**
 * The URLs of the last run and its newest migration; empty for the first run, or if the last one
 * was killed during its start.
 */
async function lastRun(stateDir: string): Promise<Partial<LastRun>> {
  try {
    return JSON.parse(await readFile(`${stateDir}/dev.json`, "utf8"));
  } catch {
    return {};
  }
}

function getPort(url: string | undefined): number {
  return url === undefined ? 0 : Number(new URL(url).port);
}
