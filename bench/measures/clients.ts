// What people and programs use in the place of curl: the sizes of the library, the command line and
// the docs, how soon the command line has an answer, how far the library is from the wire, and how
// soon it is live again after a sleep. MCP is called by its official client.
import { execFile, spawn, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { measureProgram, programKb } from "../../packages/cli/bundle.ts";
import { budgets, builtFiles, measureSizes } from "../../packages/client/build/sizes.ts";
import { loadDocs } from "../../practice/docs.ts";
import { docsMegabytes, measureDocs, pageKb } from "../../site/sizes.ts";
import { createScript, shortTurn } from "../lib/practice-turn.ts";
import { getJobId, type ProductSession } from "../lib/product.ts";
import { type Finding, toComparedFinding, toCountedFinding, toTimedFinding } from "../lib/result.ts";
import { measureSideBySide, percentile95, type Samples } from "../lib/samples.ts";
import type { Bench } from "../lib/saved-work.ts";
import { createStreamEvents } from "../lib/stream-events.ts";

export interface ClientsSize {
  /** How often a command is run. */
  runs: number;
  /** Words of the followed answer. */
  words: number;
  /** Programs that sleep. */
  sleepers: number;
  /** Connections by MCP. */
  connections: number;
}

const root = join(import.meta.dirname, "../..");
const sy = join(root, "packages/cli/dist/sy.js");
const eventCount = 10_000;
const wordMs = 20;
/** A timer that is 20 s late has slept; it looks every 5 s. */
const sleepMs = 27_000;

/** Measures the clients with the bars of their design. */
export async function measureClients(bench: Bench, size: ClientsSize): Promise<Finding[]> {
  for (const name of ["client", "cli"])
    await promisify(execFile)(process.execPath, [`packages/${name}/build.ts`], { cwd: root, env: environment() });
  const { session, jobId } = await bench.product.create(shortTurn);
  await session.completed(jobId);
  await session.settled();
  return [
    ...(await measureBuilt()),
    ...(await measureReads()),
    await measureHandler(bench, session, size.words),
    await measureWakes(bench, session, size.sleepers),
    ...(await measureCommands(bench, size.runs)),
    ...(await measurePages()),
    // By now, the service has built what it serves beside the API, and has not served MCP yet.
    ...(await measureConnections(bench, size.connections)),
  ];
}

async function measureBuilt(): Promise<Finding[]> {
  const sizes = await measureSizes();
  const program = measureProgram(await readFile(sy, "utf8"));
  return [
    ...builtFiles.map((name) => toCountedFinding(`library: ${name}, gzipped`, sizes[name], "KB", budgets[name])),
    toCountedFinding("sy: program, gzipped", program, "KB", programKb),
  ];
}

async function measureReads(): Promise<Finding[]> {
  const { reduce, stateOf } = await import("@switchyard/client/state");
  const events = createStreamEvents(eventCount);
  const samples: Samples = [];
  for (let round = 0; round < 7; round++) {
    const begin = performance.now();
    const { isStale, messages } = events.reduce(reduce, stateOf({ messages: [] }));
    samples.push(performance.now() - begin);
    if (isStale || messages.length === 0) throw new Error("the events were not reduced");
  }
  return [toTimedFinding("library: 10,000 events reduced", samples, 150)];
}

/** How long after its bytes a word of a streamed answer is with the program that follows. */
async function measureHandler({ world }: Bench, session: ProductSession, count: number): Promise<Finding> {
  const { Switchyard } = await import("@switchyard/client");
  const words = /\bw\d+ /g;
  const arrived = new Map<string, number>();
  const delays: Samples = [];
  const fetchWatched: typeof fetch = async (...given) => {
    const response = await fetch(...given);
    if (!response.headers.get("content-type")?.startsWith("text/event-stream") || !response.body) return response;
    const decoder = new TextDecoder();
    const watched = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          // The message that has the answer written names the words, too.
          for (const [delta] of decoder.decode(chunk, { stream: true }).matchAll(/"delta":"[^"]*"/g))
            for (const [word] of delta.matchAll(words)) arrived.set(word, performance.now());
          controller.enqueue(chunk);
        },
      }),
    );
    return new Response(watched, { status: response.status, headers: response.headers });
  };
  const { baseUrl, users } = world;
  const client = new Switchyard({ baseUrl, apiKey: users.owner.apiKey, fetch: fetchWatched });
  const followed = await client.sessions.get(session.id);
  const text = `${Array.from({ length: count }, (_, at) => `w${at + 1}`).join(" ")} .`;
  let sent: Promise<string> | null = null;
  const onLine = (line: string) => {
    if (line !== "live") return;
    sent ??= session.send(createScript({ stream: { text, ms: count * wordMs } })).then(getJobId);
  };
  for await (const { type, data } of followed.follow({ onLine })) {
    if (type === "end" && sent !== null && "jobId" in data && data.jobId === (await sent)) break;
    if (type !== "delta") continue;
    for (const [word] of data.delta.matchAll(words)) delays.push(performance.now() - (arrived.get(word) ?? 0));
  }
  await session.settled();
  return toCountedFinding(
    "library: from the arrival of an event to its handler, p95",
    percentile95(delays),
    "ms",
    20,
    `${delays.length} words`,
  );
}

/** Stops programs that follow, as a machine does that sleeps, and wakes them. */
async function measureWakes({ world }: Bench, session: ProductSession, count: number): Promise<Finding> {
  const { baseUrl, users } = world;
  const follower = join(import.meta.dirname, "../lib/live-follower.ts");
  const args = [follower, baseUrl, users.owner.apiKey, session.id];
  const samples = await Promise.all(
    Array.from({ length: count }, async () => {
      const child = spawn(process.execPath, args, {
        cwd: root,
        env: environment(),
        stdio: ["ignore", "pipe", "inherit"],
      });
      try {
        const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
        const live = async () => {
          for (let line = await lines.next(); !line.done; line = await lines.next()) if (line.value === "live") return;
          throw new Error("a program that follows has ended");
        };
        await live();
        child.kill("SIGSTOP");
        await new Promise((resolve) => setTimeout(resolve, sleepMs));
        const wokenAt = performance.now();
        child.kill("SIGCONT");
        await live();
        return performance.now() - wokenAt;
      } finally {
        child.kill("SIGKILL");
      }
    }),
  );
  return toTimedFinding("library: live again after a sleep", samples, 1_000);
}

/** Runs commands in turn. The best of all runs counts, as others run on the machine, too. */
async function measureCommands({ world }: Bench, runs: number): Promise<Finding[]> {
  const service = { SWITCHYARD_URL: world.baseUrl, SWITCHYARD_API_KEY: world.users.owner.apiKey };
  const run =
    (file: string, ...args: string[]) =>
    async () => {
      const begin = performance.now();
      const { status, stderr } = spawnSync(file, args, { env: { ...environment(), ...service }, encoding: "utf8" });
      if (status !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${status}: ${stderr}`);
      return performance.now() - begin;
    };
  const node = process.execPath;
  const samples = await measureSideBySide(
    { warmUp: 1, count: runs },
    {
      node: run(node, "-e", "0"),
      version: run(node, sy, "--version"),
      npm: run("npm", "--version"),
      ls: run(node, sy, "ls"),
    },
  );
  const best = (side: keyof typeof samples) => Math.min(...samples[side]);
  const note = `best of ${runs}`;
  return [
    toCountedFinding("sy --version, in addition to the start of Node", best("version") - best("node"), "ms", 40, note),
    toComparedFinding("sy --version, against npm --version", [best("version")], [best("npm")], 1, note),
    toCountedFinding("sy ls", best("ls"), "ms", 250, note),
  ];
}

async function measureConnections({ world }: Bench, count: number): Promise<Finding[]> {
  const samples: Samples = [];
  for (let connection = 0; connection <= count; connection++) {
    const client = new Client({ name: "bench", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${world.users.owner.apiKey}` } };
    const begin = performance.now();
    await client.connect(new StreamableHTTPClientTransport(new URL(`${world.baseUrl}/mcp`), { requestInit }));
    samples.push(performance.now() - begin);
    await client.close();
  }
  const [first = 0, ...others] = samples;
  return [toCountedFinding("MCP: first connection", first, "ms", 300), toTimedFinding("MCP: connection", others, 30)];
}

async function measurePages(): Promise<Finding[]> {
  const { pages, megabytes } = measureDocs(await loadDocs());
  return [
    toCountedFinding("docs: all files", megabytes, "MB", docsMegabytes),
    toCountedFinding("docs: largest page, gzipped", Math.max(...pages.map(({ kb }) => kb)), "KB", pageKb),
  ];
}

/** Names the folder of no key of the person who measures. */
function environment(): Record<string, string> {
  const { PATH = "/usr/bin:/bin", HOME = tmpdir(), TMPDIR = tmpdir() } = process.env;
  return { PATH, HOME, TMPDIR, XDG_CONFIG_HOME: join(root, "node_modules/.cache/bench-config"), LANG: "C.UTF-8" };
}
