// A sandbox is tried on a deployed image until one of that image runs, or until it is clear that
// none does.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { trySandbox } from "../../operate/cloudflare/try-sandbox.ts";

let answers: [number, object][];
let asked: number;
const server = createServer((request, response) => {
  request.resume();
  const [status, body] = answers[Math.min(asked++, answers.length - 1)] ?? [500, {}];
  response.writeHead(status).end(JSON.stringify(body));
});
beforeEach(() => {
  asked = 0;
  return new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
});
afterEach(() => new Promise((closed) => server.close(closed)));

const started = (image: string): [number, object] => [200, { data: { image, ms: "900", protocol: "1" } }];
const failed = (error: string): [number, object] => [503, { error }];
const noRoom = failed("A sandbox does not start: there is no container instance that can be provided");
const ended = failed("A sandbox does not start: The container ended while it was being started: exit code 1");

async function tried(...next: [number, object][]) {
  answers = next;
  const said: string[] = [];
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const trial = { address, key: "key", tag: "new", say: (line: string) => void said.push(line), pauseMs: 1 };
  const result = await trySandbox(trial).then(
    () => "runs",
    (error: Error) => error.message,
  );
  return { result, asked, said };
}

test("a sandbox of the image that starts is enough", async () => {
  const { result, asked, said } = await tried(started("new"));
  expect([result, asked, said.length]).toEqual(["runs", 1, 1]);
});

test("a previous image, a lack of room and a previous version of the Worker pass, and each is reported once", async () => {
  const previous: [number, object] = [404, { error: "There is no such path." }];
  const { result, asked, said } = await tried(previous, noRoom, noRoom, started("old"), started("new"));
  expect([result, asked, said.length]).toEqual(["runs", 5, 4]);
  expect(said[2]).toContain("started from the image old, which is being replaced");
});

test("an image whose container ends each time fails with the reason", async () => {
  const { result, asked } = await tried(ended);
  expect([result, asked]).toEqual([expect.stringMatching(/No sandbox of the new image runs.*exit code 1/s), 3]);
});
