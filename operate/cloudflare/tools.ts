// The programs that a deployment runs: wrangler and Docker. They get the environment variables they
// need, and no secret of the Worker.
import { type SpawnOptions, spawn } from "node:child_process";
import { join } from "node:path";
import { Stop } from "../lib/exit.ts";
import { secretNames } from "./secrets.ts";

export interface Tools {
  /** Runs wrangler and shows its output. Throws `Stop` if it fails. */
  wrangler(...args: string[]): Promise<void>;
  /** The same for long output: returns it, and shows it only on failure. */
  quietWrangler(...args: string[]): Promise<string>;
  /** Returns wrangler's output without its warnings; null if it fails. */
  readWrangler(...args: string[]): Promise<string | null>;
  isDockerReachable(): Promise<boolean>;
  /** Has Docker fetch the newest image of a name. Returns its digest; null if that failed. */
  pullImage(name: string): Promise<string | null>;
}

const dockerAnswerMs = 30_000;

/** The rows of the table that wrangler prints again after each migration. */
const isTable = /^[\s┌├└│]*[─│┼┬┴]/;

/** `root` is the folder that contains wrangler.toml. */
export function createTools(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
  show: (line: string) => void,
): Tools {
  const own = Object.fromEntries(
    Object.entries(env).filter(([name]) => !secretNames.some((secret) => name === secret || name === `${secret}_FILE`)),
  );
  // Without a terminal, wrangler prompts for nothing.
  const environment = { ...own, CI: "true", WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" };

  function run(
    file: string,
    args: string[],
    onLine: (line: string) => void,
    onErrorLine = onLine,
    timeout?: number,
  ): Promise<number | null> {
    const options: SpawnOptions = {
      ...{ cwd: root, env: environment, stdio: ["ignore", "pipe", "pipe"] as const },
      ...(timeout === undefined ? {} : { timeout }),
    };
    return new Promise((resolve) => {
      const child = spawn(file, args, options);
      // If a deployment is interrupted, its programs must end too: one that kept running would
      // change what the next run reads.
      const end = () => child.kill();
      process.once("exit", end);
      child.once("close", () => process.off("exit", end));
      for (const [output, report] of [[child.stdout, onLine] as const, [child.stderr, onErrorLine] as const]) {
        let rest = "";
        output?.setEncoding("utf8").on("data", (part: string) => {
          const lines = (rest + part).split("\n");
          rest = lines.pop() ?? "";
          for (const line of lines) report(line);
        });
        output?.on("end", () => rest !== "" && report(rest));
      }
      child.once("error", () => resolve(null));
      child.once("close", resolve);
    });
  }

  const failed = (args: string[]) => new Stop(`wrangler ${args.slice(0, 2).join(" ")} failed. Its output is above.`);
  const docker = env.WRANGLER_DOCKER_BIN || "docker";
  const program = join(root, "node_modules/wrangler/bin/wrangler.js");
  return {
    async wrangler(...args) {
      const status = await run(process.execPath, [program, ...args], (line) => show(`    ${line}`));
      if (status !== 0) throw failed(args);
    },
    async quietWrangler(...args) {
      const lines: string[] = [];
      const status = await run(process.execPath, [program, ...args], (line) => lines.push(line));
      if (status === 0) return lines.join("\n");
      for (const line of lines.filter((text) => !isTable.test(text))) show(`    ${line}`);
      throw failed(args);
    },
    async readWrangler(...args) {
      const lines: string[] = [];
      const status = await run(
        process.execPath,
        [program, ...args],
        (line) => lines.push(line),
        () => {},
      );
      return status === 0 ? lines.join("\n") : null;
    },
    isDockerReachable: async () => (await run(docker, ["info"], () => {}, undefined, dockerAnswerMs)) === 0,
    async pullImage(name) {
      const lines: string[] = [];
      // The platform runs this architecture, wherever the image is built.
      const status = await run(docker, ["pull", "--platform", "linux/amd64", name], (line) => lines.push(line));
      return status === 0 ? (/^Digest: (sha256:[0-9a-f]{64})$/m.exec(lines.join("\n"))?.[1] ?? null) : null;
    },
  };
}
