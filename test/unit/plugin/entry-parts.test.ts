// A marketplace entry about a plugin's parts: in addition to its manifest, or instead of it.
import { describe, expect, it, test } from "vitest";
import { type PluginFile, readPlugin, withEntryParts } from "../../../src/plugin/rules/contents.ts";
import { type EntryParts, isOfEntry, parseEntryParts } from "../../../src/plugin/rules/plugin.ts";

const file = (path: string, text: unknown): PluginFile => ({
  path,
  isExecutable: false,
  bytes: new TextEncoder().encode(typeof text === "string" ? text : JSON.stringify(text)),
});
const skill = (folder: string, name = folder.split("/").at(-1)) =>
  file(`${folder}/SKILL.md`, `---\nname: ${name}\ndescription: D\n---\nDo ${name}.`);
const manifest = (fields: unknown) => file(".claude-plugin/plugin.json", fields);
const entry = (said: EntryParts["said"], strict = true): EntryParts => ({ strict, said });

/** The parts of a plugin with this entry, or why it is refused. */
function read(files: PluginFile[], parts: EntryParts | null) {
  const kept = withEntryParts(
    files.filter(({ path }) => isOfEntry(path, parts)),
    parts,
  );
  if (typeof kept === "string") return kept;
  const contents = readPlugin(kept);
  return "refusal" in contents ? contents.refusal : contents.components;
}

test.each<[string, Record<string, unknown>, unknown]>([
  ["nothing", { name: "a", source: "./a" }, null],
  ["nothing, strictly not", { strict: false, skills: [] }, null],
  ["skills", { skills: ["./skills/pdf"] }, entry({ skills: ["./skills/pdf"] })],
  ["hooks in the manifest's place", { strict: false, hooks: { Stop: [] } }, entry({ hooks: { Stop: [] } }, false)],
  ["too much", { commands: ["x".repeat(20_000)] }, "its entry says too much of its parts"],
])("an entry says %s", (_, fields, expected) => {
  expect(parseEntryParts(fields)).toEqual(expected);
});

describe("an entry that replaces the manifest", () => {
  const many = [skill("skills/pdf"), skill("skills/xlsx"), skill("skills/music"), file("commands/go.md", "Go.")];

  it("has the skills of a shared repository that it names, and no others", () => {
    const parts = entry({ skills: ["./skills/pdf", "skills/xlsx/"] }, false);
    expect(read(many, parts)).toMatchObject({ skills: ["pdf", "xlsx"], commands: ["go"] });
    expect(read(many, entry({ skills: "./skills/music", commands: ["./commands/stop.md"] }, false))).toMatchObject({
      skills: ["music"],
      commands: [],
    });
  });

  it("has parts that lie elsewhere", () => {
    const parts = entry({ skills: ["./document-skills"] }, false);
    expect(read([skill("document-skills/pdf"), skill("skills/music")], parts)).toMatchObject({ skills: ["pdf"] });
  });

  it("is refused where the manifest names parts too", () => {
    const files = [...many, manifest({ name: "a", skills: ["./skills/pdf"] })];
    expect(read(files, entry({ skills: ["./skills/pdf"] }, false))).toMatch(/its entry says that it does not/);
    expect(read([...many, manifest({ name: "a" })], entry({ skills: ["./skills/pdf"] }, false))).toMatchObject({
      skills: ["pdf"],
    });
  });
});

describe("an entry in addition to the manifest", () => {
  const hook = { Stop: [{ hooks: [{ type: "command", command: "true" }] }] };
  it("adds to what is there and to what the manifest names", () => {
    const files = [skill("skills/a"), skill("more/b"), skill("extra/c"), manifest({ skills: "./more" })];
    expect(read(files, entry({ skills: ["./extra"], hooks: hook }))).toMatchObject({
      skills: ["a", "b", "c"],
      hooks: ["Stop"],
    });
  });

  it("changes nothing where it says nothing", () => {
    expect(read([skill("skills/a")], null)).toMatchObject({ skills: ["a"] });
  });

  it("cannot lead out of the plugin, and does not replace an unreadable manifest", () => {
    expect(read([skill("skills/a")], entry({ commands: ["../../etc"] }))).toMatch(/leads out of it/);
    expect(read([skill("skills/a"), manifest("no JSON")], entry({ commands: ["./x"] }))).toMatch(/no JSON object/);
  });
});
