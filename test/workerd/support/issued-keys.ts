// Keys that a test needs, of holders who have fewer than the limit.
import * as queries from "../../../src/key/queries/keys.ts";

/** Issues an API key of a user. */
export async function issueApiKey(...given: Parameters<typeof queries.issueApiKey>) {
  return requireKey(await queries.issueApiKey(...given));
}

/** Issues the key of a chat-tool relay. */
export async function issueRelayKey(...given: Parameters<typeof queries.issueRelayKey>) {
  return requireKey(await queries.issueRelayKey(...given));
}

function requireKey<Key>(issued: Key | null): Key {
  if (issued === null) throw new Error("The holder has too many keys.");
  return issued;
}
