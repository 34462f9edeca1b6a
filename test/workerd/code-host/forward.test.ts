// A fetch of git through the service: the response passes unchanged, and if one side breaks off,
// the other learns of it at the next piece.
import { afterEach, expect, test, vi } from "vitest";
import { forwardGit } from "../../../src/code-host/git/forward.ts";

afterEach(() => vi.unstubAllGlobals());

const remote = { url: "https://host.test/acme/app.git", authorization: "Basic abc" };
const asked = { method: "GET" as const, path: "info/refs?service=git-upload-pack", headers: new Headers(), body: null };

/** A code host whose response is written by the test. It breaks off when the service gives up. */
function startHost() {
  const left = Promise.withResolvers<void>();
  let write: ReadableByteStreamController | null = null;
  const body = new ReadableStream({
    type: "bytes",
    start(controller) {
      write = controller;
    },
    cancel: () => left.resolve(),
  });
  vi.stubGlobal("fetch", async (_: string, { signal }: { signal: AbortSignal }) => {
    signal.addEventListener("abort", () => write?.error(signal.reason));
    return new Response(body);
  });
  return {
    write: (bytes: Uint8Array) => write?.enqueue(bytes),
    end: () => write?.close(),
    breakOff: () => write?.error(new Error("broken off")),
    left: left.promise,
  };
}

test("a response passes unchanged", async () => {
  const host = startHost();
  const answer = await forwardGit(remote, asked);
  const passed = answer.bytes();
  const bytes = Uint8Array.from({ length: 300_000 }, (_, at) => at % 251);
  for (let at = 0; at < bytes.length; at += 7_000) host.write(bytes.slice(at, at + 7_000));
  host.end();
  expect(await passed).toEqual(bytes);
});

test("the beginning of a response does not wait for its end", async () => {
  const host = startHost();
  const reader = (await forwardGit(remote, asked)).body?.getReader();
  host.write(new Uint8Array([1, 2, 3]));
  expect((await reader?.read())?.value).toEqual(new Uint8Array([1, 2, 3]));
  await reader?.cancel();
});

test("a response that breaks off, or stalls, never looks complete", async () => {
  for (const ends of ["breaks off", "stalls"]) {
    const host = startHost();
    const answer = await forwardGit(remote, asked, 20);
    host.write(new Uint8Array(10));
    if (ends === "breaks off") host.breakOff();
    await expect(answer.bytes(), ends).rejects.toThrow();
  }
});

test("the code host's response is left at the next piece when its reader has left", async () => {
  const host = startHost();
  const answer = await forwardGit(remote, asked);
  await answer.body?.cancel();
  host.write(new Uint8Array(10));
  await host.left;
});

test("a response may take any time as long as its pieces arrive", async () => {
  const host = startHost();
  const reader = (await forwardGit(remote, asked, 10_000)).body?.getReader();
  for (let at = 0; at < 4; at++) {
    await scheduler.wait(3_000);
    host.write(new Uint8Array([at]));
    expect((await reader?.read())?.value).toEqual(new Uint8Array([at]));
  }
  host.end();
  expect(await reader?.read()).toMatchObject({ done: true });
});
