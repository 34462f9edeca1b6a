// Multipart bodies: the parts are the same however the bytes are cut, and a body that is not
// well-formed is refused.
import { describe, expect, test } from "vitest";
import { findBoundary, readParts } from "../../../src/http/multipart.ts";
import { findStreamRefusal } from "../../../src/lib/byte-stream.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const field = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

async function* inChunks(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, chunkBytes = 7, boundary = "b") {
  const parts = [];
  for await (const { bytes, ...part } of readParts(inChunks(encode(text), chunkBytes), boundary)) {
    const decoder = new TextDecoder();
    let value = "";
    for await (const chunk of bytes) value += decoder.decode(chunk, { stream: true });
    parts.push({ ...part, value });
  }
  return parts;
}

const disposition = (text: string) => `--b\r\nContent-Disposition: ${text}\r\n\r\n\r\n--b--`;

describe("a body is split into its parts", () => {
  const values = [
    "",
    "text",
    "\r\n",
    "\r\n\r\n",
    "\r",
    "\r\n--",
    "\r\n--a",
    "--b",
    "-\r\n-\r\n\r\r\n--",
    "\r\r\r\n\r\n-",
    "größe 日本 🎈",
    "a".repeat(500),
  ];
  test.each([1, 2, 3, 5, 64, 100_000])("in chunks of %d bytes", async (chunkBytes) => {
    const body = `${values.map((value, place) => field(`f${place}`, value)).join("")}--b--\r\n`;
    const parts = await read(body, chunkBytes);
    expect(parts.map(({ value }) => value)).toEqual(values);
    expect(parts.map(({ name }) => name)).toEqual(values.map((_, place) => `f${place}`));
  });

  test("a file has its name and media type", async () => {
    const body =
      '--b\r\ncontent-type: image/png\r\nCONTENT-DISPOSITION: form-data; name="attachment_0"; filename="a.png"\r\n\r\nx\r\n--b--';
    expect(await read(body)).toEqual([{ name: "attachment_0", fileName: "a.png", mediaType: "image/png", value: "x" }]);
  });

  test("unused parts are skipped", async () => {
    const names = [];
    const body = encode(`${field("one", "a".repeat(300))}${field("two", "")}--b--`);
    for await (const { name } of readParts(inChunks(body, 11), "b")) names.push(name);
    expect(names).toEqual(["one", "two"]);
  });

  test("the preamble and the epilogue are not parts", async () => {
    expect(await read(`before\r\n${field("one", "1")}--b--\r\nbehind`)).toHaveLength(1);
    expect(await read("--b--\r\n")).toEqual([]);
  });

  test.each([
    ['form-data; name="a"; filename="x\\"y.txt"', 'x"y.txt'],
    ['form-data; name="a"; filename="x%22y.txt"', 'x"y.txt'],
    ['form-data; name="a"; filename="100%.txt"', "100%.txt"],
    ['form-data; name="a"; filename="C:\\dir\\y.txt"', "C:\\dir\\y.txt"],
    ['form-data; name="a"; filename="日本; name=b.txt"', "日本; name=b.txt"],
    ['form-data; name="a"; filename=plain.txt', "plain.txt"],
    ['form-data; name="a"; filename=""', ""],
    ['form-data; name="a"; filename="x"; filename*=UTF-8\'\'%E6%97%A5.txt', "日.txt"],
    ['form-data; name="a"; filename="x"; filename*=UTF-8\'\'%E6%9.txt', "x"],
    ['form-data;name=a;filename="b"', "b"],
    ['form-data; name="a"', null],
  ])("%s names its file", async (header, fileName) => {
    expect(await read(disposition(header))).toEqual([{ name: "a", fileName, mediaType: null, value: "" }]);
  });
});

describe("a body that is not well-formed is refused", () => {
  test.each([
    ["nothing", ""],
    ["no boundary", "content=hello"],
    ["another boundary", field("a", "1").replaceAll("--b", "--c")],
    ["a boundary with more behind it", field("a", "1").replace("--b\r", "--bb\r")],
    ["no end", field("a", "1")],
    ["an end within a value", '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1'],
    ["an end within the headers", "--b\r\nContent-Disposition: form-data"],
    ["an end within the last boundary", `${field("a", "1")}--b-`],
    ["bare line feeds", field("a", "1").replaceAll("\r\n", "\n")],
    ["no headers", "--b\r\n\r\nvalue\r\n--b--"],
    ["a header that is none", '--b\r\nContent-Disposition form-data; name="a"\r\n\r\n1\r\n--b--'],
    ["a header that comes twice", `--b\r\n${'Content-Disposition: form-data; name="a"\r\n'.repeat(2)}\r\n1\r\n--b--`],
    ["no name", disposition("form-data")],
    ["a file without a field", disposition('form-data; filename="name.txt"')],
    ["another disposition", disposition('attachment; name="a"')],
    ["headers without end", `--b\r\nX: ${"x".repeat(20_000)}`],
  ])("%s", async (_, body) => {
    for (const chunkBytes of [1, 9, 100_000]) {
      const error = await read(body, chunkBytes).catch((thrown: unknown) => thrown);
      expect(findStreamRefusal(error)).toMatchObject({ code: "VALIDATION_ERROR", details: [{ path: "" }] });
    }
  });

  test("an error of the connection is not replaced", async () => {
    async function* broken() {
      yield encode(field("a", "1"));
      throw new Error("the client went away");
    }
    const reading = async () => {
      for await (const _ of readParts(broken(), "b"));
    };
    await expect(reading()).rejects.toThrow("the client went away");
  });
});

test.each([
  ["multipart/form-data; boundary=abc", "abc"],
  ['multipart/form-data; charset=utf-8; boundary="a b:c"', "a b:c"],
  ["multipart/form-data;BOUNDARY=abc; charset=utf-8", "abc"],
  ["multipart/form-data", null],
  ["multipart/form-data; boundary=", null],
  ['multipart/form-data; boundary=""', null],
  [`multipart/form-data; boundary=${"a".repeat(71)}`, null],
])("%s has a boundary", (contentType, boundary) => {
  expect(findBoundary(contentType)).toBe(boundary);
});
