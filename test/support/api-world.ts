// The running world of an API test file. Each file has a world to itself, so no more files run at a time than there are worlds.
import { inject } from "vitest";
import type { WorldAddress } from "./api-worlds.ts";

export function apiWorld(): WorldAddress {
  const world = inject("worlds")[Number(process.env.VITEST_POOL_ID) - 1];
  if (!world) throw new Error("more test files run at a time than there are worlds");
  return world;
}
