// A malicious sandbox program: it responds without end, too slowly, or with text of its own. It is
// cut off, and the caller gets the reason.
import { beforeEach, describe, expect, test } from "vitest";
import { createProgramClient } from "../../../src/sandbox/program/client.ts";
import type { SandboxDriver } from "../../../src/sandbox/program/driver.ts";
import { readProgramResponse } from "../../../src/sandbox/program/response.ts";
import { freshSandbox, host, owner, sandbox } from "../support/sandbox-driver.ts";

beforeEach(freshSandbox);

/** A response that continues for as long as it is read. */
function endless(status = 200) {
  const seen = { isCut: false };
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(256 * 1_024).fill(32)),
    cancel() {
      seen.isCut = true;
    },
  });
  return { seen, answer: new Response(body, { status }) };
}

/** A driver of a sandbox that gives this response. */
const createDriver = (answer: Response) => ({ fetch: async () => answer }) as unknown as SandboxDriver;

test("an endless response is read up to the limit of its call, and cancelled", async () => {
  for (const status of [200, 409]) {
    const { seen, answer } = endless(status);
    await expect(createProgramClient(createDriver(answer), { secret: "" }).status()).rejects.toThrow(
      /answered with more than \d+ KB/,
    );
    expect(seen.isCut).toBe(true);
  }
});

test("a read of a file reports why it failed, and the next response is read", async () => {
  await sandbox().wakeForPreview(owner);
  host.answerNext("GET /files/content", () => endless().answer);
  expect(await sandbox().readFile("README.md", "It sleeps.")).toEqual({
    code: "SERVICE_UNAVAILABLE",
    message: "The sandbox answered with more than 8192 KB, which is not read.",
  });
  expect(await sandbox().readFile("README.md", "It sleeps.")).toBe("content");
});

test("a layer of saved work is accepted up to the size of a disk", async () => {
  const { seen, answer } = endless();
  const signal = new AbortController().signal;
  const layer = await readProgramResponse(answer, { mostBytes: 1_024 * 1_024, signal });
  if (!layer.ok) throw new Error(layer.refusal.message);
  let taken = 0;
  await expect(
    (async () => {
      for await (const chunk of layer.value) taken += chunk.length;
    })(),
  ).rejects.toThrow(/more than 1024 KB/);
  expect([taken, seen.isCut]).toEqual([1_024 * 1_024, true]);
});

test("a response without a body is waited for until the timeout of its call", async () => {
  const silent = new Response(new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) }));
  const cutOff = new AbortController();
  const status = createProgramClient(createDriver(silent), { secret: "" }, cutOff.signal).status();
  cutOff.abort(new Error("it was given up"));
  await expect(status).rejects.toThrow("it was given up");
});

describe("a refusal", () => {
  const refused = (body: unknown) =>
    createProgramClient(createDriver(Response.json(body, { status: 409 })), { secret: "" }).status();

  test("with a long text is cut", async () => {
    const answer = await refused({ code: "GIT_REFUSED", message: "no ".repeat(10_000) });
    expect(answer).toEqual({
      ok: false,
      refusal: { code: "GIT_REFUSED", message: "no ".repeat(10_000).slice(0, 8_000) },
    });
  });

  test.each([[null], [{ code: "EXPLODED", message: "no" }], [{ code: "GIT_REFUSED", message: { deep: [] } }]])(
    "that is invalid is not forwarded: %j",
    async (body) => {
      expect(await refused(body)).toMatchObject({ ok: false, refusal: { code: "INTERNAL" } });
    },
  );
});
