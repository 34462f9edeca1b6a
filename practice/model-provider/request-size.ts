// The size of a request in tokens: its text by length, its images by number.
import { isObject, type JsonObject } from "./json.ts";
import { countTokens } from "./wire.ts";

const imageTokens = 1_600;

/** Estimates the tokens of a body. */
export function countRequestTokens(body: JsonObject, byteLength: number): number {
  const images = listImages(body);
  const imageLength = images.reduce((sum, image) => sum + image.length, 0);
  return countTokens(byteLength - imageLength) + images.length * imageTokens;
}

/** The images of a body, as base64. */
function listImages(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(listImages);
  if (!isObject(value)) return [];
  if (value.type === "base64" && typeof value.data === "string") return [value.data];
  if (typeof value.image_url === "string" && value.image_url.startsWith("data:")) return [value.image_url];
  return Object.values(value).flatMap(listImages);
}
