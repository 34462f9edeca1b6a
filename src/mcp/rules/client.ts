// The name of the program that calls over MCP, by its own word.
import { clientNameCharactersMax } from "../../rules/limits.ts";
import { toFirstCodePoints, toPrintableLine } from "../../rules/text.ts";

/**
 * The name that the protocol carries, or else the name of an `X-Client-Version` such as `bot/1.0`;
 * null without one. A client of an older version of the protocol says its name only when it begins.
 */
export function readClientName(named: string | null, clientVersion: string | null): string | null {
  const [ofHeader = ""] = (clientVersion ?? "").split("/");
  return toFirstCodePoints(toPrintableLine(named ?? ofHeader), clientNameCharactersMax) || null;
}
