// The running worlds of the API tests, one for each test process. A world starts when the first
// file needs it.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestProject } from "vitest/node";
import { addFailingPasta } from "../../practice/sandbox-host/network/failing-pasta.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The URL of a server that returns the address of the world with the number in the path. */
    worldsUrl: string;
  }
}

interface ApiWorld {
  /** Its address, as JSON. */
  address: Promise<string>;
  close(): Promise<void>;
}

const program = join(import.meta.dirname, "api-world-process.ts");
const fastImports = join(import.meta.dirname, "../../scripts/fast-imports.ts");

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const worlds = new Map<string, ApiWorld>();
  // The tests make gates, which are ports of this machine.
  const folder = await mkdtemp(join(tmpdir(), "switchyard-api-worlds-"));
  const path = await addFailingPasta(join(folder, "failing"), process.env.PATH ?? "");
  const server = createServer(async ({ url = "" }, response) => {
    const world = worlds.get(url) ?? startApiWorld(path);
    worlds.set(url, world);
    await world.address.then(
      (address) => response.end(address),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  project.provide("worldsUrl", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    await Promise.all([...worlds.values()].map((world) => world.close()));
    server.close().closeAllConnections();
    await rm(folder, { recursive: true, force: true });
  };
}

function startApiWorld(PATH: string): ApiWorld {
  const { HOME = "", TMPDIR = "/tmp" } = process.env;
  const child = spawn(process.execPath, ["--import", fastImports, program], {
    env: { PATH, HOME, TMPDIR },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const address = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    ended.then(() => reject(new Error("The world ended before it was ready.")));
  });
  address.catch(() => {});
  return {
    address,
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
