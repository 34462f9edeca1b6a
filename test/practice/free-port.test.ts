// Free ports: worlds that start at the same time, in one process or in two, never get the same.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { claimFreePort } from "../../practice/free-port.ts";

const freePortFile = new URL("../../practice/free-port.ts", import.meta.url).href;

test("a port is returned once, whichever caller is next", async () => {
  const from = await claimFreePort();
  const range = JSON.stringify({ from, to: from + 40 });
  const tenPorts = `
    const { claimFreePort } = await import(process.argv[1]);
    for (let count = 0; count < 10; count++) console.log(await claimFreePort(${range}));`;
  const other = promisify(execFile)(process.execPath, ["--input-type=module", "-e", tenPorts, freePortFile], {
    env: { PATH: process.env.PATH ?? "", NODE_NO_WARNINGS: "1" },
  });
  const ours: number[] = [];
  for (let count = 0; count < 10; count++) ours.push(await claimFreePort(JSON.parse(range)));
  const theirs = (await other).stdout.trim().split("\n").map(Number);
  expect(theirs).toHaveLength(10);
  expect(new Set([from, ...ours, ...theirs]).size).toBe(21);
});
