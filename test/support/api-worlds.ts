// The running worlds of the API tests, one for each test process. A world starts when the first
// file needs it.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestProject } from "vitest/node";

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
  const server = createServer(async ({ url = "" }, response) => {
    const world = worlds.get(url) ?? startApiWorld();
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
  };
}

function startApiWorld(): ApiWorld {
  const { PATH = "", HOME = "", TMPDIR = "/tmp" } = process.env;
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
