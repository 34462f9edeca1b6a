// The kept skills of a turn: the folder holds exactly those that the turn was given, whatever lay
// there, and a message that calls one gets it.
import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { updateSkills } from "../../../../sandbox-program/agent/given/skills.ts";
import { listSavedNames } from "../../../../sandbox-program/archive/saved-folders.ts";
import type { GivenSkill } from "../../../../src/sandbox-protocol/protocol.ts";
import { formatSkillContent } from "../../../../src/skill/rules/custom-skill.ts";
import type { TextFile } from "../../../../src/skill/rules/skill-files.ts";
import type { Answer } from "../../support/service-api.ts";
import { getOutput } from "../../support/transcript.ts";
import { startWorld, type World } from "../../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.end());

const main = (name: string, instructions = "Do it."): TextFile => ({
  path: "SKILL.md",
  content: `---\nname: ${name}\ndescription: D\n---\n${instructions}`,
});
const hashFiles = (files: TextFile[]) => createHash("sha256").update(formatSkillContent(files)).digest("base64url");

/** Offers a skill as the service does; `answers` come before its files. */
function offer(name: string, files: TextFile[], ...answers: Answer[]): GivenSkill {
  const { url } = world.api.attach(name, "application/json", JSON.stringify(files), ...answers);
  return { name, hash: hashFiles(files), url };
}

describe("the folder of skills", () => {
  let place: string;
  beforeEach(() => {
    const root = mkdtempSync(join(tmpdir(), "skills-"));
    place = join(root, "skills");
    return () => rmSync(root, { recursive: true });
  });
  const take = (...given: GivenSkill[]) =>
    updateSkills({ skills: place }, given, { token: "token", signal: AbortSignal.timeout(60_000) });
  const requests = () => world.api.calls.length;

  test("is not made for a turn without skills", async () => {
    const before = requests();
    expect((await take()).find("a")).toBe(null);
    expect(() => statSync(place)).toThrow();
    expect(requests()).toBe(before);
  });

  test("holds the files of a skill, of which scripts may be run, and is not fetched again", async () => {
    const files = [
      main("a"),
      { path: "bin/run.sh", content: "#!/bin/sh\n" },
      { path: "notes.txt", content: "\uFEFFü" },
    ];
    const given = offer("a", files);
    const { folder, instructions } = (await take(given)).find("a") ?? {};
    expect([folder, instructions]).toEqual([join(place, given.hash), "Do it."]);
    expect(statSync(`${folder}/bin/run.sh`).mode & 0o777).toBe(0o700);
    expect(statSync(`${folder}/notes.txt`).mode & 0o777).toBe(0o600);
    expect(readFileSync(`${folder}/notes.txt`, "utf8")).toBe("\uFEFFü");
    const before = requests();
    expect((await take(given)).find("a")?.folder).toBe(folder);
    expect(requests()).toBe(before);
  });

  test("loses what a turn was not given", async () => {
    const [one, two] = [offer("a", [main("a")]), offer("b", [main("b")])];
    await take(one, two);
    expect((await take(two)).find("a")).toBe(null);
    expect(readdirSync(place)).toEqual([two.hash]);
    await take();
    expect(readdirSync(place)).toEqual([]);
  });

  function linkInstead(path: string, target: string): void {
    rmSync(path, { recursive: true });
    symlinkSync(target, path);
  }
  const altered: [what: string, alter: (folder: string) => void][] = [
    ["a changed file", (folder) => writeFileSync(`${folder}/SKILL.md`, "else")],
    ["a further file", (folder) => writeFileSync(`${folder}/further`, "")],
    ["a missing file", (folder) => rmSync(`${folder}/SKILL.md`)],
    ["another mode", (folder) => chmodSync(`${folder}/SKILL.md`, 0o755)],
    ["a link for a file", (folder) => linkInstead(`${folder}/SKILL.md`, "/etc/passwd")],
    ["a link for its folder", (folder) => linkInstead(folder, "/etc")],
    ["a link for the whole folder", () => linkInstead(place, "/etc")],
    ["a started copy", (folder) => mkdirSync(`${folder}.part/SKILL.md`, { recursive: true })],
  ];
  test.each(altered)("is put right after %s", async (_, alter) => {
    const given = offer("a", [main("a")]);
    await take(given);
    alter(join(place, given.hash));
    expect((await take(given)).find("a")?.instructions).toBe("Do it.");
    expect(readdirSync(place)).toEqual([given.hash]);
    expect(readdirSync(join(place, given.hash))).toEqual(["SKILL.md"]);
  });

  const wrong = (files: unknown): Answer => ({ status: 200, body: JSON.stringify(files) });
  const unavailable: [what: string, answer: Answer, says: RegExp][] = [
    ["is gone", { status: 404 }, /the service answered 404/],
    ["has other files than its hash", wrong([main("b")]), /not those that the turn was given/],
    ["leads out of its folder", wrong([main("a"), { path: "../x", content: "" }]), /not as expected/],
    ["is no list of files", wrong({ files: 1 }), /not as expected/],
  ];
  test.each(unavailable)(
    "lacks a skill that %s, which is an error only where it is called",
    async (_, answer, says) => {
      const taken = await take(offer("a", [main("a")], answer, answer), offer("b", [main("b")]));
      expect(taken.find("b")?.name).toBe("b");
      expect(() => taken.find("a")).toThrow(says);
      expect(readdirSync(place)).toEqual([hashFiles([main("b")])]);
    },
  );

  test("a fetch that fails once is repeated", async () => {
    expect((await take(offer("a", [main("a")], { status: 503 }))).find("a")?.name).toBe("a");
  });
});

const practice = (bash: string) => `\`\`\`practice\n${JSON.stringify({ bash })}\n\`\`\``;
/** A skill whose practice block prints by its second file. */
const block = practice(`${"$"}{CLAUDE_SKILL_DIR}/print.sh; git status --porcelain`);
const printing = [main("print", block), { path: "print.sh", content: "#!/bin/sh\necho $((40 + 2)) printed\n" }];
const call = (name: string) => ({ skill: { name, argument: "" } });

test("a message that calls a skill runs it from a folder that is neither in the checkout nor saved", async () => {
  const { service } = await world.runTurn("/print", { ...call("print"), skills: [offer("print", printing)] });
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(getOutput(service.received)).toBe("42 printed\n");
  expect(listSavedNames(world.program.root)).not.toContain("skills");
});

test("a kept skill counts before the project's of its name", async () => {
  const own = `${world.program.root}/project/.agents/skills/print`;
  mkdirSync(own, { recursive: true });
  writeFileSync(`${own}/SKILL.md`, main("print", practice("echo of the project")).content);
  const kept = await world.runTurn("/print", { ...call("print"), skills: [offer("print", printing)] });
  expect(await kept.service.ended()).toEqual({ status: "completed" });
  expect(getOutput(kept.service.received)).toContain("42 printed\n");
  const ofProject = await world.runTurn("/print", call("print"));
  expect(await ofProject.service.ended()).toEqual({ status: "completed" });
  expect(getOutput(ofProject.service.received)).toBe("of the project\n");
});

test("a called skill that cannot be had fails the turn and says so; one that is not called does not matter", async () => {
  const gone = () => offer("gone", [main("gone")], { status: 404 }, { status: 404 });
  const called = await world.runTurn("/gone", { ...call("gone"), skills: [gone()] });
  expect(await called.service.ended()).toMatchObject({
    status: "failed",
    error: "The message could not be read: The skill gone could not be had: the service answered 404.",
  });
  const other = await world.runTurn([{ say: "Done." }], { skills: [gone()] });
  expect(await other.service.ended()).toEqual({ status: "completed" });
});
