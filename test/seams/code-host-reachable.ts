// The repositories that a person and the app both reach, on the practice code host and with
// GitHub's own examples.
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PracticeCodeHost, startPracticeCodeHost } from "../../practice/code-host/practice-code-host.ts";
import { createAuthorizeUrl, exchangeCode, signInClient } from "../../src/account/code-host-sign-in.ts";
import { createGithubCall, noAccess } from "../../src/code-host/github/call.ts";
import { listReachableRepositories } from "../../src/code-host/github/reachable.ts";
import { isRefusal, refuse } from "../../src/rules/refusal.ts";
import { startBrowser } from "../support/sign-in-browser.ts";
import { getExample } from "./github-operations.ts";

const [everything, callbackUrl] = ["code-host-token", "http://service.test/api/auth/github/callback"];
const key = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;
const app = { id: "7", key: key.export({ type: "pkcs1", format: "pem" }).toString() };
const oauth = { clientId: "tests", clientSecret: "secret", callbackUrl };
const installations = "/user/installations";
const ofInstallation = `${installations}/{installation_id}/repositories`;
const lapsed = refuse("FORBIDDEN", "Connect it again.");

const list = (apiUrl: string, token: string) => {
  const credential = async (refused?: string) => (refused === undefined ? token : lapsed);
  return listReachableRepositories(createGithubCall({ apiUrl, credential }), AbortSignal.timeout(10_000));
};

/** The names of the fields of an object, with the types of their values; of a list, the first's. */
function describeFields(value: unknown): unknown {
  if (Array.isArray(value)) return [describeFields(value[0])];
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, describeFields(item)]));
}

/** Signs Grace in at a practice code host. Returns her token. */
async function signInAt({ url, signInUrl }: PracticeCodeHost): Promise<string> {
  const urls = { CODE_HOST_GIT_URL: url, CODE_HOST_API_URL: url, PUBLIC_URL: callbackUrl };
  const settings = { ...urls, CODE_HOST_CLIENT_ID: oauth.clientId, CODE_HOST_CLIENT_SECRET: oauth.clientSecret };
  const client = signInClient(settings);
  if (isRefusal(client)) throw new Error(client.message);
  const browser = startBrowser({ baseUrl: "http://service.test", signInUrl });
  const back = await browser.choose(await createAuthorizeUrl(client, "state", "v"), "grace-hopper");
  const tokens = await exchangeCode(client, new URL(back).searchParams.get("code") ?? "", "v");
  if (isRefusal(tokens)) throw new Error(tokens.message);
  return tokens.accessToken;
}

/** Tests the list. */
export function reachableContract(): void {
  describe("the repositories that a person and the app reach at the practice code host", () => {
    let codeHost: PracticeCodeHost;
    let folder: string;
    let token: string;
    const change = async (method: string, path: string, body = {}) => {
      const headers = { authorization: `Bearer ${everything}` };
      const answer = await fetch(`${codeHost.url}/repos/${path}`, { method, headers, body: JSON.stringify(body) });
      expect(answer.status).toBe(204);
    };
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "reachable-test-"));
      codeHost = await startPracticeCodeHost({ folder, token: everything, app, oauth });
      for (const name of ["acme/board", "acme/closed", "acme/hidden", "acme/read", "lone/closed", "other/site"])
        await codeHost.createRepository(name, { "README.md": "# Hello\n" });
      codeHost.makePublic("other/site");
      token = await signInAt(codeHost);
      await change("DELETE", "acme/closed/installation");
      await change("DELETE", "lone/closed/installation");
      await change("DELETE", "acme/hidden/collaborators/grace-hopper");
      await change("PUT", "acme/read/collaborators/grace-hopper", { permission: "pull" });
    });
    afterAll(async () => {
      await codeHost.close();
      await rm(folder, { recursive: true, force: true });
    });

    test("are those that she sees and in which the app is installed", async () => {
      const of = { defaultBranch: "main", pushedAt: expect.any(Number) };
      expect(await list(codeHost.url, token)).toEqual([
        { ...of, repository: "acme/board", isPrivate: true, mayPush: true },
        { ...of, repository: "acme/read", isPrivate: true, mayPush: false },
        { ...of, repository: "other/site", isPrivate: false, mayPush: true },
      ]);
    });

    test("are listed by no other credential", async () => {
      expect(await list(codeHost.url, everything)).toMatchObject({ code: "NOT_FOUND" });
      expect(await list(codeHost.url, "made-up")).toBe(lapsed);
    });

    test("have the repository of the real code host, as that describes it", async () => {
      const hosted = { name: "real/board", id: 7, apiUrl: "", gitUrl: codeHost.url, token: everything };
      const real = createServer((request, answer) => {
        const isAsked = request.url === "/repos/real/board" && request.headers.authorization === `Bearer ${everything}`;
        const described = {
          full_name: "real/board",
          default_branch: "trunk",
          private: false,
          permissions: { push: true },
        };
        answer.writeHead(isAsked ? 200 : 404).end(JSON.stringify(described));
      }).listen(0, "127.0.0.1");
      await once(real, "listening");
      hosted.apiUrl = `http://127.0.0.1:${(real.address() as AddressInfo).port}`;
      const local = await startPracticeCodeHost({
        folder: join(folder, "local"),
        token: "its-own",
        app,
        oauth,
        hosted,
      });
      expect(await list(local.url, await signInAt(local))).toEqual([
        { repository: "real/board", defaultBranch: "trunk", isPrivate: false, mayPush: true, pushedAt: null },
      ]);
      await local.close();
      real.close();
    });

    test("have fields that GitHub's examples have too", async () => {
      const read = async (path: string) =>
        await (await fetch(codeHost.url + path, { headers: { authorization: `Bearer ${token}` } })).json();
      const { installations: own } = (await read(installations)) as { installations: { id: number }[] };
      for (const [described, path] of [
        [installations, installations],
        [ofInstallation, `${installations}/${own[0]?.id}/repositories`],
      ] as const)
        expect(describeFields(getExample(described))).toMatchObject(describeFields(await read(path)) as object);
      expect(await read(`${installations}/1/repositories`)).toEqual({ message: "Not Found" });
    });
  });

  describe("the repositories that a person and the app reach at GitHub", () => {
    type Answer = (path: string, answer: ServerResponse) => unknown;

    /** Reads the list of a code host. Returns it with the paths of its calls. */
    async function readFrom(getAnswer: Answer, token = "token") {
      const paths: string[] = [];
      const host = createServer((request, answer) => {
        const { pathname } = new URL(request.url ?? "", "http://host");
        paths.push(request.url ?? "");
        const body = getAnswer(pathname, answer);
        if (!answer.writableEnded) answer.end(JSON.stringify(body));
      }).listen(0, "127.0.0.1");
      await once(host, "listening");
      const found = await list(`http://127.0.0.1:${(host.address() as AddressInfo).port}`, token);
      host.close();
      return { found, paths };
    }
    const repository = (number: number) => ({
      ...{ full_name: `acme/r${number}`, default_branch: "main", private: true, archived: number === 1 },
      ...{ pushed_at: null, permissions: { push: true } },
    });
    const full = (total: number) => ({ total_count: total, repositories: [repository(1), repository(2)] });
    const installed = (...ids: number[]) => ({ installations: ids.map((id) => ({ id, suspended_at: null })) });
    const fail = (answer: ServerResponse, status: number, headers = {}) =>
      answer.writeHead(status, headers).end(`{"message":"No."}`);

    test("are read from its examples", async () => {
      const { found, paths } = await readFrom((path) => getExample(path === installations ? path : ofInstallation));
      const hello = { repository: "octocat/Hello-World", defaultBranch: "master", isPrivate: false, mayPush: false };
      const pushedAt = Date.UTC(2011, 0, 26, 19, 6, 43);
      expect(found).toEqual([1, 2].map(() => ({ ...hello, pushedAt })));
      expect(paths.map((path) => path.split("?")[0]).sort()).toEqual([
        installations,
        `${installations}/1/repositories`,
        `${installations}/3/repositories`,
      ]);
    });

    test("have all pages, and an archived one takes no push", async () => {
      const { found, paths } = await readFrom((path) => (path === installations ? installed(1) : full(250)));
      expect(paths.length).toBe(4);
      expect(found).toMatchObject([1, 2, 3].flatMap(() => [{ mayPush: false, pushedAt: null }, { mayPush: true }]));
    });

    test.each([
      ["many repositories", [1, 2], 1_000_000],
      ["many installations", Array.from({ length: 100 }, (_, id) => id), 500],
    ])("are read with 21 calls at most, of %s", async (_, ids, total) => {
      const { found, paths } = await readFrom((path) => (path === installations ? installed(...ids) : full(total)));
      expect([paths.length, new Set(paths).size]).toEqual([21, 21]);
      expect(found).toHaveLength(40);
    });

    test("leave out installations that are suspended, removed or closed to the person", async () => {
      const { found, paths } = await readFrom((path, answer) => {
        if (path === installations)
          return {
            installations: [{ id: 9, suspended_at: "2026-01-01T00:00:00Z" }, ...installed(1, 2, 3).installations],
          };
        const status = path.includes("/1/") ? 404 : path.includes("/2/") ? 403 : 200;
        return status === 200 ? full(2) : fail(answer, status);
      });
      expect(found).toHaveLength(2);
      expect(paths.filter((path) => path.includes("/9/"))).toEqual([]);
    });

    test.each([
      ["a token without the app", 403, {}, noAccess],
      ["a token that is revoked", 401, {}, lapsed],
      ["a rate limit", 403, { "retry-after": "90" }, { code: "SERVICE_UNAVAILABLE", retryAfterSeconds: 90 }],
      ["a fault", 500, {}, { code: "SERVICE_UNAVAILABLE" }],
    ])("are refused with %s", async (_, status, headers, refusal) => {
      const { found } = await readFrom((__, answer) => fail(answer, status, headers));
      expect(found).toMatchObject(refusal);
      const { found: later } = await readFrom((path, answer) =>
        path === installations ? installed(1) : fail(answer, status, headers),
      );
      expect(later).toEqual(refusal === noAccess ? [] : expect.objectContaining(refusal));
    });
  });
}
