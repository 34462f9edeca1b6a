// The code host token object: one token for a repository, for every caller and over every
// eviction.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { getCodeHostTokenObject } from "../../../durable-objects/address.ts";
import { createCodeHost, getGitRemote } from "../../../src/code-host/code-host.ts";
import { forwardGit } from "../../../src/code-host/git/forward.ts";
import type { RepositoryRef } from "../../../src/project/rules/repository.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { drawAppKey } from "../support/app-key.ts";
import { standIn } from "../support/outside.ts";

let issued = 0;
let repository: RepositoryRef;
/** Also the name of the test's repository. */
let mark: string;
const asked: string[] = [];
/** The requests for tokens, and the host's response to each token. */
const bodies: unknown[] = [];
let told: object;
/** The code host's responses to questions about a repository. */
let atHost: (request: Request) => Response | Promise<Response>;
const access = () => getCodeHostTokenObject(env, repository);

/** The other tests have no app, and share the settings: only this object gets others. */
async function setUpApp(): Promise<void> {
  const app = { CODE_HOST_APP_ID: "1001", CODE_HOST_APP_PRIVATE_KEY: await drawAppKey() };
  await runInDurableObject(access(), (object) => void Object.assign(object, { env: { ...env, ...app } }));
}

beforeEach(async () => {
  issued = 0;
  asked.length = 0;
  bodies.length = 0;
  told = {};
  mark = crypto.randomUUID();
  repository = { repository: `acme/${mark}`, installationId: null, repositoryId: null };
  await setUpApp();
  return standIn("http://code-host.test/", async (request) => {
    const text = request.method === "POST" ? await request.clone().text() : "";
    const { repositoryId } = repository;
    const isOurs = [request.url, text].some((part) => part.toLowerCase().includes(mark));
    // Objects of earlier test files still request theirs.
    if (!isOurs && (repositoryId === null || !text.includes(String(repositoryId))))
      return Response.json({ message: "Not Found" }, { status: 404 });
    asked.push(`${request.method} ${new URL(request.url).pathname}`);
    await scheduler.wait(10);
    if (/\/(branches|compare|info)\//.test(request.url)) return await atHost(request);
    if (request.url.endsWith("/installation")) return Response.json({ id: 7 });
    const body = JSON.parse(text);
    issued += 1;
    bodies.push(body);
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    return Response.json({ token: `ghs_${issued}`, expires_at, ...told }, { status: 201 });
  });
});

test("twenty concurrent calls share one token, also after an eviction", async () => {
  const tokens = await Promise.all(Array.from({ length: 20 }, () => access().token(repository)));
  expect(tokens).toEqual(Array(20).fill("ghs_1"));
  await evictDurableObject(access());
  expect(await access().token(repository)).toBe("ghs_1");
  expect(asked).toEqual([
    `GET /repos/${repository.repository}/installation`,
    "POST /app/installations/7/access_tokens",
  ]);
});

test("a token that the code host refuses is not returned again", async () => {
  await access().token(repository);
  const renewed = await Promise.all(Array.from({ length: 20 }, () => access().token(repository, "ghs_1")));
  expect(renewed).toEqual(Array(20).fill("ghs_2"));
  await evictDurableObject(access());
  expect(await access().token(repository, "ghs_1")).toBe("ghs_2");
});

test("a token is stored sealed", async () => {
  await access().token(repository);
  const kept = await runInDurableObject(access(), (_, state) => [...state.storage.kv.list()]);
  expect(kept).toHaveLength(1);
  expect(JSON.stringify(kept)).not.toContain("ghs_");
});

const called = (id: number, name: string) => ({ repositories: [{ id, full_name: name }] });

async function insertProject(ref: RepositoryRef): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO projects (id, workspace_id, name, repository, installation_id, repository_id, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
     VALUES (?1, 'ws', 'P', ?1, ?2, ?3, 'main', 'idle', '{}', 'm', 0, 0)`,
  )
    .bind(ref.repository, ref.installationId, ref.repositoryId)
    .run();
}
const readRef = (id: string) =>
  env.DB.prepare(
    "SELECT repository, installation_id AS installationId, repository_id AS repositoryId FROM projects WHERE id = ?1",
  )
    .bind(id)
    .first<RepositoryRef>();

test("a project whose ids are not known gets them from the code host, once", async () => {
  const { repository: name } = repository;
  await insertProject(repository);
  told = called(42, name);
  await access().token({ ...repository, repository: name.toUpperCase().replace("ACME", "Acme") });
  expect(bodies).toEqual([{ repositories: [expect.any(String)] }]);
  expect(await readRef(name)).toEqual({ repository: name, installationId: 7, repositoryId: 42 });
  told = called(43, name);
  await access().token(repository, "ghs_1");
  expect(await readRef(name)).toMatchObject({ repositoryId: 42 });
});

test("a repository is accessed by its id and installation, and its new name is recorded", async () => {
  const { repository: name } = repository;
  const repositoryId = Math.floor(Math.random() * 1e9);
  repository = { repository: name, installationId: 8, repositoryId };
  await setUpApp();
  await insertProject(repository);
  told = called(repositoryId, `${name}-renamed`);
  await access().token(repository);
  expect(asked).toEqual(["POST /app/installations/8/access_tokens"]);
  expect(bodies).toEqual([{ repository_ids: [repositoryId] }]);
  expect(await readRef(name)).toEqual({ repository: `${name}-renamed`, installationId: 8, repositoryId });
});

describe("a repository that was renamed without a notice to the service", () => {
  const app = { CODE_HOST_API_URL: "http://code-host.test", CODE_HOST_APP_ID: "1001", CODE_HOST_APP_PRIVATE_KEY: "-" };
  const settings = () => ({ ...env, ...app, CODE_HOST_GIT_URL: "http://code-host.test" });

  beforeEach(async () => {
    const { repository: name } = repository;
    const repositoryId = Math.floor(Math.random() * 1e9);
    repository = { repository: name, installationId: 8, repositoryId };
    await setUpApp();
    await insertProject(repository);
    told = called(repositoryId, name);
    await access().token(repository);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    told = called(repositoryId, `${name}-renamed`);
    atHost = ({ url }) => (url.includes("-renamed") ? Response.json({}) : new Response("{}", { status: 404 }));
  });

  afterEach(() => void vi.useRealTimers());

  test("is asked for its branches under its new name, which the project gets", async () => {
    const { repository: name } = repository;
    const host = createCodeHost(settings(), repository);
    expect(await host.hasBranch(name, "main")).toBe(true);
    expect((await readRef(name))?.repository).toBe(`${name}-renamed`);
  });

  test("is fetched from under its new name", async () => {
    const remote = await getGitRemote(settings(), repository);
    if (isRefusal(remote)) throw new Error(remote.message);
    const asked = {
      method: "GET" as const,
      path: "info/refs?service=git-upload-pack",
      headers: new Headers(),
      body: null,
    };
    const answer = await forwardGit(remote, asked);
    expect(answer.status).toBe(200);
    await answer.body?.cancel();
  });

  test("does not create a missing branch there, and its name is looked up once", async () => {
    atHost = () => new Response("{}", { status: 404 });
    const host = createCodeHost(settings(), repository);
    for (const branch of ["a", "b", "c"]) expect(await host.hasBranch(repository.repository, branch)).toBe(false);
    expect(bodies).toHaveLength(2);
  });
});

test("a token may change workflows only if the operator allows it", async () => {
  told = { permissions: { contents: "write", workflows: "write" } };
  expect(await access().token(repository)).toBe("ghs_2");
  expect(bodies.at(-1)).toMatchObject({ permissions: { contents: "write" } });
  expect(JSON.stringify(bodies)).not.toContain("workflows");
  await runInDurableObject(access(), (object) => {
    Object.assign((object as unknown as { env: object }).env, { CODE_HOST_WORKFLOWS: "on" });
  });
  expect(await access().token(repository, "ghs_2")).toBe("ghs_3");
  await runInDurableObject(access(), (object) => {
    Object.assign((object as unknown as { env: object }).env, { CODE_HOST_WORKFLOWS: "off" });
  });
});

test.each([
  "acme/../evil/board",
  "acme/..",
  "acme/board?x=1",
  "acme",
  "acme/board/pulls",
  "acme/b.git",
  "a%2fb/c",
  "-/b",
])("%s is not a name, and causes no request", async (name) => {
  expect(await access().token({ ...repository, repository: name })).toMatchObject({ code: "BAD_REQUEST" });
  expect(asked).toEqual([]);
});
