// One running world for all tests of the public API.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { freePort } from "../../dev/free-port.ts";
import { startWorld } from "../../dev/world.ts";

export interface WorldAddress {
  baseUrl: string;
  workspaceId: string;
  projectId: string;
  forgeUrl: string;
  sandboxHostUrl: string;
  stateDir: string;
  users: Record<"owner" | "admin" | "member" | "outsider", { id: string; apiKey: string }>;
}

declare module "vitest" {
  interface ProvidedContext {
    world: WorldAddress;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stateDir = await mkdtemp(join(tmpdir(), "switchyard-api-"));
  const world = await startWorld({ port: await freePort(), stateDir });
  const { baseUrl, workspaceId, projectId, forgeUrl, sandboxHostUrl, users } = world;
  project.provide("world", { baseUrl, workspaceId, projectId, forgeUrl, sandboxHostUrl, stateDir, users });
  return async () => {
    await world.close();
    await rm(stateDir, { recursive: true, force: true });
  };
}
