// The permissions of an agent come only from its profile: its tools, whether it writes, what its
// git may do, its skills.
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getOutput, listBlocks } from "../support/transcript.ts";
import { createScript, profile, startWorld, type World } from "../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.end());

test("a profile without writes has neither a shell nor a tool that changes files", async () => {
  const steps = [{ write: { path: "made.txt", content: "x" } }, { bash: "touch made.txt" }, { say: "done" }];
  const { service } = await world.runTurn(steps, { profile: profile({ writes: false }) });
  await service.ended();
  expect(listBlocks(service.received)).toMatchObject([
    { type: "tool", name: "write", status: "failed" },
    { type: "tool", name: "bash", status: "failed" },
    { type: "text" },
  ]);
  expect(existsSync(join(world.program.root, "project/made.txt"))).toBe(false);
});

test("a product tool that the profile does not list is missing", async () => {
  const { service } = await world.runTurn([{ plan: ["look"] }, { say: "done" }], {
    profile: profile({ tools: ["ask"] }),
  });
  await service.ended();
  expect(listBlocks(service.received).map(({ type }) => type)).not.toContain("plan");
});

test("commands carry no token if git is not permitted", async () => {
  const push = [{ bash: "git ls-remote origin" }, { say: "done" }];
  const reaches = await world.runTurn(push);
  await reaches.service.ended();
  expect(getOutput(reaches.service.received)).toContain("refs/heads/main");
  const { start, service } = await world.runTurn(push, { profile: profile({ git: "none" }) });
  await service.ended();
  expect(getOutput(service.received)).not.toContain("refs/heads/main");
  expect(JSON.stringify(service.received)).not.toContain(start.git.token);
});

test("a project's skill is called only if the project is a source of skills", async () => {
  const folder = join(world.program.root, "project/.agents/skills/greet");
  await mkdir(folder, { recursive: true });
  const text = `---\nname: greet\ndescription: Greets.\n---\n${createScript([{ say: "from the skill" }])}\n`;
  await writeFile(join(folder, "SKILL.md"), text);
  const said = async (skills: ("factory" | "project")[]) => {
    const skill = { name: "greet", argument: "" };
    const { service } = await world.runTurn("greet", { skill, profile: profile({ skills }) });
    await service.ended();
    return JSON.stringify(listBlocks(service.received));
  };
  expect(await said(["factory", "project"])).toContain("from the skill");
  expect(await said(["factory"])).not.toContain("from the skill");
});
