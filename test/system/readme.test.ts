// The shell blocks of the README and of the guides that it links, pasted one after the other into
// one shell and a fresh world.
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type RunningWorld } from "../support/running-world.ts";

const root = join(import.meta.dirname, "../..");

let world: RunningWorld;
let exports: string[];
beforeAll(async () => {
  world = await createWorld();
  const welcome = await world.start("npm", { env: { DEMO_DEPLOY: "on" } });
  exports = welcome.split("\n").filter((line) => line.trim().startsWith("export "));
});
afterAll(async () => world?.remove());

/**
 * The blocks after the one that starts the world: the README's, then those of each guide in the
 * order of the links.
 */
async function blocks(): Promise<string[]> {
  const readme = await readFile(join(root, "README.md"), "utf8");
  const linked = [...readme.matchAll(/\]\((docs\/(?:guide|reference)\/[\w-]+\.md)\)/g)].map(([, path = ""]) => path);
  const inOrder = linked.slice(linked.indexOf("docs/guide/api.md"));
  const guides = await Promise.all([...new Set(inOrder)].map((path) => readFile(join(root, path), "utf8")));
  const [start, ...rest] = [readme, ...guides].flatMap((text) =>
    [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block),
  );
  expect(start).toBe("npm start\n");
  return rest;
}

/** Pastes lines into a shell, which ends at the first that fails. */
async function paste(lines: string): Promise<{ exitCode: number | null; output: string }> {
  const shell = spawn("bash", [], {
    cwd: root,
    env: { PATH: process.env.PATH ?? "", HOME: world.stateDir, STATE_DIR: world.stateDir },
  });
  shell.stdin.end(`exec 2>&1\nset -eo pipefail\n${lines}`);
  const ended = new Promise<number | null>((resolve) => shell.once("close", resolve));
  const output = await text(shell.stdout);
  return { exitCode: await ended, output };
}

test("every block works on a new world, and shows what the README says", async () => {
  expect(exports.map((line) => line.replace(/=.*/, ""))).toEqual(["  export BASE", "  export PROJECT", "  export KEY"]);
  const { exitCode, output } = await paste([...exports, ...(await blocks())].join("\n"));
  expect(output.match(/.*("code":"[A-Z_]+"|TypeError|undefined).*|^null$/gm) ?? []).toEqual([]);
  let rest = output;
  for (const shown of [
    "Signed in at",
    "turn 1 is done",
    "The board has the name of its station.",
    "+        <h1>Departures from Switchyard</h1>",
    ".preview.localhost:",
    "/shared/",
    '"status":"completed"',
    "The board has the name of its station.",
    "event: end",
    '"state":"healthy"',
    ".preview.localhost:",
    "/shared/",
    '"slug":"station-name"',
    '"path":"public/index.html"',
    "+        <h1>Departures from Switchyard</h1>",
    '"sha":"',
    '"ok":true',
    '"message":"Give the board the name of its station"',
    '"content":"Read the tests, too."',
    '"delivery":"steer"',
    '"status":"awaiting_response"',
    "Which colour shall the board have?",
    '"kind":"job_awaiting_response"',
    '"status":"completed"',
    "/acme/demo-app/pull/1",
    "under-review",
    '"status":"completed"',
    '"title":"Give the board the name of its station."',
    '"command":"/compact"',
    "[ [ 'aaaa', 'limit_reached' ], [ 'bbbb', 'in_use' ] ]",
    "credential: 'bbbb'",
  ]) {
    expect(rest).toContain(shown);
    rest = rest.slice(rest.indexOf(shown) + shown.length);
  }
  expect(exitCode).toBe(0);
});
