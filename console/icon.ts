// Draws the icon of the console as a PNG, from its SVG: one colour, and one line with round ends.
// Home screens of iOS and notifications of some systems show no SVG.
import { crc32, deflateSync } from "node:zlib";

interface Point {
  x: number;
  y: number;
}

/** Straight pieces for each curve. At 512 px, no piece is longer than 10 px. */
const pieces = 24;

/** Draws the icon as a square of `size` pixels. Throws for an SVG that it cannot read. */
export function renderIcon(svg: string, size: number): Buffer {
  const read = (pattern: RegExp) => {
    const found = pattern.exec(svg)?.[1];
    if (found === undefined) throw new Error(`The icon has no ${pattern.source}.`);
    return found;
  };
  const scale = size / Number(read(/viewBox="0 0 (\d+) /));
  const ground = readColor(read(/<rect [^>]*fill="#(\w{6})"/));
  const ink = readColor(read(/stroke="#(\w{6})"/));
  const radius = (Number(read(/stroke-width="(\d+)"/)) * scale) / 2;
  const lines = readPath(read(/ d="([^"]+)"/)).map((line) => line.map(({ x, y }) => ({ x: x * scale, y: y * scale })));
  const rows = Buffer.alloc(size * (1 + 3 * size));
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1) {
      const from = Math.min(...lines.map((line) => measureDistance({ x: x + 0.5, y: y + 0.5 }, line)));
      const share = Math.min(1, Math.max(0, radius - from + 0.5));
      for (const [at, tone] of ground.entries())
        rows[y * (1 + 3 * size) + 1 + 3 * x + at] = Math.round(tone + ((ink[at] ?? 0) - tone) * share);
    }
  return createPng(size, rows);
}

const readColor = (hex: string) => [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

/** The lines of a path of the commands `M`, `h` and `c`, each as its points. */
function readPath(path: string): Point[][] {
  const lines: Point[][] = [];
  let at: Point = { x: 0, y: 0 };
  for (const [, command, given = ""] of path.matchAll(/([a-zA-Z])([^a-zA-Z]*)/g)) {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = (given.match(/-?[\d.]+/g) ?? []).map(Number);
    const from = at;
    if (command === "M") {
      at = { x: a, y: b };
      lines.push([at]);
    } else if (command === "h") {
      at = { x: from.x + a, y: from.y };
      lines.at(-1)?.push(at);
    } else if (command === "c") {
      at = { x: from.x + e, y: from.y + f };
      const bend = (t: number, first: number, second: number, last: number) =>
        3 * (1 - t) ** 2 * t * first + 3 * (1 - t) * t ** 2 * second + t ** 3 * last;
      for (let piece = 1; piece <= pieces; piece += 1) {
        const t = piece / pieces;
        lines.at(-1)?.push({ x: from.x + bend(t, a, c, e), y: from.y + bend(t, b, d, f) });
      }
    } else throw new Error(`The icon has the path command ${command}, which nothing here draws.`);
  }
  return lines;
}

function measureDistance({ x, y }: Point, line: Point[]): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (const [index, to] of line.entries()) {
    const from = line[index - 1] ?? to;
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const along = ((x - from.x) * dx + (y - from.y) * dy) / (dx * dx + dy * dy || 1);
    const share = Math.min(1, Math.max(0, along));
    nearest = Math.min(nearest, Math.hypot(x - from.x - share * dx, y - from.y - share * dy));
  }
  return nearest;
}

/** A PNG of 8-bit colours without transparency. Each row begins with its filter, which is none. */
function createPng(size: number, rows: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const parts: [name: string, data: Buffer][] = [
    ["IHDR", header],
    ["IDAT", deflateSync(rows, { level: 9 })],
    ["IEND", Buffer.alloc(0)],
  ];
  const chunks = parts.map(([name, data]) => {
    const named = Buffer.concat([Buffer.from(name), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, check]);
  });
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), ...chunks]);
}
