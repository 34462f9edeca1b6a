// The key of a sandbox, which names its object and is a part of the host of its preview.
import { sandboxKeyCharacters } from "../../rules/limits.ts";

/**
 * The key of a sandbox, which names its object: `s` or `m` (session, main) plus lower-case letters
 * and digits (decisions, "Chat sessions").
 */
export function createSandboxKey(kind: "session" | "main", name: string): string {
  if (name.length !== sandboxKeyCharacters)
    throw new RangeError(`A sandbox key takes ${sandboxKeyCharacters} characters.`);
  return `${kind === "session" ? "s" : "m"}${name}`;
}
