// A request to an HTTP trigger: what its body names, and its body as material.
import { triggerPlaceCharacters, triggerRequestLevels } from "../../rules/limits.ts";
import { type Refusal, refuseField } from "../../rules/refusal.ts";
import { hasMoreCodePoints, toFirstCodePoints } from "../../rules/text.ts";
import { findAt } from "./condition.ts";
import { toVisibleText } from "./material.ts";

/** The text or number at a dotted path of a body. Null for no path. */
export function readPath(body: unknown, path: string | null): string | null | Refusal {
  if (path === null) return null;
  const value = findAt(body, path);
  if (value === undefined) return refuseField(path, "is required");
  // Larger numbers lose digits when they are read, so two of them could be the same.
  if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    return refuseField(path, "is too large for a number. Send it as a text");
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || text.trim() === "") return refuseField(path, "has to be a text or a number");
  return hasMoreCodePoints(text, triggerPlaceCharacters)
    ? refuseField(path, `has more than ${triggerPlaceCharacters} characters`)
    : text;
}

/**
 * The body as a text to quote. Each text in it is cleaned by itself, so that none hides another.
 */
export function toQuotedJson(body: unknown): string {
  return JSON.stringify(toVisible(body, triggerRequestLevels), null, 2);
}

function toVisible(value: unknown, levels: number): unknown {
  if (typeof value === "string") return toVisibleText(value);
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return "…";
  if (Array.isArray(value)) return value.map((inner) => toVisible(inner, levels - 1));
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([name, inner]) => [toVisibleText(name), toVisible(inner, levels - 1)]));
}

const titlePlaceCharacters = 40;

/** The title of a session. Of a stranger's text it has only what cannot be read as a sentence. */
export function createPlaceTitle(name: string, place: string | null): string {
  const shown = toFirstCodePoints((place ?? "").replace(/[^A-Za-z0-9_.:#/-]/g, ""), titlePlaceCharacters);
  return shown === "" ? name : `${name}: ${shown}`;
}
