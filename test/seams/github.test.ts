// The GitHub adapter on the practice code host, and without a code host.
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { startPracticeCodeHost } from "../../practice/code-host/practice-code-host.ts";
import { createCodeHost } from "../../src/code-host/code-host.ts";
import { issueInstallationToken } from "../../src/code-host/github/app.ts";
import { getGraphqlUrl, noAccess } from "../../src/code-host/github/call.ts";
import { createGithub, type GithubSettings } from "../../src/code-host/github/github.ts";
import { createTokenCache, type TokenSource } from "../../src/lib/cached-token.ts";
import type { RepositoryRef } from "../../src/project/rules/repository.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import { git } from "../support/git.ts";
import { unreachableUrl } from "../support/unreachable.ts";
import { codeHostContract, type OpenedCodeHost } from "./code-host.ts";
import { reachableContract } from "./code-host-reachable.ts";
import { reviewContract } from "./code-host-review.ts";
import { signInContract } from "./code-host-sign-in.ts";
import { holdAgainstGithub, operationsInUse, type SentRequest } from "./github-operations.ts";

const token = "code-host-token";
const appId = "1001";
const newAppKey = () =>
  generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey.export({ type: "pkcs1", format: "pem" }).toString();
const appKey = newAppKey();
const repository = "acme/board";
type Answer = { number: number; title: string; body: string };

/** A server that accepts requests and never answers. */
async function startSilence() {
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

/** A cached token for each repository, as in their objects. */
function openTokens(issue: (repository: string) => ReturnType<TokenSource["issue"]>): GithubSettings["tokenFor"] {
  const of = new Map<string, ReturnType<typeof createTokenCache>>();
  return async (repository, refused) => {
    const issuing = { issue: () => issue(repository), load: async () => null, store: async () => {} };
    const source = { ...issuing, now: Date.now, marginMs: 0 };
    const tokens = of.get(repository) ?? createTokenCache(source);
    of.set(repository, tokens);
    return await tokens(refused);
  };
}

/**
 * The adapter's REST requests. The description does not contain GraphQL and the exchange of codes.
 */
const sent: SentRequest[] = [];
const send = globalThis.fetch;
vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
  const { pathname, search } = new URL(String(input));
  const isOurs =
    new Headers(init?.headers).get("user-agent") === "switchyard" && !/^\/(graphql$|login\/)/.test(pathname);
  const body = isOurs && init?.body !== undefined ? JSON.parse(String(init.body)) : undefined;
  if (isOurs) sent.push({ method: init?.method ?? "GET", path: pathname + search, body });
  return await send(input, init);
});
afterAll(() => vi.restoreAllMocks());

/** The ways of authorization: the operator's token or an app's, both accepted or refused. */
const ways: Record<"a token" | "an app", (apiUrl: string, isTaken: boolean, waitMs?: number) => GithubSettings> = {
  "a token": (apiUrl, isTaken, waitMs = 10_000) => ({
    apiUrl,
    waitMs,
    tokenFor: async (_, refused) => (refused === undefined ? (isTaken ? token : "another") : noAccess),
  }),
  "an app": (apiUrl, isTaken, waitMs = 10_000) => {
    const settings = { apiUrl, appId, privateKey: isTaken ? appKey : newAppKey(), waitMs };
    return {
      apiUrl,
      waitMs,
      tokenFor: openTokens((name) =>
        issueInstallationToken(settings, { repository: name, installationId: null, repositoryId: null }),
      ),
    };
  },
};

/** A practice code host that forwards the requests of the repository. */
async function startRelay(folder: string, to: string) {
  const answer = await fetch(`${to}/repos/${repository}`, { headers: { authorization: `Bearer ${token}` } });
  const { id } = (await answer.json()) as { id: number };
  const hosted = { name: repository, id, apiUrl: to, gitUrl: to, token };
  return await startPracticeCodeHost({ folder, token: "its-own", app: { id: appId, key: appKey }, hosted });
}

async function openPracticeHost(by: keyof typeof ways, isRelayed = false): Promise<OpenedCodeHost> {
  const folder = await mkdtemp(join(tmpdir(), "code-host-test-"));
  const codeHost = await startPracticeCodeHost({ folder, token, app: { id: appId, key: appKey } });
  await codeHost.createRepository(repository, { "README.md": "# Board\n" });
  const relay = isRelayed ? await startRelay(join(folder, "relay"), codeHost.url) : null;
  const { url } = relay ?? codeHost;
  const way = ways[by];
  const silence = await startSilence();

  const call = <Wanted = Answer>(method: string, path: string, body?: unknown) =>
    ask<Wanted>(method, `/pulls${path}`, body);
  async function ask<Wanted>(method: string, path: string, body?: unknown): Promise<Wanted> {
    const answer = await fetch(`${codeHost.url}/repos/${repository}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(answer.ok).toBe(true);
    return (await answer.json()) as Wanted;
  }

  let opened = 0;
  return {
    host: createGithub(way(url, true)),
    repository,
    unreachable: createGithub(way(unreachableUrl, true)),
    silent: createGithub(way(silence.url, true, 50)),
    shutOut: createGithub(way(url, false)),
    async openPullRequest(draft) {
      opened += 1;
      return (await call("POST", "", { title: "A change", head: `topic-${opened}`, base: "main", draft })).number;
    },
    async makeBranch(behindBy, aheadBy) {
      const bare = ["--git-dir", join(folder, "repositories", `${repository}.git`)];
      const at = async (...args: string[]) => (await git(folder, [...bare, ...args])).stdout;
      const grow = async (what: string, count: number) => {
        let head = await at("rev-parse", "main");
        for (let made = 0; made < count; made++)
          head = await at(
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@a",
            "commit-tree",
            `${head}^{tree}`,
            "-p",
            head,
            "-m",
            `${what} ${made}`,
          );
        return head;
      };
      const branch = "topic/with#sign";
      await at("update-ref", `refs/heads/${branch}`, await grow("ahead", aheadBy));
      await at("update-ref", "refs/heads/main", await grow("behind", behindBy));
      return branch;
    },
    setStatus: async (sha, context, state) => void (await ask("POST", `/statuses/${sha}`, { context, state })),
    async reportRun(head_sha, name, conclusion, output) {
      await ask("POST", "/check-runs", { head_sha, name, ...(conclusion === null ? {} : { conclusion }), output });
    },
    async readCommit(branch) {
      const bare = join(folder, "repositories", `${repository}.git`);
      return (await git(folder, ["--git-dir", bare, "rev-parse", branch])).stdout.trim();
    },
    async readReviewers(number) {
      const asked = await ask<{ users: { login: string }[] }>("GET", `/pulls/${number}/requested_reviewers`);
      return asked.users.map(({ login }) => login);
    },
    async askForChanges(number, user, comments) {
      await call("POST", `/${number}/reviews`, { user, event: "REQUEST_CHANGES", body: "Almost.", comments });
      // The practice code host numbers the reviews of a pull request.
      return (await call<unknown[]>("GET", `/${number}/reviews`)).length;
    },
    approve: async (number, user) => void (await call("POST", `/${number}/reviews`, { user, event: "APPROVE" })),
    async readText(number) {
      const { title, body } = await call("GET", `/${number}`);
      return { title, body };
    },
    merge: async (number) => void (await call("PUT", `/${number}/merge`)),
    closePullRequest: async (number) => void (await call("PATCH", `/${number}`, { state: "closed" })),
    async close() {
      await Promise.all([codeHost.close(), relay?.close(), silence.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

for (const by of ["a token", "an app"] as const) {
  codeHostContract(`The practice code host, opened by ${by},`, () => openPracticeHost(by));
  reviewContract(`The practice code host, opened by ${by},`, () => openPracticeHost(by));
}

codeHostContract("A repository of the real host, through the practice code host,", () =>
  openPracticeHost("an app", true),
);
reviewContract("A repository of the real host, through the practice code host,", () =>
  openPracticeHost("an app", true),
);

test("a token by id accesses a repository under its new name, and not a new one under the old name", async () => {
  const folder = await mkdtemp(join(tmpdir(), "code-host-test-"));
  const codeHost = await startPracticeCodeHost({ folder, token, app: { id: appId, key: appKey } });
  const change = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(codeHost.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    expect(answer.ok).toBe(true);
  };
  await codeHost.createRepository(repository, { "README.md": "# Board\n" });
  const settings = { apiUrl: codeHost.url, appId, privateKey: appKey };
  const issue = async (ref: RepositoryRef) => {
    const issued = await issueInstallationToken(settings, ref);
    if (isRefusal(issued)) return { refused: issued.code, opens: ref, read: async () => issued.code };
    const { token: own, opens } = issued;
    const host = createGithub({ apiUrl: codeHost.url, tokenFor: async () => own });
    const read = async (name: string) => {
      const found = await host.readRepository(name);
      return isRefusal(found) ? found.code : found.repositoryId;
    };
    return { refused: null, opens: opens ?? ref, read };
  };
  const { opens } = await issue({ repository, installationId: null, repositoryId: null });
  expect(opens).toEqual({ repository, installationId: expect.any(Number), repositoryId: expect.any(Number) });

  await change("PATCH", `/repos/${repository}`, { name: "renamed" });
  await codeHost.createRepository(repository, { "README.md": "# Another\n" });
  const bound = await issue(opens);
  expect(bound.opens).toEqual({ ...opens, repository: "acme/renamed" });
  expect([await bound.read("acme/renamed"), await bound.read(repository)]).toEqual([opens.repositoryId, "NOT_FOUND"]);

  await change("DELETE", "/repos/acme/renamed");
  await codeHost.createRepository("acme/renamed", {});
  expect((await issue(bound.opens)).refused).toBe("NOT_FOUND");
  await codeHost.close();
  await rm(folder, { recursive: true, force: true });
});

signInContract();
reachableContract();

test("without a credential, every call is refused with the reason", async () => {
  const none = createCodeHost(
    { CODE_HOST_API_URL: "http://127.0.0.1:1", CODE_HOST_TOKEN: "" } as Parameters<typeof createCodeHost>[0],
    { repository, installationId: null, repositoryId: null },
  );
  for (const call of ["readPullRequest", "markReady", "markDraft"] as const) {
    const refusal = await none[call](repository, 1);
    expect(refusal).toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      message: "The service has no access to a code host. The operator of the service has to set it up.",
    });
  }
  const compared = await none.compareBranches(repository, "main", "topic");
  expect(compared).toMatchObject({
    code: "SERVICE_UNAVAILABLE",
    message: "The service has no access to a code host. The operator of the service has to set it up.",
  });
});

test.each<[string, string[], (string | undefined)[], string | null]>([
  ["only squash merges", ["Merge commits"], [undefined, "squash"], null],
  ["only rebase merges", ["Merge commits", "Squash merges"], [undefined, "squash", "rebase"], null],
  ["no merge now", ["Changes"], [undefined], "BAD_REQUEST"],
])("a repository with %s is asked to merge in another way until it allows one", async (_, refused, methods, code) => {
  const left = [...refused];
  const host = createServer(({ method }, answer) => {
    const what = method === "PUT" ? left.shift() : undefined;
    answer.writeHead(what ? 405 : 200, { "content-type": "application/json" });
    answer.end(JSON.stringify(what ? { message: `${what} are not allowed on this repository.` } : { state: "open" }));
  }).listen(0, "127.0.0.1");
  await once(host, "listening");
  const { port } = host.address() as AddressInfo;
  const { mergePullRequest } = createGithub({ apiUrl: `http://127.0.0.1:${port}`, tokenFor: async () => token });
  const first = sent.length;
  const sha = "a".repeat(40);
  const refusal = await mergePullRequest(repository, 7, sha);
  host.close();
  expect(refusal?.code ?? null).toBe(code);
  const bodies = sent.slice(first).flatMap(({ method, body }) => (method === "PUT" ? [body] : []));
  expect(bodies).toEqual(methods.map((merge_method) => (merge_method === undefined ? { sha } : { sha, merge_method })));
});

test("every request of the tests above matches GitHub's description, and every operation in use was called", () => {
  const held = sent.map((request) => ({ request, ...holdAgainstGithub(request) }));
  expect(held.filter(({ problems }) => problems.length > 0)).toEqual([]);
  expect([...new Set(held.map(({ operation }) => operation))].sort()).toEqual(operationsInUse.sort());
});

test("the GraphQL URL is next to the REST API of an Enterprise Server, and below that of github.com", () => {
  expect(getGraphqlUrl("https://code.acme.example/api/v3")).toBe("https://code.acme.example/api/graphql");
  expect(getGraphqlUrl("https://api.github.com")).toBe("https://api.github.com/graphql");
});

test("a request that does not match GitHub's description is reported", () => {
  const pulls = "/repos/acme/board/pulls";
  const wish = { title: "A", head: "b", base: "main", draft: true };
  const wrong: SentRequest[] = [
    { method: "DELETE", path: pulls, body: undefined },
    { method: "GET", path: `${pulls}/seven`, body: undefined },
    { method: "GET", path: `${pulls}?state=merged`, body: undefined },
    { method: "GET", path: `${pulls}?branch=b`, body: undefined },
    { method: "POST", path: pulls, body: { ...wish, draft: "yes" } },
    { method: "POST", path: pulls, body: { ...wish, reviewers: [] } },
    { method: "POST", path: pulls, body: { title: "A" } },
    { method: "PATCH", path: `${pulls}/7`, body: { state: "merged" } },
  ];
  for (const request of wrong) expect([request, holdAgainstGithub(request).problems.length]).toEqual([request, 1]);
  expect(holdAgainstGithub({ method: "POST", path: pulls, body: wish }).problems).toEqual([]);
});
