// Forms with files: what is stored of them as they arrive, and that nothing remains of a refused
// one.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { TurnOwner } from "../../../src/chat/rules/chat.ts";
import { type Form, formBytes, readForm } from "../../../src/http/form.ts";
import { bodyMemory, releaseBytes } from "../../../src/lib/byte-budget.ts";
import { bodyMemoryBytes, formWaitMs } from "../../../src/rules/limits.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { createAttachmentStore, deleteOwnedObjects, findAttachment } from "../../../src/storage/attachments.ts";

const mebibyte = 1024 * 1024;
const random = (bytes: number) => {
  const filled = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(filled.subarray(at, at + 65_536));
  return filled;
};
const file = (bytes: number | Uint8Array, name = "a.bin", type = "application/x-test") =>
  new File([typeof bytes === "number" ? random(bytes) : bytes], name, { type });

let sessionId: string;
beforeEach(() => {
  sessionId = crypto.randomUUID();
});

type Entry = [name: string, value: string | File];

function createRequest(entries: Entry[]): Request {
  const form = new FormData();
  for (const [name, value] of entries) form.append(name, value);
  return new Request("http://service.test/", { method: "POST", body: form });
}

/** A request of a form written by hand, in one piece. */
function requestWith(body: string): Request {
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  return new Request("http://service.test/", { method: "POST", headers, body });
}

const session = (id: string): TurnOwner => ({ type: "session", id });
async function read(request: Request, isHashed = false) {
  try {
    const store = createAttachmentStore(env, {
      owner: session(sessionId),
      payer: session(sessionId),
      mostBytes: formBytes,
    });
    return await readForm(request, { store, isHashed, lists: ["kept"] });
  } finally {
    // As the router does after each response.
    releaseBytes(request);
  }
}
const kept = async () => (await env.STORE.list({ prefix: `sessions/${sessionId}/` })).objects;

async function readWell(entries: Entry[], isHashed = false): Promise<Form> {
  const form = await read(createRequest(entries), isHashed);
  if (isRefusal(form)) throw new Error(form.message);
  return form;
}

describe("files are stored unchanged", () => {
  test.each([0, 1, 65_537, 5 * mebibyte, 5 * mebibyte + 1, 10 * mebibyte])("one of %d bytes", async (bytes) => {
    const content = random(bytes);
    const { attachments } = await readWell([
      ["content", "See the file."],
      ["attachmentCount", "1"],
      ["attachment_0", file(content)],
    ]);
    expect(attachments).toEqual([
      { id: expect.any(String), name: "a.bin", mediaType: "application/x-test", byteSize: bytes },
    ]);
    const stored = await findAttachment(env.STORE, session(sessionId), attachments[0]?.id ?? "");
    expect(stored?.httpMetadata?.contentType).toBe("application/x-test");
    // Compared by hash, because a difference of megabytes could not be shown.
    expect(await hashBytes(await new Response(stored?.body).arrayBuffer())).toBe(await hashBytes(content));
  });

  test("with a list of texts in its order", async () => {
    const { lists } = await readWell([
      ["kept", "one"],
      ["kept", ""],
      ["kept", "three"],
    ]);
    expect(lists).toEqual({ kept: ["one", "", "three"] });
  });

  test("in the order of their fields, whatever the order in which they arrive", async () => {
    const { attachments, fields } = await readWell([
      ["attachment_2", file(2, "two")],
      ["attachment_0", file(1, "zero")],
      ["attachmentCount", "2"],
      ["content", "hi"],
    ]);
    expect(attachments.map(({ name }) => name)).toEqual(["zero", "two"]);
    expect(fields).toEqual({ content: "hi" });
  });

  test("texts have the line ends that a JSON body would have, and files keep theirs", async () => {
    const { fields, attachments } = await readWell([
      ["content", "one\r\ntwo\nthree"],
      ["attachmentCount", "1"],
      ["attachment_0", new File(["one\r\ntwo"], "a.txt")],
    ]);
    expect(fields.content).toBe("one\ntwo\nthree");
    const stored = await findAttachment(env.STORE, session(sessionId), attachments[0]?.id ?? "");
    expect(await new Response(stored?.body).text()).toBe("one\r\ntwo");
  });

  test("a name in any script is in the header of a download", async () => {
    const name = `${"日".repeat(250)}'(1).md`;
    const { attachments } = await readWell([
      ["attachmentCount", "1"],
      ["attachment_0", file(1, name)],
    ]);
    const stored = await findAttachment(env.STORE, session(sessionId), attachments[0]?.id ?? "");
    const disposition = stored?.httpMetadata?.contentDisposition ?? "";
    expect(disposition).toMatch(/^attachment; filename\*=UTF-8''[A-Za-z0-9%._~-]+$/);
    expect(decodeURIComponent(disposition.split("''")[1] ?? "")).toBe(name.slice(0, 255));
  });

  test("hashes differ between files of equal size, and exist only on request", async () => {
    const entries: Entry[] = [
      ["attachmentCount", "2"],
      ["attachment_0", file(new Uint8Array([1]))],
      ["attachment_1", file(new Uint8Array([2]))],
    ];
    const { fileHashes } = await readWell(entries, true);
    expect(fileHashes).toEqual([await hashBytes(new Uint8Array([1])), await hashBytes(new Uint8Array([2]))]);
    expect((await readWell(entries)).fileHashes).toEqual([]);
  });

  test("all objects of a session are deleted with it, and no other's", async () => {
    const entries: Entry[] = [
      ["attachmentCount", "1"],
      ["attachment_0", file(1)],
    ];
    await readWell(entries);
    const first = sessionId;
    sessionId = crypto.randomUUID();
    await readWell(entries);
    await deleteOwnedObjects(env, session(first));
    expect((await env.STORE.list({ prefix: `sessions/${first}/` })).objects).toEqual([]);
    expect(await kept()).toHaveLength(1);
  });
});

describe("nothing is stored of a form that is refused", () => {
  const one: Entry = ["attachment_0", file(3)];
  const tooLarge = file(10 * mebibyte + 1, "huge.mov");
  const parts = Array.from({ length: 1_000 }, (): Entry => ["kept", ""]);
  const namesOnly = Array.from({ length: 300 }, (_, place): Entry => [`${place}${"n".repeat(8_000)}`, ""]);
  const twelve = Array.from({ length: 12 }, (_, place): Entry => [`attachment_${place}`, file(1)]);

  test.each<[string, Entry[], string, string]>([
    ["a file that is too large", [one, ["attachment_1", tooLarge]], "BAD_REQUEST", "huge.mov"],
    ["more than ten files", [["attachmentCount", "12"], ...twelve], "BAD_REQUEST", "at most 10"],
    ["fewer files than it says", [["attachmentCount", "2"], one], "BAD_REQUEST", "attachmentCount"],
    ["more files than it says", [["attachmentCount", "0"], one], "BAD_REQUEST", "attachmentCount"],
    ["a count that is no number", [["attachmentCount", "one"], one], "VALIDATION_ERROR", "attachmentCount"],
    ["a file in a field of another name", [one, ["picture", file(1)]], "VALIDATION_ERROR", "picture"],
    ["a file in a field almost of the name", [one, ["attachment_01", file(1)]], "VALIDATION_ERROR", "attachment_01"],
    ["a text where a file belongs", [one, ["attachment_1", "text"]], "VALIDATION_ERROR", "attachment_1"],
    ["a file where a text belongs", [one, ["content", file(1)]], "VALIDATION_ERROR", "content"],
    ["a file twice", [one, one], "VALIDATION_ERROR", "attachment_0"],
    ["a field twice", [one, ["content", "a"], ["content", "b"]], "VALIDATION_ERROR", "content"],
    ["too many bytes in few letters", [one, ["content", "語".repeat(mebibyte)]], "PAYLOAD_TOO_LARGE", "too large"],
    ["too many bytes of names", [one, ...namesOnly], "PAYLOAD_TOO_LARGE", "too large"],
    ["too many parts", [one, ...parts], "VALIDATION_ERROR", "more than 1000 parts"],
    ["too much text", [one, ["content", "a".repeat(2 * mebibyte + 1)]], "PAYLOAD_TOO_LARGE", "too large"],
  ])("%s", async (_, entries, code, named) => {
    expect(await read(createRequest(entries), true)).toMatchObject({
      code,
      message: expect.stringContaining(named),
    });
    expect(await kept()).toEqual([]);
  });

  const start = '--b\r\nContent-Disposition: form-data; name="attachment_0"; filename="a"\r\n\r\n';
  test.each([
    ["one that ends within a file", `${start}some bytes`],
    ["one that ends behind a file", `${start}some bytes\r\n--b`],
    ["one whose second part is none", `${start}some bytes\r\n--b\r\n\r\n\r\n--b--`],
    ["a text that is not UTF-8", null],
  ])("%s", async (_, body) => {
    const request = body === null ? notText(start) : requestWith(body);
    expect(await read(request, true)).toMatchObject({ code: "VALIDATION_ERROR", details: expect.any(Array) });
    expect(await kept()).toEqual([]);
  });

  test("and it is read to its end, so that its sender gets the error", async () => {
    let chunksLeft = 500;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode("--b\r\nnot a header\r\n\r\n")),
      pull(controller) {
        chunksLeft -= 1;
        if (chunksLeft > 0) controller.enqueue(new Uint8Array(1024));
        else controller.close();
      },
    });
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    const request = new Request("http://service.test/", { method: "POST", headers, body });
    expect(await read(request)).toMatchObject({ code: "VALIDATION_ERROR" });
    expect(chunksLeft).toBe(0);
  });

  test("one without memory at this moment", async () => {
    expect(bodyMemory.take(bodyMemoryBytes - mebibyte)).toBe(true);
    const full = { code: "SERVICE_UNAVAILABLE", retryAfterSeconds: expect.any(Number) };
    expect(await read(createRequest([one, ["attachment_1", file(2 * mebibyte)]]))).toMatchObject(full);
    expect(await read(createRequest([one, ["content", "a".repeat(2 * mebibyte - 100)]]))).toMatchObject(full);
    bodyMemory.give(bodyMemoryBytes - mebibyte);
    expect(await kept()).toEqual([]);
  });

  test("one that arrives for more than an hour", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(`${start}some bytes`)),
      pull() {
        vi.setSystemTime(Date.now() + formWaitMs);
        return new Promise(() => {});
      },
    });
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    const form = await read(new Request("http://service.test/", { method: "POST", headers, body }));
    vi.useRealTimers();
    expect(form).toMatchObject({ code: "BAD_REQUEST", message: expect.stringContaining("too slowly") });
    expect(await kept()).toEqual([]);
  });

  test("one whose sender disconnects", async () => {
    const chunks = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(`${start}some bytes\r\n--b\r\n`)),
      pull: (controller) => controller.error(new Error("gone")),
    });
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    await expect(read(new Request("http://service.test/", { method: "POST", headers, body: chunks }))).rejects.toThrow(
      "gone",
    );
    expect(await kept()).toEqual([]);
  });
});

function notText(start: string): Request {
  const text = new TextEncoder().encode(
    `${start}x\r\n--b\r\nContent-Disposition: form-data; name="content"\r\n\r\n?\r\n--b--`,
  );
  text[text.lastIndexOf(63)] = 0xff;
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  return new Request("http://service.test/", { method: "POST", headers, body: text });
}

async function hashBytes(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return btoa(String.fromCharCode(...hash))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
