// The key of a sandbox: the name of its object.
import { sandboxKeyCharacters } from "../../rules/limits.ts";

/** `s` or `m` (session, main) plus lower-case letters and digits (decisions, "Chat sessions"). */
export function sandboxKey(kind: "session" | "main", name: string): string {
  if (name.length !== sandboxKeyCharacters)
    throw new RangeError(`A sandbox key takes ${sandboxKeyCharacters} characters.`);
  return `${kind === "session" ? "s" : "m"}${name}`;
}
