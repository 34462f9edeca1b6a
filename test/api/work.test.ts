// The work of a session as a git bundle, taken by a clone elsewhere and sent back.
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { workBundleBytes } from "../../src/rules/limits.ts";
import { apiWorld } from "../support/api-world.ts";
import { createClient, type OpenedSession, script } from "../support/client.ts";

const world = apiWorld();
const owner = createClient(world);
let session: OpenedSession;
let folder: string;
const git = (...args: string[]) =>
  execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
const bearer = { authorization: `Bearer ${world.users.owner.apiKey}` };
const address = (query = "") => `${world.baseUrl}${session.path}/preview/work${query}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "work-"));
  git("init", "--quiet");
  session = await owner.createSession({
    content: script({ write: { path: "untracked.txt", content: "from the agent\n" } }, { say: "Written." }),
  });
  expect((await owner.jobUntil(session.path, session.jobId)).status).toBe("completed");
});
afterAll(() => rm(folder, { recursive: true }));

/** Reads the work into the clone, and returns its id. */
async function take(): Promise<string> {
  const response = await fetch(address(), { headers: bearer });
  expect(response.headers.get("content-type")).toBe("application/x-git-bundle");
  await writeFile(join(folder, "work.bundle"), Buffer.from(await response.arrayBuffer()));
  git("fetch", "--quiet", "work.bundle", "+refs/switchyard/work:refs/switchyard/work");
  const id = git("rev-parse", "refs/switchyard/work");
  expect(response.headers.get("etag")).toBe(`"${id}"`);
  return id;
}

/** A bundle of other work over the same commits: one file has another content. */
async function change(id: string, content: string): Promise<{ bundle: Uint8Array<ArrayBuffer>; work: string }> {
  git("read-tree", id);
  await writeFile(join(folder, "content"), content);
  git("update-index", "--add", "--cacheinfo", `100644,${git("hash-object", "-w", "content")},untracked.txt`);
  const work = git(
    ...["-c", "user.name=A", "-c", "user.email=a@b.test"],
    ...["commit-tree", git("write-tree"), "-p", `${id}^1`, "-p", `${id}^2`, "-m", "work"],
  );
  git("update-ref", "refs/switchyard/work", work);
  git("bundle", "create", "--quiet", "out.bundle", "refs/switchyard/work", `^${id}^1`);
  return { bundle: new Uint8Array(await readFile(join(folder, "out.bundle"))), work };
}

const put = async (expected: string, body: BodyInit) => {
  const response = await fetch(address(`?expected=${expected}`), { method: "PUT", headers: bearer, body });
  return { status: response.status, body: await response.json() };
};

test("it is read with every file, and written back; the sender of older work is refused", async () => {
  const id = await take();
  expect(git("show", `${id}:untracked.txt`)).toBe("from the agent");
  expect(git("diff", "--name-only", `${id}^1`, `${id}^2`)).toBe("");
  const same = await fetch(address(`?known=${id}`), { headers: bearer });
  expect([same.status, same.headers.get("etag")]).toEqual([204, `"${id}"`]);

  const { bundle } = await change(id, "from a clone\n");
  const written = await put(id, bundle);
  expect(written).toEqual({
    status: 200,
    body: { data: { head: git("rev-parse", `${id}^1`), work: expect.any(String) } },
  });
  const read = await owner.get(`${session.path}/preview/files/content?path=untracked.txt`);
  expect(read.body.data.content).toBe("from a clone\n");

  expect(await put(id, bundle)).toMatchObject({ status: 409, body: { code: "CONFLICT" } });
  expect(await take()).toBe((written.body as { data: { work: string } }).data.work);
});

test.each<[what: string, expected: string, body: () => BodyInit, status: number, code: string]>([
  ["an id that is none", "main", () => "bundle", 400, "BAD_REQUEST"],
  ["what is no bundle", "", () => "bundle", 400, "BAD_REQUEST"],
  ["more than the limit", "", () => new Uint8Array(workBundleBytes + 1), 413, "PAYLOAD_TOO_LARGE"],
])("%s is refused", async (_, expected, body, status, code) => {
  const sent = await put(expected || (await take()), body());
  expect(sent).toMatchObject({ status, body: { code } });
});

test("a long bundle for a session without a sandbox gets its refusal", async () => {
  const { path } = await owner.createSession({ title: "Nothing yet" });
  const response = await fetch(`${world.baseUrl}${path}/preview/work?expected=${"0".repeat(40)}`, {
    ...{ method: "PUT", headers: bearer, body: new Uint8Array(30_000_000) },
  });
  expect([response.status, await response.json()]).toMatchObject([400, { code: "BAD_REQUEST" }]);
});

test("a paused sandbox has no work to read, and says how to wake it", async () => {
  const paused = await owner.createSession({ title: "Paused" });
  const { status, body } = await owner.get(`${paused.path}/preview/work`);
  expect({ status, code: body.code }).toEqual({ status: 400, code: "BAD_REQUEST" });
});
