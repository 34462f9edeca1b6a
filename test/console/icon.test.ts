// The icon as pictures: drawn from the SVG, and readable by whatever reads a PNG.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32, inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { renderIcon } from "../../console/icon.ts";

const svg = await readFile(join(import.meta.dirname, "../../console/public/icon.svg"), "utf8");

/** The chunks of a PNG by name; each has to have the right checksum. */
function readChunks(png: Buffer): Map<string, Buffer> {
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const named = png.subarray(at + 4, at + 8 + length);
    expect(png.readUInt32BE(at + 8 + length)).toBe(crc32(named));
    chunks.set(named.subarray(0, 4).toString(), named.subarray(4));
    at += 12 + length;
  }
  return chunks;
}

test.each([180, 192])("at %d px it has the colours and the line of the SVG", (size) => {
  const png = renderIcon(svg, size);
  expect(png.subarray(0, 8).toString("latin1")).toBe("\u0089PNG\r\n\u001a\n");
  const chunks = readChunks(png);
  expect([...chunks.keys()]).toEqual(["IHDR", "IDAT", "IEND"]);
  const header = chunks.get("IHDR");
  expect([header?.readUInt32BE(0), header?.readUInt32BE(4), header?.[8], header?.[9]]).toEqual([size, size, 8, 2]);
  const rows = inflateSync(chunks.get("IDAT") ?? Buffer.alloc(0));
  expect(rows.length).toBe(size * (1 + 3 * size));
  // Places of the SVG, which is 512 wide.
  const colorAt = (x: number, y: number) => {
    const [column, row] = [Math.floor((x / 512) * size), Math.floor((y / 512) * size)];
    return rows
      .subarray(row * (1 + 3 * size) + 1 + 3 * column)
      .subarray(0, 3)
      .toString("hex");
  };
  for (const [x, y] of [
    [2, 2],
    [509, 509],
    [256, 200],
    [430, 336],
    [60, 336],
  ] as const)
    expect([x, y, colorAt(x, y)]).toEqual([x, y, "0f766e"]);
  for (const [x, y] of [
    [112, 336],
    [250, 336],
    [400, 336],
    [272, 264],
    [390, 192],
  ] as const)
    expect([x, y, colorAt(x, y)]).toEqual([x, y, "ffffff"]);
});

test("an SVG that it cannot draw is refused", () => {
  expect(() => renderIcon(svg.replace("h288", "q1 1 2 2"), 16)).toThrow("q");
  expect(() => renderIcon(svg.replace("stroke-width", "width"), 16)).toThrow("stroke-width");
});
