// One's own repository by `npm start -- --repo PATH`: a project beside the demo one, worked on in
// sessions, fetched in one's folder.
import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startPracticeCodeHost } from "../../practice/code-host/practice-code-host.ts";
import { claimFreePort } from "../../practice/free-port.ts";
import { startPracticeProvider } from "../../practice/model-provider/provider.ts";
import { createClient, script } from "../support/client.ts";
import { git as runGit } from "../support/git.ts";
import { readCommand } from "../support/process-tree.ts";
import { createWorld, type RunningWorld, tryToStart } from "../support/running-world.ts";

let world: RunningWorld;
let folder: string;
beforeAll(async () => {
  world = await createWorld();
  folder = join(world.stateDir, "tmp", "letterbox");
  await mkdir(folder);
  await git("init", "--quiet");
  await commit("server.js", "export {};\n");
  await commit("package.json", JSON.stringify({ scripts: { dev: "node --watch server.js" } }));
});
afterAll(async () => world?.remove());

async function git(...args: string[]): Promise<string> {
  const named = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=trunk"];
  const { exitCode, stdout, stderr } = await runGit(folder, [...named, ...args]);
  expect(`${exitCode} ${exitCode === 0 ? "" : stderr}`).toBe("0 ");
  return stdout;
}

async function commit(file: string, content: string): Promise<string> {
  await writeFile(join(folder, file), content);
  await git("add", "--all");
  await git("commit", "--quiet", "-m", file);
  return await git("rev-parse", "HEAD");
}

/** The project that the welcome exports, beside the demo one of the address. */
async function ownProject(welcome: string) {
  const [, projectId = ""] = /export PROJECT=(\S+)/.exec(welcome) ?? [];
  expect(projectId).not.toBe(world.address().projectId);
  return { ...world.address(), projectId };
}

test("a session works on it, and its push is fetched in the folder; a later start imports newer commits", async () => {
  const config = await readFile(join(folder, ".git/config"), "utf8");
  const welcome = await world.start("npm", { flags: ["--repo", folder] });
  expect(welcome).toContain(`Bringing in ${folder} …`);
  expect(welcome).toContain("web: npm run dev  (package.json: its script dev runs a server)");
  expect(welcome).toContain("own/letterbox at the practice code host. Sessions start from its branch trunk.");
  expect(await readFile(join(folder, ".git/config"), "utf8")).toBe(config);
  const own = await ownProject(welcome);
  const owner = createClient(own);
  const { path, jobId } = await owner.createSession({
    content: script({ write: { path: "letter.txt", content: "Dear all\n" } }, { bash: "ls" }, { say: "Done." }),
  });
  expect(await owner.jobUntil(path, jobId)).toMatchObject({ status: "completed" });
  expect(JSON.stringify(await owner.messages(path))).toContain("server.js");
  expect(await owner.post(`${path}/preview/git/commit`, { message: "A letter" })).toMatchObject({ status: 200 });
  expect(await owner.post(`${path}/preview/git/push`)).toMatchObject({ status: 200 });
  const [, command = ""] = /^To fetch what sessions push: {2}git -C \S+ (remote add .*) && /m.exec(welcome) ?? [];
  await git(...command.split(" "));
  await git("fetch", "--quiet", "switchyard");
  const branches = (await git("for-each-ref", "--format=%(refname:short)", "refs/remotes/switchyard")).split("\n");
  const [branch = ""] = branches.filter((one) => one !== "switchyard/trunk");
  expect(await git("show", `${branch}:letter.txt`)).toBe("Dear all");

  await world.interrupt();
  const newer = await commit("newer.txt", "newer\n");
  const again = await world.start("npm", { flags: ["--repo", folder] });
  expect(again).toContain("Newer commits came in: trunk.");
  expect(again).not.toContain("Proposed");
  expect((await ownProject(again)).projectId).toBe(own.projectId);
  await git("fetch", "--quiet", "switchyard");
  expect(await git("rev-parse", "switchyard/trunk")).toBe(newer);
  expect(await git("show", `${branch}:letter.txt`)).toBe("Dear all");
});

test("the user's own token accesses a repository of the code host, their own key runs the model, and both stay in the process", async () => {
  await world.interrupt();
  const [token, apiKey] = ["ghp_one_s_own_token", "sk-ant-one-s-own-key"];
  const envFile = join(world.stateDir, "tmp", "own.env");
  const gateway = await startGateway(apiKey);
  const host = await startPracticeCodeHost({ folder: join(world.stateDir, "host"), token });
  try {
    await host.createRepository("acme/letters", { "README.md": "# Letters\n", Procfile: "web: ./serve\n" });
    await writeFile(envFile, `ANTHROPIC_API_KEY=${apiKey}\nANTHROPIC_BASE_URL=${gateway.url}\n`);
    const github = { GITHUB_TOKEN: token, GITHUB_API_URL: host.url, GITHUB_SERVER_URL: host.url };
    const welcome = await world.start("npm", {
      flags: ["--repo", "acme/letters", "--without-walls"],
      env: { ...github, ENV_FILE: envFile },
    });
    expect(welcome).toContain("The models of Anthropic are the real ones, paid with your key.");
    expect(welcome).toContain("acme/letters is on the code host. Sessions start from its branch main, and push there.");
    expect(welcome).toContain("web: ./serve  (Procfile: its line web)");
    const owner = createClient(await ownProject(welcome));
    const steps = script({ write: { path: "letter.txt", content: "Dear all\n" } }, { bash: "env" }, { say: "Done." });
    const { path, jobId } = await owner.createSession({ content: steps });
    expect(await owner.jobUntil(path, jobId)).toMatchObject({ status: "completed" });
    expect(await owner.post(`${path}/preview/git/commit`, { message: "A letter" })).toMatchObject({ status: 200 });
    expect(await owner.post(`${path}/preview/git/push`)).toMatchObject({ status: 200 });
    const opened = await owner.send(path, "/svc:open-pr");
    expect(await owner.jobUntil(path, opened.body.data.chatJobId)).toMatchObject({ status: "completed" });
    const { session } = (await owner.get(path)).body.data;
    expect(session.prUrl).toBe(`${host.url}/acme/letters/pull/1`);

    const [starter, ...started] = world.processes().filter((one) => !/npm|setup\.mjs/.test(readCommand(one)));
    expect(starter && readCommand(starter)).toContain("scripts/start.ts");
    expect(started.length).toBeGreaterThan(1);
    const environments = started.map(({ id }) => readFile(`/proc/${id}/environ`, "utf8").catch(() => ""));
    const models: { provider: string; label: string }[] = (await owner.get("/api/models")).body.data;
    const practice = new Set(models.filter(({ label }) => label.includes("practice")).map(({ provider }) => provider));
    expect([...practice]).toEqual(["openai", "zai", "kimi"]);
    expect(gateway.calls()).toBeGreaterThan(2);
    const asOwner = { method: "POST", body: JSON.stringify({ userId: "usr_owner" }) };
    expect((await fetch(`http://localhost:${world.port}/dev/sign-in`, asOwner)).status).toBe(404);

    const told = JSON.stringify([await Promise.all(environments), await owner.messages(path), welcome]);
    const places = [".", ":!host", ":!tmp/own.env"];
    for (const secret of [token, apiKey]) {
      expect(told).not.toContain(secret);
      const kept = await runGit(world.stateDir, ["grep", "--no-index", "-l", "-a", secret, "--", ...places]);
      expect(kept).toEqual({ exitCode: 1, stdout: "", stderr: "" });
    }
  } finally {
    await Promise.all([host.close(), gateway.close()]);
  }
});

/** A gateway in front of a provider, which takes one key and calls the provider with its own. */
async function startGateway(apiKey: string) {
  const provider = await startPracticeProvider();
  let calls = 0;
  const server = createServer(async (request, response) => {
    calls += 1;
    const isTaken = request.headers["x-api-key"] === apiKey;
    const answer = await fetch(`${provider.url}/anthropic${request.url}`, {
      method: request.method ?? "GET",
      headers: { "content-type": "application/json", "x-api-key": isTaken ? "sk-practice-gateway" : "wrong" },
      body: await text(request),
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => calls,
    async close() {
      server.closeAllConnections();
      await Promise.all([provider.close(), new Promise((closed) => server.close(closed))]);
    },
  };
}

test("a key on a machine without walls is refused in plain words, without the key", async () => {
  const path = join(world.stateDir, "tmp", "bin");
  await mkdir(path);
  const [, gitFile = ""] = /^(\S+)/.exec((await promisify(execFile)("which", ["git"])).stdout) ?? [];
  await symlink(gitFile, join(path, "git"));
  const end = await tryToStart({
    port: await claimFreePort(),
    stateDir: world.stateDir,
    by: "setup",
    path,
    env: { OPENAI_API_KEY: "sk-one-s-own" },
  });
  expect(end.output).toContain("OPENAI_API_KEY: with real credentials, agents need walls.");
  expect(end.output).not.toContain("sk-one-s-own");
  expect(end.exitCode).toBe(1);
});

test.each([
  [["--repo", "/dev/null"], "/dev/null is no folder.\n"],
  [
    ["--repo", "acme/letters"],
    "There is no folder acme/letters. To work on that repository of the code host, set GITHUB_TOKEN.\n",
  ],
  [["--report"], 'npm start has no option "--report".'],
])("%j is refused in plain words", async (flags, message) => {
  const end = await tryToStart({
    port: await claimFreePort(),
    stateDir: `${world.stateDir}/other`,
    by: "setup",
    flags,
  });
  expect(end.output).toContain(message);
  expect(end.exitCode).toBe(1);
});
