// Calls of the service: broken off while an answer is being read, they are over.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toPiModel } from "../../../sandbox-program/agent/pi/model.ts";
import { fetchFromService } from "../../../sandbox-program/http/service-fetch.ts";

/** Responds in two pieces, as a server at the edge does: compressed if the client accepts that. */
const server = createServer((request, response) => {
  request.resume();
  const isCompressed = takesGzip(request);
  response.writeHead(403, isCompressed ? { "content-encoding": "gzip" } : {});
  const body = isCompressed ? gzipSync("This turn is over.") : Buffer.from("This turn is over.");
  response.write(body.subarray(0, 10));
  setTimeout(() => response.end(body.subarray(10)), 1);
});

const takesGzip = ({ headers }: IncomingMessage) => /gzip/.test(String(headers["accept-encoding"] ?? ""));

let url: string;
beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

test("a reader of a response does not hang when its call is aborted", async () => {
  for (let round = 0; round < 100; round++) {
    const breakingOff = new AbortController();
    const answer = await fetchFromService(url, { headers: {}, signal: breakingOff.signal });
    const read = answer.text().catch((error: unknown) => String(error));
    await sleep(round % 2);
    breakingOff.abort();
    expect(await read).toMatch(/^This turn is over\.$|abort/i);
  }
});

test("the body is sent, and a redirect is not followed", async () => {
  const moved = createServer((request, response) => {
    expect(request.headers).toMatchObject({ "x-canary": "sung", "accept-encoding": "identity" });
    response.writeHead(307, { location: url }).end();
  });
  await new Promise<void>((listening) => moved.listen(0, "127.0.0.1", listening));
  const address = `http://127.0.0.1:${(moved.address() as AddressInfo).port}/`;
  await expect(fetchFromService(address, { headers: { "x-canary": "sung" } })).rejects.toThrow(/fetch failed/);
  await new Promise((closed) => moved.close(closed));
});

test.each(["anthropic-messages", "openai-responses"] as const)(
  "a model over %s gets requests for uncompressed responses",
  (wire) => {
    const { headers } = toPiModel({
      provider: "anthropic",
      wire,
      baseUrl: url,
      token: "token",
      id: "model",
      effort: "high",
      speed: null,
      contextWindow: 200_000,
      maxOutputTokens: 32_000,
      acceptsImages: true,
    });
    expect(headers).toMatchObject({ "accept-encoding": "identity" });
  },
);
