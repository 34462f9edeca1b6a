// Reads values of unknown shape.

/** The fields of an object; empty for any other value. */
export function toFields(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
