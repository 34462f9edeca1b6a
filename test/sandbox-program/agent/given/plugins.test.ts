// The plugins of a turn: messages call their skills and commands, and one that cannot be read is
// reported to the service and fails no turn.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listSavedNames } from "../../../../sandbox-program/archive/saved-folders.ts";
import { offer, type PluginTestFile } from "../../support/plugins.ts";
import { getOutput } from "../../support/transcript.ts";
import { startWorld, type World } from "../../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.end());

const practice = (bash: string) => `\`\`\`practice\n${JSON.stringify({ bash })}\n\`\`\`\n`;
const folder = (name: string) => `${"$"}{CLAUDE_${name}}`;
const board: PluginTestFile[] = [
  {
    path: "skills/read/SKILL.md",
    content: `---\nname: read\ndescription: D\n---\n${practice(`${folder("SKILL_DIR")}/run.sh`)}`,
  },
  { path: "skills/read/run.sh", content: "#!/bin/sh\necho read it\n", isExecutable: true },
  {
    path: "commands/say.md",
    content: practice(`echo '$1 of $ARGUMENTS'; cat ${folder("PLUGIN_ROOT")}/note; git status --porcelain`),
  },
  { path: "note", content: "noted\n" },
];
const call = (name: string, argument = "") => ({ skill: { name, argument } });
const reports = () =>
  world.api.calls
    .filter(({ method, path }) => method === "PUT" && path.startsWith("/files/"))
    .map(({ body }) => JSON.parse(String(body)));

test("messages call its skills and commands, by their whole name and by the bare one; it is fetched once", async () => {
  const plugin = await offer(world, "board", board);
  const calls: [name: string, argument: string, output: string][] = [
    ["board:read", "", "read it\n"],
    ["read", "", "read it\n"],
    ["board:say", "a b", "a of a b\nnoted\n"],
  ];
  for (const [name, argument, output] of calls) {
    const { service } = await world.runTurn(`/${name} ${argument}`, { ...call(name, argument), plugins: [plugin] });
    expect(await service.ended()).toEqual({ status: "completed" });
    expect(getOutput(service.received)).toBe(output);
  }
  expect(world.api.calls.filter(({ path }) => plugin.url.endsWith(path))).toHaveLength(1);
  expect(reports()).toEqual([]);
  expect(listSavedNames(world.program.root)).not.toContain("plugins");
});

test("a bare name that two plugins have calls neither, and what a turn was not given is gone", async () => {
  const both = [await offer(world, "one", board), await offer(world, "two", [...board, { path: "x", content: "" }])];
  const { service } = await world.runTurn("/say x", { ...call("say", "x"), plugins: both });
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(getOutput(service.received)).not.toContain("noted");
  const without = await world.runTurn([{ say: "Done." }]);
  expect(await without.service.ended()).toEqual({ status: "completed" });
  expect(readdirSync(join(world.program.root, "plugins"))).toEqual([]);
});

test("one that cannot be read is reported, and the rest works; its next success is reported too", async () => {
  const good = await offer(world, "good", board);
  const wrong = await offer(world, "wrong", board, { hash: "A".repeat(43) });
  const linked = await offer(world, "linked", [...board, { path: "etc", content: "/etc", type: "symlink" }]);
  const leading = await offer(world, "leading", [{ path: "../x", content: "" }]);
  const { service } = await world.runTurn("/good:say x", {
    ...call("good:say", "x"),
    plugins: [wrong, linked, leading, good],
  });
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(getOutput(service.received)).toContain("noted");
  expect(reports()).toEqual(
    expect.arrayContaining([
      { failure: expect.stringContaining("not those that the turn was given") },
      { failure: expect.stringContaining("is no file") },
      { failure: expect.stringContaining("has the part ..") },
    ]),
  );
  expect(reports()).toHaveLength(3);
  const again = await world.runTurn([{ say: "Done." }], { plugins: [{ ...good, hasFailed: true }] });
  expect(await again.service.ended()).toEqual({ status: "completed" });
  expect(reports().slice(3)).toEqual([{ failure: null }]);
});
