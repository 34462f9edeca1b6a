// The peer of a turn: `opencode serve`, if its binary is on the PATH or at OPENCODE_BIN. It has a
// separate home, the practice provider as its model and all permissions, and cannot reach anything
// outside the machine.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { claimFreePort } from "../../practice/free-port.ts";
import { createHttpClient } from "./http-client.ts";

export interface Opencode {
  /** Runs a turn in the open session. Returns the milliseconds until its end. */
  turn(content: string): Promise<number>;
  close(): Promise<void>;
}

const startWaitMs = 30_000;
/** The boot time. The server never responds to a request that arrives earlier. */
const bootMs = 2_000;
const model = { providerID: "practice", modelID: "practice" };

/** Returns the path of the binary; null if there is none. */
export function findOpencode(): string | null {
  const named = process.env.OPENCODE_BIN;
  const places = named ? [named] : (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, "opencode"));
  return places.find(isExecutable) ?? null;
}

/** Starts the server on a new project and opens a session. */
export async function startOpencode(binary: string, folder: string, providerUrl: string): Promise<Opencode> {
  const home = join(folder, "home");
  const project = join(folder, "project");
  await layOut(home, project, providerUrl);
  const port = await claimFreePort();
  const child = spawn(binary, ["serve", "--hostname", "127.0.0.1", "--port", String(port)], {
    cwd: project,
    env: environment(home),
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const close = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  try {
    await listening(child);
    const client = createHttpClient(`http://127.0.0.1:${port}`);
    const session = JSON.parse((await client.post("/session", {})).text);
    return {
      // The response comes at the end of the turn, so its time includes no polling.
      async turn(content) {
        const body = { model, parts: [{ type: "text", text: content }] };
        const { text, ms } = await client.post(`/session/${session.id}/message`, body);
        const { info } = JSON.parse(text);
        if (info.error) throw new Error(`a turn of opencode failed: ${JSON.stringify(info.error)}`);
        return ms;
      },
      async close() {
        client.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function layOut(home: string, project: string, providerUrl: string): Promise<void> {
  const config = join(home, ".config", "opencode");
  await mkdir(project, { recursive: true });
  spawnSync("git", ["init", "--quiet", project], { env: environment(home) });
  // Without these, it would install its plugin package.
  await mkdir(join(config, "node_modules"), { recursive: true });
  const dependencies = { "@opencode-ai/plugin": "*" };
  const lock = { lockfileVersion: 3, packages: { "": { dependencies } } };
  const practice = {
    npm: "@ai-sdk/anthropic",
    name: "Practice",
    options: { baseURL: `${providerUrl}/anthropic/v1`, apiKey: "sk-practice-bench" },
    models: { practice: { name: "Practice", tool_call: true, limit: { context: 200_000, output: 8_192 } } },
  };
  const settings = {
    model: "practice/practice",
    small_model: "practice/practice",
    permission: "allow",
    autoupdate: false,
    share: "disabled",
    provider: { practice },
  };
  await writeFile(join(config, "package.json"), JSON.stringify({ dependencies }));
  await writeFile(join(config, "package-lock.json"), JSON.stringify(lock));
  await writeFile(join(config, "opencode.json"), JSON.stringify(settings));
}

function environment(home: string): Record<string, string> {
  const switches = ["MODELS_FETCH", "AUTOUPDATE", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "SHARE"];
  return {
    PATH: process.env.PATH ?? "/usr/bin:/bin",
    LANG: "C.UTF-8",
    HOME: home,
    ...Object.fromEntries(switches.map((name) => [`OPENCODE_DISABLE_${name}`, "1"])),
  };
}

async function listening(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("opencode did not start in time")), startWaitMs);
    const settle = (act: () => void) => {
      clearTimeout(timer);
      act();
    };
    let said = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8");
      if (said.includes("listening on")) settle(resolve);
    });
    child.once("error", (error) => settle(() => reject(error)));
    child.once("exit", () => settle(() => reject(new Error("opencode ended at its start"))));
  });
  await new Promise((resolve) => setTimeout(resolve, bootMs));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
