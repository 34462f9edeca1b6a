// A removal: what is deleted at once for everybody, and piece by piece behind the answer.

export const removedTypes = ["workspace", "project"] as const;

/** Names what is removed. */
export interface Removed {
  type: (typeof removedTypes)[number];
  id: string;
}
