// The server's name in the first bytes of a TLS connection, which a sandbox may write as it likes.
import { expect, test } from "vitest";
import { readServerName } from "../../practice/sandbox-host/network/client-hello.ts";

const uint = (value: number, bytes: number) => Buffer.from(value.toString(16).padStart(bytes * 2, "0"), "hex");
const sized = (bytes: number, content: Buffer) => Buffer.concat([uint(content.length, bytes), content]);
const record = (content: Buffer, type = 22) => Buffer.concat([Buffer.from([type, 3, 1]), sized(2, content)]);

/** A ClientHello that asks for a host. */
function createHello(host: string, padding = 0): Buffer {
  const name = sized(2, Buffer.concat([uint(0, 1), sized(2, Buffer.from(host))]));
  const extensions = Buffer.concat([uint(0, 2), sized(2, name), uint(21, 2), sized(2, Buffer.alloc(padding))]);
  const fields = [Buffer.alloc(34), sized(1, Buffer.alloc(0)), sized(2, uint(0x1301, 2)), sized(1, Buffer.alloc(1))];
  return Buffer.concat([uint(1, 1), sized(3, Buffer.concat([...fields, sized(2, extensions)]))]);
}

const hello = createHello("safe.example.com");
const named = { name: "safe.example.com" };
const inPieces = (bytes: number) =>
  Array.from({ length: Math.ceil(hello.length / bytes) }, (_, at) =>
    record(hello.subarray(at * bytes, (at + 1) * bytes)),
  );

test.each<[string, Buffer, ReturnType<typeof readServerName>]>([
  ["a message in one record", record(hello), named],
  ["a message in two records", Buffer.concat(inPieces(60)), named],
  ["a message with padding", record(createHello("safe.example.com", 4_000)), named],
  ["the beginning of a message", record(hello).subarray(0, 40), "incomplete"],
  ["the beginning of a record", record(hello).subarray(0, 3), "incomplete"],
  ["nothing", Buffer.alloc(0), "incomplete"],
  ["an empty record", record(Buffer.alloc(0)), "invalid"],
  [
    "empty records after the beginning",
    Buffer.concat([record(hello.subarray(0, 9)), record(Buffer.alloc(0))]),
    "invalid",
  ],
  ["a record for each byte", Buffer.concat(inPieces(1)), "invalid"],
  ["a message that is too long", record(Buffer.concat([uint(1, 1), uint(16_385, 3)])), "invalid"],
  ["another type of record", record(hello, 23), "invalid"],
])("%s is read", (_, bytes, expected) => {
  expect(readServerName(bytes)).toEqual(expected);
});
