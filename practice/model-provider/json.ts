// Helpers for JSON of unknown shape.

export type JsonObject = Record<string, unknown>;

/** True for a JSON object; false for null, a list or a plain value. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects of a JSON array; empty if the value is not an array. */
export function toObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The value if it is a string, else the empty string. */
export function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The text of a message's content, which is a string or a list of parts. */
export function toContentText(content: unknown): string {
  if (typeof content === "string") return content;
  return toObjects(content)
    .map((part) => toText(part.text))
    .filter((text) => text !== "")
    .join("\n");
}
