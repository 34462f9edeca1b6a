// The running world of an API test file. Each running file has its own world.
import { inject } from "vitest";
import type { WorldAddress } from "./world-address.ts";

let world: WorldAddress | null = null;

/** Finds the world of this test process. The first file of the process starts it. */
export async function openApiWorld(): Promise<void> {
  if (world) return;
  const answer = await fetch(`${inject("worldsUrl")}/${process.env.VITEST_POOL_ID}`);
  if (!answer.ok) throw new Error(await answer.text());
  world = await answer.json();
}

export function apiWorld(): WorldAddress {
  if (!world) throw new Error("The world has not been opened.");
  return world;
}

/** The world with the project whose sandboxes serve a preview. */
export function previewWorld(): WorldAddress {
  const opened = apiWorld();
  return { ...opened, projectId: opened.previewProjectId };
}
