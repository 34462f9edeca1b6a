// Checks a network that a person sets.
import { networkHostsMax } from "../../rules/limits.ts";
import { type Mistake, type Refusal, refuseMistakes } from "../../rules/refusal.ts";
import type { Network } from "./network.ts";
import { parsePattern } from "./pattern.ts";

/** Refuses a network with every wrong field in the details. `field` contains it, if any does. */
export function checkNetwork({ mode, presets, hosts }: Network, field = ""): Refusal | null {
  const prefix = field === "" ? "" : `${field}.`;
  return refuseMistakes([
    ...unusedMistakes(mode, { presets, hosts }).map((name) => ({
      path: `${prefix}${name}`,
      message: `applies only in the mode hosts, and the mode is ${mode}`,
    })),
    ...(hosts.length > networkHostsMax
      ? [{ path: `${prefix}hosts`, message: `must have at most ${networkHostsMax} items` }]
      : hosts.flatMap((text, at): Mistake[] => {
          const pattern = parsePattern(text);
          return "mistake" in pattern ? [{ path: `${prefix}hosts.${at}`, message: pattern.mistake }] : [];
        })),
  ]);
}

/** Lists that would be ignored. Their author means them to be the only hosts. */
function unusedMistakes(mode: Network["mode"], lists: Record<string, readonly string[]>): string[] {
  if (mode === "hosts") return [];
  return Object.entries(lists).flatMap(([name, list]) => (list.length > 0 ? [name] : []));
}
