// The Worker on one machine: the production bundle with the bindings of wrangler.toml, in workerd
// without a proxy in front of it.
import { createRequire } from "node:module";
import { join } from "node:path";
import {
  createDocumentObject,
  type DocumentObject,
  documentMaker,
  listDocumentSources,
  workerSource,
} from "../scripts/worker-source.ts";
import type { Env } from "../src/env.ts";
import { documentPrefix } from "../src/http/openapi/saved-document.ts";
import { type Build, buildOnce } from "./build-cache.ts";
import { formatLogLine } from "./log-line.ts";
import { saveSandboxes } from "./save-sandboxes.ts";

const root = join(import.meta.dirname, "..");
export const workerName = "switchyard";

// `require` loads them faster: `import` would parse them a second time for their exports.
const require = createRequire(import.meta.url);
const { convertV4MiniflareOptions, Log, LogLevel, Miniflare }: typeof import("miniflare") = require("miniflare");

export interface WorkerRuntimeOptions {
  port: number;
  /** The folder for D1, R2 and the objects' storage. */
  folder: string;
  /** Settings and secrets that override those of wrangler.toml. */
  settings: Record<string, string>;
  /** Also serves the buckets over S3. */
  s3Credentials?: { accessKeyId: string; secretAccessKey: string };
  /** An entry point to use instead of the Worker's, such as the benchmark's bare routes. */
  entry?: string;
  /** A file of bindings to use instead of wrangler.toml. */
  config?: string;
  /** The engine whose containers are the sandboxes. */
  containers?: ContainerOptions;
  /** Enables `objectSql`. */
  inspectsObjects?: boolean;
  /** Receives the log lines that are neither warnings nor errors. Without it, they are dropped. */
  report?: ((line: string) => void) | undefined;
  /** Opens V8's inspector on this port. The Worker is the target named `core:user:switchyard`. */
  inspectorPort?: number;
}

export interface ContainerOptions {
  /** The engine's socket, such as `unix:///run/docker.sock`. */
  socket: string;
  images: { sandbox: string; ingress: string };
}

export interface WorkerRuntime {
  database: D1Database;
  /** The bucket STORE. Throws for a Worker without it. */
  store(): Promise<R2Bucket>;
  /** Runs the cron schedule, as Cloudflare does once a minute. */
  tick(now: number): Promise<void>;
  /**
   * Runs SQL inside an object, to inspect its data or to prepare a state that would take long to
   * reach.
   */
  objectSql(className: string, objectName: string, statement: string): Promise<Record<string, unknown>[]>;
  /**
   * Saves the work of all running sandboxes before their host ends. Returns the keys of those whose
   * work may be only on their disks.
   */
  saveSandboxes(): Promise<string[]>;
  close(): Promise<void>;
}

/** The type of `r2_buckets` in wrangler's output. */
type Buckets = string[] | Record<string, string | { id: string }> | undefined;

/** The type of `d1_databases` in wrangler's output. */
type Databases = Record<string, string>;

/** The type of the bindings of objects in wrangler's output. */
type Objects = Record<string, string | { className: string }>;

/** How often the cron schedule runs, as on Cloudflare. */
export const tickEveryMs = 60_000;

/**
 * Miniflare reads V8's flags from here only. With V8's default, the young generation grows by
 * 130 MB while large requests come in.
 */
process.env.MINIFLARE_WORKERD_V8_FLAGS = "--max-semi-space-size=4";
/** Makes no requests to the outside, and logs only warnings and errors. */
const quiet = { log: new Log(LogLevel.WARN), cf: false as const, telemetry: { enabled: false } };

/** Starts the Worker. Throws if the port is taken. */
export async function startWorkerRuntime(options: WorkerRuntimeOptions): Promise<WorkerRuntime> {
  const { port, folder, settings, entry, config } = options;
  const { script, declaration, document } = await loadWorker(entry, config);
  const { bindings = {}, r2Buckets, durableObjects, ...declared } = declaration;
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      ...declared,
      name: workerName,
      bindings: Object.assign({}, bindings, settings),
      ...overS3(r2Buckets as Buckets, options.s3Credentials),
      ...withContainers(durableObjects as Objects, options.containers),
      // The Worker's own requests reach this machine and its network. Those of sandboxes and
      // webhooks must not.
      serviceBindings: { PUBLIC_NETWORK: { network: { allow: ["public"], tlsOptions: { trustBrowserCas: true } } } },
      modules: [{ type: "ESModule", path: "worker.js", contents: script }],
      host: "127.0.0.1",
      port,
      resourcePersistencePath: folder,
      ...quiet,
      handleStructuredLogs: ({ level, message }) => {
        const line = formatLogLine(message) ?? message;
        if (level === "warn" || level === "error") console.error(line);
        else options.report?.(line);
      },
      ...(options.inspectorPort === undefined ? {} : { inspectorPort: options.inspectorPort }),
      unsafeObservability: false,
      unsafeLocalExplorer: false,
      unsafeInspectDurableObjects: options.inspectsObjects === true,
    }),
  );
  await runtime.ready;
  // A binding is valid only until the runtime ends, and miniflare restarts it after a crash, so
  // bindings are fetched for each use.
  const openDatabase = async () => (await runtime.getD1Database("DB")) as unknown as D1Database;
  const openStore = async () => (await runtime.getR2Bucket("STORE")) as unknown as R2Bucket;
  if (document) await saveDocument(await openStore(), document);
  return {
    database: await openDatabase(),
    store: openStore,
    async tick(now) {
      const worker = await runtime.getWorker();
      await worker.scheduled({ cron: "* * * * *", scheduledTime: new Date(now) });
    },
    async objectSql(className, objectName, statement) {
      const storage = await runtime.unsafeGetDurableObjectStorage(workerName, className, { name: objectName });
      return await storage.exec(statement);
    },
    async saveSandboxes() {
      return await saveSandboxes({
        async list() {
          const slots = (await openDatabase()).prepare("SELECT sandbox_key AS key FROM sandbox_slots");
          const { results } = await slots.all<{ key: string }>();
          return results.map(({ key }) => key);
        },
        async save(key) {
          const { SANDBOX } = await runtime.getBindings<Pick<Env, "SANDBOX">>();
          return await SANDBOX.getByName(key).saveWork();
        },
      });
    },
    close: () => runtime.dispose(),
  };
}

/** Saves the OpenAPI document, and deletes those of earlier versions. */
async function saveDocument(store: R2Bucket, { key, text }: DocumentObject): Promise<void> {
  await store.put(key, text);
  const { objects } = await store.list({ prefix: documentPrefix });
  await store.delete(objects.map((saved) => saved.key).filter((saved) => saved !== key));
}

/** Opens the database of a folder while no Worker runs, so that no object wakes meanwhile. */
export async function withDatabase(folder: string, use: (database: D1Database) => Promise<void>): Promise<void> {
  const { declaration } = await loadWorker();
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      d1Databases: declaration.d1Databases as Databases,
      modules: [{ type: "ESModule", path: "none.js", contents: "export default {};" }],
      resourcePersistencePath: folder,
      ...quiet,
    }),
  );
  try {
    await use((await runtime.getD1Database("DB")) as unknown as D1Database);
  } finally {
    await runtime.dispose();
  }
}

/** Adds S3 access to each bucket. */
function overS3(buckets: Buckets, s3Credentials: WorkerRuntimeOptions["s3Credentials"]) {
  if (!buckets || Array.isArray(buckets) || !s3Credentials) return buckets ? { r2Buckets: buckets } : {};
  const r2Buckets = Object.fromEntries(
    Object.entries(buckets).map(([binding, bucket]) => {
      const id = typeof bucket === "string" ? bucket : bucket.id;
      return [binding, { id, s3Credentials }];
    }),
  );
  return { r2Buckets };
}

/** Adds the object of containers, which wrangler.toml binds only in production. */
function withContainers(durableObjects: Objects, containers: ContainerOptions | undefined) {
  if (!containers) return { durableObjects };
  const { socket, images } = containers;
  const container = { imageName: images.sandbox };
  return {
    durableObjects: { ...durableObjects, CONTAINER: { className: "SandboxContainer", useSQLite: true, container } },
    containerEngine: { localDocker: { socketPath: socket, containerEgressInterceptorImage: images.ingress } },
  };
}

interface BuiltWorker {
  script: string;
  /** The bindings of the file. */
  declaration: Omit<ReturnType<typeof readDeclaration>, "modulesRules">;
  /** What the script reads from the bucket; null for one without the API. */
  document: DocumentObject | null;
}

/** The Worker's script and bindings, built again only after changes. */
export function loadWorker(entry = "src/worker.ts", config = "wrangler.toml"): Promise<BuiltWorker> {
  const name = `worker-${entry}-${config}`.replaceAll("/", "-");
  return buildOnce(name, () => buildWorker(entry, config));
}

async function buildWorker(entry: string, config: string): Promise<Build<BuiltWorker>> {
  const { build }: typeof import("esbuild") = require("esbuild");
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    mainFields: ["module", "main"],
    external: ["cloudflare:*", "node:*"],
    alias: readAliases(config),
    loader: { ".sql": "text", ".css": "text", ".browser.js": "text" },
    jsx: "automatic",
    jsxImportSource: "hono/jsx",
    logLevel: "error",
    plugins: [workerSource],
  });
  const [output] = outputFiles;
  if (!output) throw new Error(`nothing came of bundling ${entry}`);
  // The Worker is bundled already, so its module rules are not needed.
  const { modulesRules: _, ...declaration } = readDeclaration(join(root, config));
  const read = Object.keys(metafile.inputs);
  const document = read.includes(documentMaker) ? await createDocumentObject() : null;
  const inputs = [...read, ...(await listDocumentSources()), config, "practice/worker-runtime.ts"];
  return { built: { script: output.text, declaration, document }, inputs };
}

/** The modules that the file replaces. Files in it are relative to the folder of the project. */
function readAliases(config: string): Record<string, string> {
  const { unstable_readConfig }: typeof import("wrangler") = require("wrangler");
  const alias: Record<string, string> = unstable_readConfig({ config: join(root, config) }).alias ?? {};
  return Object.fromEntries(Object.entries(alias).map(([module, file]) => [module, join(root, file)]));
}

/**
 * Reads the Worker's bindings from a wrangler.toml. Otherwise, wrangler would add the secrets of a
 * `.env` beside it, and the build cache would keep them.
 */
export function readDeclaration(file: string) {
  const { unstable_getMiniflareWorkerOptions }: typeof import("wrangler") = require("wrangler");
  process.env.CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV = "false";
  return unstable_getMiniflareWorkerOptions(file).workerOptions;
}
