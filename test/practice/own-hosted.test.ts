// What `npm start -- --repo owner/name` asks the code host, and how it says what is in the way.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readOwnHosted } from "../../practice/own-repository/hosted.ts";

/** The responses of a stand-in of the code host, by path. */
let answers: Record<string, [status: number, body?: object]>;
let authorizations: (string | undefined)[];
let server: Server;
let apiUrl: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    authorizations.push(request.headers.authorization);
    const [status, body = {}] = answers[request.url ?? ""] ?? [404];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((closed) => server.close(closed)));

const letters = { id: 7, full_name: "Acme/Letters", default_branch: "next/v2", permissions: { push: true } };
beforeEach(() => {
  authorizations = [];
  answers = { "/repos/acme/letters": [200, letters], "/repos/Acme/Letters/branches/next%2Fv2": [200] };
});

const read = (token: string | null = "ghp_1", at = apiUrl) =>
  readOwnHosted("acme/letters", { token, apiUrl: at, serverUrl: "https://github.com" });

test("a repository is read with the code host's spelling and its default branch", async () => {
  expect(await read()).toEqual({
    type: "hosted",
    name: "Letters",
    repository: "Acme/Letters",
    targetBranch: "next/v2",
    hosted: { name: "Acme/Letters", id: 7, apiUrl, gitUrl: "https://github.com", token: "ghp_1" },
  });
  expect(authorizations).toEqual(["Bearer ghp_1", "Bearer ghp_1"]);
});

test.each<[string, () => typeof answers, string]>([
  ["a token that is refused", () => ({ "/repos/acme/letters": [401] }), "The code host refuses GITHUB_TOKEN"],
  ["one that is not shown", () => ({}), "shows GITHUB_TOKEN no repository acme/letters. Check the name"],
  [
    "a token that may only read",
    () => ({ "/repos/acme/letters": [200, { ...letters, permissions: { push: false } }] }),
    "GITHUB_TOKEN may not push to Acme/Letters.",
  ],
  [
    "a repository without a commit",
    () => ({ "/repos/acme/letters": [200, letters] }),
    "Acme/Letters has no commit on its branch next/v2 yet.",
  ],
  ["a host in trouble", () => ({ "/repos/acme/letters": [503] }), "The code host answered 503"],
])("%s is reported in plain words", async (_, prepare, message) => {
  answers = prepare();
  expect(await read()).toContain(message);
});

test("without a token or a reachable host, a message says so", async () => {
  expect(await read(null)).toContain("set GITHUB_TOKEN.");
  expect(await read("ghp_1", "http://127.0.0.1:1")).toBe("The code host does not answer at http://127.0.0.1:1.");
});
