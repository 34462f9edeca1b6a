// How many tokens a request weighs: its text by length, its images by number, whatever they take as base64.
import { isObject, type JsonObject } from "./json.ts";
import { tokensOf } from "./wire.ts";

const imageTokens = 1_600;

/** Roughly what a tokenizer would count in a body of this length. */
export function requestTokens(body: JsonObject, byteLength: number): number {
  const images = imagesIn(body);
  const imageLength = images.reduce((sum, image) => sum + image.length, 0);
  return tokensOf(byteLength - imageLength) + images.length * imageTokens;
}

/** The images of a body, each as the text it came as. */
function imagesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(imagesIn);
  if (!isObject(value)) return [];
  if (value.type === "base64" && typeof value.data === "string") return [value.data];
  if (typeof value.image_url === "string" && value.image_url.startsWith("data:")) return [value.image_url];
  return Object.values(value).flatMap(imagesIn);
}
