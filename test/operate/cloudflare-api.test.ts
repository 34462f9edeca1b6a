// Cloudflare's API is unavailable for a while: reads are repeated, creates are not, and each
// failure says what to do.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createPlatform } from "../../operate/cloudflare/api.ts";

type Answer = (response: ServerResponse) => void;
const says =
  (status: number, body: object | string): Answer =>
  (response) =>
    response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));
const well = says(200, { success: true, result: "there" });
const failing = says(503, { success: false, errors: [{ message: "it is away" }] });
const tooOften = says(429, { success: false, errors: [{ message: "too often" }] });
const cut: Answer = (response) => response.destroy();

let answers: Answer[];
let asked: string[];
const server = createServer((request, response) => {
  request.resume();
  asked.push(request.url ?? "");
  (answers.shift() ?? well)(response);
});
beforeEach(() => {
  asked = [];
  return new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
});
afterEach(() => new Promise((closed) => server.close(closed)));

const open = (say: (line: string) => void = () => {}) => {
  const { port } = server.address() as AddressInfo;
  return createPlatform(`http://127.0.0.1:${port}`, "the-token", { say, pausesMs: [1, 1] });
};
const outcome = (promise: Promise<unknown>) =>
  promise.then(
    (result) => result,
    (error: Error) => error.message,
  );

it.each<[string, Answer]>([
  ["fails", failing],
  ["is asked too often", tooOften],
  ["cuts its answer off", cut],
  ["answers with a page", says(200, "<html>")],
])("a read is repeated if the API %s, and each wait is reported", async (_, answer) => {
  answers = [answer, answer];
  const said: string[] = [];
  expect(await open((line) => said.push(line)).get("/accounts")).toBe("there");
  expect([asked.length, said.length]).toEqual([3, 2]);
});

it.each<[string, Answer, RegExp]>([
  ["fails", failing, /it is away.*It may have been done anyway: run it again/],
  ["cuts its answer off", cut, /It may have been done anyway/],
  ["answers with a page", says(200, "<html>"), /answered 200, and no JSON.*run it again/],
  ["is full", says(400, { success: false, errors: [{ message: "the limit is reached" }] }), /the limit is reached\.$/],
])("a create is sent once to an API that %s", async (_, answer, ended) => {
  answers = [answer];
  expect(await outcome(open().post("/buckets", {}))).toMatch(ended);
  expect(asked).toHaveLength(1);
});

it("a list is read to its end, page by page, over failures in between", async () => {
  const page = (page: number, result: string[]) =>
    says(200, { success: true, result, result_info: { page, per_page: 2, total_count: 5 } });
  answers = [page(1, ["a", "b"]), failing, page(2, ["c", "d"]), tooOften, page(3, ["e"])];
  expect(await open().list("/zones?a=b")).toEqual(["a", "b", "c", "d", "e"]);
  expect(asked).toEqual([1, 2, 2, 3, 3].map((number) => `/zones?a=b${number === 1 ? "" : `&page=${number}`}`));
  answers = [says(200, { success: true, result: ["all"], result_info: null })];
  expect(await open().list("/zones")).toEqual(["all"]);
});

it("a create is repeated after it was refused for the rate limit", async () => {
  answers = [tooOften];
  expect(await open().post("/buckets", {})).toBe("there");
  expect(asked).toHaveLength(2);
});

it("the retries end, and neither that message nor the one of a refused token contains the token", async () => {
  answers = [failing, failing, failing];
  expect(await outcome(open().read("/query", {}))).toMatch(/it is away.*Run it again later/);
  answers = [says(401, { success: false, errors: [{ message: "Authentication error" }] })];
  const refused = await outcome(open().get("/accounts"));
  expect(refused).toMatch(/The token is not valid, or may not do this/);
  expect(refused).not.toContain("the-token");
});
