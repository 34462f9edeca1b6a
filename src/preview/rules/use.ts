// What counts as a use of a preview, which keeps its sandbox awake. A request is a use if a service
// accepts it (`forwardVisit`). A message that a visitor sends over a WebSocket is a use unless it
// repeats an earlier one, as heartbeats do; a message from the service is not. So an open tab does
// not keep a sandbox awake.

/** The number and the length of the messages that are recognized as repeated. */
const rememberedCount = 16;
const rememberedCharacters = 256;

/**
 * Creates a function that is true for a message that is among the last `rememberedCount` distinct
 * ones. One is for one WebSocket.
 */
export function createRepetitionFilter(): (data: unknown) => boolean {
  const remembered = new Set<string>();
  return (data) => {
    if (typeof data !== "string" || data.length > rememberedCharacters) return false;
    const isKnown = remembered.delete(data);
    remembered.add(data);
    const [oldest] = remembered;
    if (remembered.size > rememberedCount && oldest !== undefined) remembered.delete(oldest);
    return isKnown;
  };
}
