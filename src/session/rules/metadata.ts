// The metadata of a session: texts by keys, for programs that find their sessions again (decisions,
// "Chat sessions"). No prompt has it.
import {
  metadataCharactersMax,
  metadataKeyCharactersMax,
  metadataKeysMax,
  metadataValueCharactersMax,
} from "../../rules/limits.ts";
import { type Refusal, refuseField } from "../../rules/refusal.ts";
import { hasMoreCodePoints } from "../../rules/text.ts";

export type Metadata = Record<string, string>;
/** New values by key; null deletes a key. Other keys stay. */
export type MetadataChanges = Record<string, string | null>;

/** A condition of a list: the sessions that have this value. */
export interface MetadataFilter {
  key: string;
  value: string;
}

const keyPattern = new RegExp(`^[A-Za-z0-9_.-]{1,${metadataKeyCharactersMax}}$`);

/** Applies changes to metadata. Refuses keys and values of another form, and more than is kept. */
export function updateMetadata(before: Metadata, changes: MetadataChanges): Metadata | Refusal {
  for (const [key, value] of Object.entries(changes)) {
    if (!keyPattern.test(key))
      return refuseField("metadata", `has the key ${JSON.stringify(key.slice(0, 60))}: ${keyRule}`);
    if (value !== null && hasMoreCodePoints(value, metadataValueCharactersMax))
      return refuseField(`metadata.${key}`, `must have at most ${metadataValueCharactersMax} characters`);
  }
  const kept = Object.entries({ ...before, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  if (kept.length > metadataKeysMax)
    return refuseField("metadata", `would have ${kept.length} keys, and takes ${metadataKeysMax}`);
  const characters = kept.reduce((sum, [key, value]) => sum + key.length + [...value].length, 0);
  if (characters > metadataCharactersMax)
    return refuseField("metadata", `would have ${characters} characters, and takes ${metadataCharactersMax}`);
  return Object.fromEntries(kept);
}

const keyRule = `keys have at most ${metadataKeyCharactersMax} letters, digits, \`_\`, \`-\` and \`.\``;

/** Parses a condition such as `ci:1234`; null without a key. The value may have colons. */
export function parseMetadataFilter(text: string): MetadataFilter | null {
  const end = text.indexOf(":");
  const key = text.slice(0, end);
  return end > 0 && keyPattern.test(key) ? { key, value: text.slice(end + 1) } : null;
}
