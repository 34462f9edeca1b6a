// Suggests the path of the API that an unknown path was probably meant to be.
import { findNearestName } from "../rules/nearest-name.ts";

/** Longer paths are no typos. */
const segmentsMax = 12;

/** Finds the path with as many segments that differs least; null if none is similar. */
export function findNearestPath(given: string, paths: readonly string[]): string | null {
  const segments = given.split("/").slice(1, segmentsMax + 1);
  // Clients of other services begin without `/api`, or with a version.
  const meant = segments[0] === "api" ? segments.filter((one) => !/^v\d$/.test(one)) : ["api", ...segments];
  let nearest: { path: string; wrong: number } | null = null;
  for (const path of paths) {
    const wrong = countWrong(meant, path.split("/").slice(1));
    if (wrong !== null && wrong < (nearest?.wrong ?? Number.POSITIVE_INFINITY)) nearest = { path, wrong };
  }
  return nearest?.path ?? null;
}

/** How many segments are misspelled; null for another path. */
function countWrong(segments: readonly string[], parts: readonly string[]): number | null {
  if (segments.length !== parts.length) return null;
  let wrong = 0;
  for (const [place, part] of parts.entries()) {
    const segment = segments[place] ?? "";
    if (part.startsWith("{") ? segment !== "" : part === segment) continue;
    if (part.startsWith("{") || findNearestName(segment, [part]) === null) return null;
    wrong += 1;
  }
  return wrong;
}
