// One service as a process: what becomes of it when it does not run, when it is restarted in place,
// and what its log holds.
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { until } from "../../support/until.ts";
import { isAlive } from "../support/processes.ts";
import { node, openServices, server, web } from "../support/services.ts";
import { listBlocks } from "../support/transcript.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let services: Awaited<ReturnType<typeof openServices>>;
beforeEach(async () => {
  world = await startWorld();
  services = await openServices(world);
});
afterEach(() => world?.end());

describe("a service that does not run", () => {
  test("because its command does not exist is retried, and its log has the reason", async () => {
    await services.put([web({ command: "no-such-program --serve" })]);
    const log = await until("a second try", async () => {
      const text = await services.readLogFile("web");
      const tries = text.split("no-such-program: command not found").length - 1;
      return tries > 1 && text.includes("starting again in 1000 ms") && text;
    });
    expect(log).toMatch(
      /\[web ended with exit code 127; starting again in 500 ms\]\n\[web starts on port \d+: no-such/,
    );
    expect(await services.findRun("web")).toMatchObject({
      lastExit: { code: 127, how: "exited 127" },
      restarts: expect.toSatisfy((restarts: number) => restarts > 1),
      logEnd: expect.stringContaining("no-such-program: command not found"),
    });
  });

  test("because its folder does not exist is retried, and its log has the reason", async () => {
    await services.put([web({ cwd: "frontend" })]);
    await until("a note", async () =>
      (await services.readLogFile("web")).includes("there is no folder frontend; starting again"),
    );
    await mkdir(services.inProject("frontend"));
    await writeFile(services.inProject("frontend/server.js"), server);
    await services.answers("web");
  });

  test("because it succeeded is done, if it has no endpoint", async () => {
    await services.put([{ name: "migrations", command: "echo migrated >> done", endpoints: [] }, web()]);
    await services.answers("web");
    await until("its end", async () => (await services.readLogFile("migrations")).includes("it has done its work"));
    expect(await readFile(services.inProject("done"), "utf8")).toBe("migrated\n");
  });

  test("because it succeeded is started again, if it has an endpoint", async () => {
    await services.put([web({ command: `if [ -e again ]; then exec ${node} server.js; fi; touch again` })]);
    await services.answers("web");
    expect(await services.readLogFile("web")).toContain("ended with exit code 0; starting again");
  });

  test("because it left a server in the background is not restarted while one of its endpoints answers", async () => {
    const endpoints = [{ port: 3000 }, { port: 3001 }];
    const command = `${node} server.js & echo $! > id; until [ -e go ]; do sleep 0.02; done`;
    await services.put([web({ command, endpoints })]);
    await until("an answer", () => services.ask().catch(() => null));
    const id = await services.readId("id");
    await writeFile(services.inProject("go"), "");
    // Longer than the first pause before a restart.
    await sleep(1_500);
    expect([isAlive(id), (await services.ask()).id]).toEqual([true, id]);
    process.kill(id, "SIGKILL");
    await until("another", async () => (await services.ask().catch(() => ({ id }))).id !== id);
  });
});

describe("a restart", () => {
  const stubborn = `trap '' TERM; setsid ${node} server.js & echo $! > id; sleep 600 & wait; sleep 600`;

  test("ends a service that ignores signals, with all its processes, and keeps files and branch", async () => {
    await writeFile(services.inProject("README.md"), "not committed");
    await services.put([web({ command: stubborn })]);
    await services.answers("web");
    const first = await services.readId("id");
    await services.put([web({ command: stubborn })], true);
    await until("another process", async () => {
      const { id } = await services.ask().catch(() => ({ id: first }));
      return id !== first;
    });
    expect(isAlive(first)).toBe(false);
    expect(await readFile(services.inProject("README.md"), "utf8")).toBe("not committed");
    expect((await world.program.call("GET", "/git/state")).body).toMatchObject({ hasUncommittedChanges: true });
  });

  test("frees a port that a detached process of a service holds", async () => {
    const leaves = `if [ ! -e go ]; then env -u SWITCHYARD_SERVICE setsid ${node} server.js & until [ -e go ]; do sleep 0.02; done; fi; exec ${node} server.js`;
    await services.put([web({ command: leaves })]);
    await services.answers("web");
    const stray = await services.ask();
    await writeFile(services.inProject("go"), "");
    await services.put([web({ command: leaves })], true);
    await until("the service in its place", async () => (await services.ask().catch(() => stray)).id !== stray.id);
    expect(isAlive(stray.id)).toBe(false);
    expect(await services.readLogFile("web")).toContain(`ends process ${stray.id}, which holds port 3000`);
  });
});

describe("the log of a service", () => {
  test("contains no secret of its environment, even in pieces", async () => {
    const says = `process.stdout.write("first hunter2-and"); setTimeout(() => process.stdout.write("-more, then s3cr3t-own\\n"), 50); setInterval(() => {}, 1000)`;
    await writeFile(services.inProject("says.js"), says);
    const plan = { name: "talker", command: `exec ${node} says.js`, env: { OWN: "s3cr3t-own" }, endpoints: [] };
    await services.put([plan], false, { SHARED: "hunter2-and-more" });
    const log = await until("all of it", async () => {
      const text = await services.readLogFile("talker");
      return text.includes("then") && text;
    });
    expect(log).toContain("first [redacted], then [redacted]\n");
    expect(await services.readLog("talker")).toMatchObject({ status: 200, body: { log } });
    expect(await services.readLog("nobody")).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  });

  test("is limited, and the agent reads it outside of the checkout", async () => {
    await services.put([
      { name: "noisy", command: "yes 0123456789abcdef | head -n 300000; echo the end; sleep 600", endpoints: [] },
    ]);
    await until("the end", async () => (await services.readLogFile("noisy")).endsWith("the end\n"));
    const sizes = await Promise.all(
      ["", ".1"].map((end) => stat(join(world.program.root, `shared/logs/service-noisy.log${end}`))),
    );
    expect(Math.max(...sizes.map(({ size }) => size))).toBeLessThanOrEqual(1_024 * 1_024);
    const told = String((await services.readLog("noisy")).body?.log);
    expect([Buffer.byteLength(told), told.endsWith("f\nthe end\n")]).toEqual([256 * 1_024, true]);

    const { service } = await world.runTurn([
      { bash: "tail -n 1 $SWITCHYARD_SERVICE_LOGS/service-noisy.log; git status --short | grep log; true" },
      { say: "read" },
    ]);
    await service.ended();
    expect(listBlocks(service.received)[0]).toMatchObject({
      type: "tool",
      output: expect.stringMatching(/^the end\n?$/),
    });
  });
});

test("a service has nothing of a turn, and a turn's server ends with the turn", async () => {
  await services.put([web()]);
  await services.answers("web");
  const { service, start } = await world.runTurn([
    { bash: `PORT=0 ${process.execPath} server.js > /dev/null 2>&1 & echo $! > turn-server-id` },
    { say: "serving" },
  ]);
  await service.ended();
  const { env } = await services.ask();
  const secrets = [start.api.token, start.git.token, start.link.token, start.model.token];
  expect(secrets.filter((value) => JSON.stringify(env).includes(value))).toEqual([]);
  expect(Object.keys(env).filter((name) => /TURN|TOKEN|GIT_CONFIG_(COUNT|KEY|VALUE)/.test(name))).toEqual([]);
  expect(isAlive(await services.readId("turn-server-id"))).toBe(false);
});
