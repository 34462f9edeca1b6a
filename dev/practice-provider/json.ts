// Reading JSON whose shape nobody promises.

export type JsonObject = Record<string, unknown>;

/** True for a JSON object; false for null, a list or a plain value. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects of a JSON list; nothing when it is not a list. */
export function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The value when it is text, otherwise the empty text. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Content as providers write it: a text, or a list of parts of which the texts are taken. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsOf(content)
    .map((part) => textOf(part.text))
    .filter((text) => text !== "")
    .join("\n");
}
