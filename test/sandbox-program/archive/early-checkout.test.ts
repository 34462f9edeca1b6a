// A base whose ignored folders are still being unpacked: an agent begins in its checkout, and
// nothing acts there before all of it is in place and verified.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { treeLines } from "../../support/tree-hash.ts";
import { until } from "../../support/until.ts";
import { type Program, secret, startProgram } from "../support/program.ts";
import { makeBase, restoreWork, saveWork, wake } from "../support/saved-work.ts";
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

/** Sends the first half of a base, which has its checkout. */
async function sendHalf(program: Program, base: Buffer, beneathWork = false) {
  const sent = request(`${program.url}/archive/base?beneathWork=${beneathWork}&early=true`, {
    method: "PUT",
    headers: { authorization: `Bearer ${secret}`, "content-length": base.length },
  });
  const begun = new Promise<number | undefined>((resolve, reject) => {
    sent.once("response", (response) => resolve(response.statusCode)).once("error", reject);
  });
  const body = new Promise<string>((resolve, reject) => {
    sent.once("response", async (response) => {
      let text = "";
      try {
        for await (const chunk of response) text += chunk;
        resolve(text);
      } catch (error) {
        reject(error);
      }
    });
  });
  body.catch(() => {});
  sent.on("error", () => {});
  sent.write(base.subarray(0, base.length / 2));
  expect(await begun).toBe(200);
  return {
    body,
    sendRest: (rest = base.subarray(base.length / 2)) => void sent.end(rest),
    breakOff: () => sent.destroy(),
  };
}

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
  const { body, sendRest } = await sendHalf(fresh, base);
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
  const first = await sendHalf(fresh, base);
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
  const again = await sendHalf(early, base, true);
  expect((await early.call("GET", "/status")).body).toMatchObject({ checkedOut: true });
  again.sendRest();
  await again.body;
  await wake(whole, work, base);
  expect(treeLines(early.root)).toEqual(before);
  expect(treeLines(whole.root)).toEqual(before);
  expect((await saveWork(early, "base-1")).length).toBeLessThan(20_000);
});

test("if the rest of a base is broken, the turn fails with the reason, no tool has run, and the sandbox ends", async () => {
  const program = await startProgram({ env: { SANDBOX_QUIET_MS: "0" } });
  others.push(program);
  const base = await makeBase(world.program, "base-1");
  const { body, sendRest } = await sendHalf(program, base);
  await checkOut(program);
  const turn = await runTurn(program, [{ bash: "touch ../home/ran" }, { say: "done" }]);
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
  await until("the end of the program", () => program.process.exitCode !== null);
  expect(existsSync(join(program.root, "home/ran"))).toBe(false);
});

test("a program that is killed while packages are unpacked starts with an empty sandbox", async () => {
  const base = await makeBase(world.program, "base-1");
  const work = await saveWork(world.program, "base-1");
  const { breakOff } = await sendHalf(fresh, base);
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
