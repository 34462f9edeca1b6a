// A base whose ignored folders are still being unpacked: an agent begins in its checkout, and
// nothing acts there before all of it is in place and verified.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { treeLines } from "../../support/tree-hash.ts";
import { until } from "../../support/until.ts";
import { type Program, secret, startProgram } from "../support/program.ts";
import { makeBase, restoreWork, saveWork, sendHalfOfBase, wake } from "../support/saved-work.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let fresh: Program;
const others: Program[] = [];
beforeEach(async () => {
  [world, fresh] = await Promise.all([startWorld(), startProgram()]);
  const packages = join(world.program.root, "project/node_modules/tool");
  mkdirSync(packages, { recursive: true });
  writeFileSync(join(world.program.root, "project/.gitignore"), "node_modules\n");
  writeFileSync(join(packages, "data"), randomBytes(8_000_000));
  writeFileSync(join(packages, "main"), "of the packages");
});
afterEach(async () => {
  await Promise.all([world?.end(), fresh?.remove(), ...others.splice(0).map((program) => program.remove())]);
});

const at = (program: Program, path: string) => join(program.root, "project", path);

/** Starts a turn in a program that is not the world's own. */
async function runTurn(program: Program, steps: unknown[]) {
  const turn = await world.newTurn(steps);
  expect((await program.call("POST", "/turns", turn.start)).status).toBe(202);
  return turn;
}

const checkOut = async (program: Program) =>
  expect((await program.call("PUT", "/checkout", { ...world.checkout, branch: "svc/early" })).status).toBe(200);

/** Waits until the turn's agent has called a tool. */
const toolCalled = ({ service }: Awaited<ReturnType<typeof runTurn>>) =>
  until("a call of a tool", () =>
    service.received.some(({ event }) => event.type === "block" && event.block.type === "tool"),
  );

test("an agent begins while packages are unpacked, and its tools wait for them", async () => {
  const base = await makeBase(world.program, "base-1");
  const { body, sendRest } = await sendHalfOfBase(fresh, base);
  await checkOut(fresh);
  expect(existsSync(at(fresh, "README.md"))).toBe(true);
  expect(existsSync(at(fresh, "node_modules/tool/main"))).toBe(false);

  const turn = await runTurn(fresh, [{ bash: "cat node_modules/tool/main > seen" }, { say: "done" }]);
  await toolCalled(turn);
  expect(existsSync(at(fresh, "seen"))).toBe(false);
  sendRest();
  expect(await body).toBe("null");
  expect(await turn.service.ended()).toEqual({ status: "completed" });
  expect(readFileSync(at(fresh, "seen"), "utf8")).toBe("of the packages");
});

test("a sandbox whose checkout came early saves only the differences, also of equal size and time, and wakes with them", async () => {
  const base = await makeBase(world.program, "base-1");
  const first = await sendHalfOfBase(fresh, base);
  await checkOut(fresh);
  first.sendRest();
  await first.body;
  for (const path of ["README.md", "node_modules/tool/main"]) {
    const { atime, mtime, size } = statSync(at(fresh, path));
    writeFileSync(at(fresh, path), "x".repeat(size));
    utimesSync(at(fresh, path), atime, mtime);
  }
  const before = treeLines(fresh.root);
  const work = await saveWork(fresh, "base-1");
  expect(work.length).toBeLessThan(20_000);

  const [early, whole] = [await startProgram(), await startProgram()];
  others.push(early, whole);
  expect((await restoreWork(early, work)).status).toBe(200);
  const again = await sendHalfOfBase(early, base, true);
  expect((await early.call("GET", "/status")).body).toMatchObject({ checkedOut: true });
  again.sendRest();
  await again.body;
  await wake(whole, work, base);
  expect(treeLines(early.root)).toEqual(before);
  expect(treeLines(whole.root)).toEqual(before);
  expect((await saveWork(early, "base-1")).length).toBeLessThan(20_000);
});

test("if the rest of a base is broken, the turn fails with the reason, no tool has run, and the sandbox ends", async () => {
  const base = await makeBase(world.program, "base-1");
  const { body, sendRest } = await sendHalfOfBase(fresh, base);
  await checkOut(fresh);
  const turn = await runTurn(fresh, [{ bash: "touch ../home/ran" }, { say: "done" }]);
  await toolCalled(turn);
  const rest = Buffer.from(base.subarray(base.length / 2));
  rest.writeUInt8(rest.readUInt8(rest.length - 1) ^ 1, rest.length - 1);
  sendRest(rest);
  expect(JSON.parse(await body)).toEqual({
    code: "ARCHIVE_UNREADABLE",
    message: "The archive is broken or incomplete.",
  });
  expect(await turn.service.ended()).toEqual({
    status: "failed",
    error: "The sandbox could not be restored. The archive is broken or incomplete.",
    errorCode: null,
  });
  await until("the end of the program", () => fresh.process.exitCode !== null);
  expect(existsSync(join(fresh.root, "home/ran"))).toBe(false);
});

test("a program whose base breaks off ends, although it is called again and again", async () => {
  const { breakOff } = await sendHalfOfBase(fresh, await makeBase(world.program, "base-1"));
  await checkOut(fresh);
  breakOff();
  await until("the end of the program", async () => {
    await fresh.call("PUT", "/services", { services: [], env: {} }).catch(() => null);
    return fresh.process.exitCode !== null;
  });
  const next = await startProgram({ root: fresh.root });
  others.push(next);
  expect((await next.call("GET", "/status")).body).toMatchObject({ checkedOut: false });
});

test("a second base waits for the rest of the first, and replaces it", async () => {
  const base = await makeBase(world.program, "base-1");
  const first = await sendHalfOfBase(fresh, base);
  const second = fresh.raw("/archive/base?beneathWork=false&early=true", {
    method: "PUT",
    headers: { authorization: `Bearer ${secret}` },
    body: base,
  });
  // A second archiver would have started before this call is served: both are done in order.
  await fresh.call("PUT", "/services", { services: [], env: {} });
  first.sendRest();
  expect(await first.body).toBe("null");
  expect(await (await second).text()).toBe("null");
  await checkOut(fresh);
  expect(readFileSync(at(fresh, "node_modules/tool/main"), "utf8")).toBe("of the packages");
});

test("a program that is killed while packages are unpacked starts with an empty sandbox", async () => {
  const base = await makeBase(world.program, "base-1");
  const work = await saveWork(world.program, "base-1");
  const { breakOff } = await sendHalfOfBase(fresh, base);
  await checkOut(fresh);
  expect((await fresh.call("GET", "/status")).body).toMatchObject({ checkedOut: true });
  await fresh.kill();
  breakOff();
  const next = await startProgram({ root: fresh.root });
  others.push(next);
  expect((await next.call("GET", "/status")).body).toMatchObject({ checkedOut: false });
  await wake(next, work, base);
  expect(treeLines(next.root)).toEqual(treeLines(world.program.root));
});

test("a base that turns out to be broken before its checkout is reported leaves nothing", async () => {
  writeFileSync(at(world.program, "node_modules/tool/data"), randomBytes(100_000));
  const base = await makeBase(world.program, "base-1");
  base.writeUInt8(base.readUInt8(base.length - 1) ^ 1, base.length - 1);
  const send = async () => {
    const program = await startProgram();
    others.push(program);
    const headers = { authorization: `Bearer ${secret}` };
    const answer = await program.raw("/archive/base?beneathWork=false&early=true", {
      method: "PUT",
      headers,
      body: base,
    });
    return { program, isReported: answer.status === 200 };
  };
  let sent = await send();
  while (sent.isReported) sent = await send();
  const { program } = sent;
  expect(existsSync(at(program, "."))).toBe(false);
  await checkOut(program);
  expect(existsSync(at(program, "README.md"))).toBe(true);
  expect(existsSync(at(program, "node_modules"))).toBe(false);
  await program.kill();
  const next = await startProgram({ root: program.root });
  others.push(next);
  expect((await next.call("GET", "/status")).body).toMatchObject({ checkedOut: true });
});

test("a file of an ignored folder that a commit has is never shown as deleted", async () => {
  const base = await makeBase(world.program, "base-1");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: at(world.program, "."), stdio: "pipe" });
  git("add", "--force", "node_modules/tool/main");
  git("commit", "--quiet", "--message", "Keep a package");
  const work = await saveWork(world.program, "base-1");
  const readWork = async (program: Program) => {
    const answer = await program.raw("/git/work", { headers: { authorization: `Bearer ${secret}` } });
    await answer.arrayBuffer();
    return answer.headers.get("etag");
  };
  expect((await restoreWork(fresh, work)).status).toBe(200);
  const { body, sendRest } = await sendHalfOfBase(fresh, base, true);
  const read = readWork(fresh);
  expect((await fresh.call("PUT", "/checkout", world.checkout)).status).toBe(200);
  sendRest();
  expect(await body).toBe("null");
  expect(await read).toBe(await readWork(world.program));
});

test("a merge that was left half done is undone once the packages are there, which it may have changed", async () => {
  const base = await makeBase(world.program, "base-1");
  const git = (args: string[], input = "") =>
    execFileSync("git", args, { cwd: at(world.program, "."), input, encoding: "utf8" }).trim();
  const path = "node_modules/tool/main";
  const stage = (blob: string) => git(["update-index", "--add", "--cacheinfo", `100644,${blob},${path}`]);
  stage(git(["hash-object", "-w", "--stdin"], "of the branch"));
  git(["commit", "--quiet", "--message", "Keep a package"]);
  stage(git(["hash-object", "-w", path]));
  writeFileSync(at(world.program, ".git/MERGE_HEAD"), `${git(["rev-parse", "HEAD"])}\n`);
  const record = { base: "main", askedIn: "trn_1", rebases: false, conflicts: [path], byHand: { uncommitted: [] } };
  writeFileSync(join(world.program.root, "state/branch-sync.json"), JSON.stringify(record));
  expect((await restoreWork(fresh, await saveWork(world.program, "base-1"))).status).toBe(200);

  const { body, sendRest } = await sendHalfOfBase(fresh, base, true);
  const checkedOut = fresh.call("PUT", "/checkout", world.checkout);
  await fresh.call("GET", "/files");
  sendRest();
  expect(await body).toBe("null");
  expect((await checkedOut).status).toBe(200);
  expect(readFileSync(at(fresh, path), "utf8")).toBe("of the branch");
});

test("a package that is a link to a file of the checkout stays as it was, whatever git does to that file", async () => {
  linkSync(at(world.program, ".git/logs/HEAD"), at(world.program, "node_modules/tool/log"));
  linkSync(at(world.program, ".git/HEAD"), at(world.program, "node_modules/tool/head"));
  const head = readFileSync(at(world.program, ".git/HEAD"), "utf8");
  const base = await makeBase(world.program, "base-1");
  const { body, sendRest } = await sendHalfOfBase(fresh, base);
  await checkOut(fresh);
  sendRest();
  expect(await body).toBe("null");
  expect(readFileSync(at(fresh, "node_modules/tool/head"), "utf8")).toBe(head);
  const woken = await startProgram();
  others.push(woken);
  await wake(woken, await saveWork(fresh, "base-1"), base);
  expect(treeLines(woken.root)).toEqual(treeLines(fresh.root));
});
