// The position of a client in the streams of several workspaces, as one event id. It has a position
// for each of them, in the order of their ids. A client whose workspaces are others by now has no
// position.

/** Differs for every set of workspaces. */
function hashIds(workspaceIds: readonly string[]): string {
  let hash = 0x811c9dc5;
  for (const character of workspaceIds.join(" ")) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(16);
}

/** Formats the id of an event. A position is null where the client has none yet. */
export function formatPosition(workspaceIds: readonly string[], positions: readonly (number | null)[]): string {
  return [hashIds(workspaceIds), ...positions.map((position) => position ?? "")].join(".");
}

/** The position in each of the workspaces; null where the client has none. */
export function parsePosition(workspaceIds: readonly string[], eventId: string | null): (number | null)[] {
  const [hash, ...positions] = eventId?.split(".") ?? [];
  const isTheirs = hash === hashIds(workspaceIds) && positions.length === workspaceIds.length;
  return workspaceIds.map((_, at) => {
    const position = isTheirs ? positions[at] : "";
    return position && /^\d{1,15}$/.test(position) ? Number(position) : null;
  });
}
