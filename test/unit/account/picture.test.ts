import { expect, it } from "vitest";
import { getPictureType } from "../../../src/account/rules/picture.ts";

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

it.each([
  ["\x89PNG\r\n\x1a\n....", "image/png"],
  ["\xff\xd8\xff\xe0....", "image/jpeg"],
  ["RIFF....WEBPVP8 ", "image/webp"],
])("%j is a picture of its type", (start, type) => {
  expect(getPictureType(bytes(start))).toBe(type);
});

it.each(["", "GIF89a....", "<svg xmlns='http://www.w3.org/2000/svg'></svg>", "<html>", "%PDF-1.7", "RIFF....WAVE"])(
  "%j is not a picture, whatever its media type",
  (start) => {
    expect(getPictureType(bytes(start))).toMatchObject({ code: "VALIDATION_ERROR" });
  },
);
