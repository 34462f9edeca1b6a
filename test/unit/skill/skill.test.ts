// A SKILL.md: which fields are read, and what is wrong with an invalid one.
import { describe, expect, it, test } from "vitest";
import { readFrontMatter } from "../../../src/skill/rules/front-matter.ts";
import { readSkill, type SkillField } from "../../../src/skill/rules/skill.ts";

describe("a SKILL.md", () => {
  const file = (matter: string, body = "Do it.") => `---\n${matter}\n---\n\n${body}\n`;

  const read: [what: string, file: string, expected: unknown][] = [
    ["plain", file("name: a-b\ndescription: Does it."), ["a-b", "Does it.", null, "Do it."]],
    [
      "with a hint",
      file('name: a\ndescription: "D: \\"x\\""\nargument-hint: <what>'),
      ["a", 'D: "x"', "<what>", "Do it."],
    ],
    ["in single quotes", file("name: 'a'\ndescription: 'it''s'"), ["a", "it's", null, "Do it."]],
    ["folded", file("name: a\ndescription: >-\n  One\n  two."), ["a", "One two.", null, "Do it."]],
    ["in lines", file("name: a\ndescription: |\n  One\n  two."), ["a", "One\ntwo.", null, "Do it."]],
    ["gone on with", file("name: a\ndescription: One\n  two."), ["a", "One two.", null, "Do it."]],
    ["with other fields", file("license: MIT\nname: a\nmeta:\n  name: b\ndescription: D"), ["a", "D", null, "Do it."]],
    ["with CRLF", file("name: a\ndescription: D").replaceAll("\n", "\r\n"), ["a", "D", null, "Do it."]],
    ["behind a byte order mark", `\uFEFF${file("name: a\ndescription: D")}`, ["a", "D", null, "Do it."]],
  ];

  test.each(read)("%s is read", (_, text, expected) => {
    const reading = readSkill(text);
    if (!("skill" in reading)) throw new Error(JSON.stringify(reading.mistakes));
    const { name, description, argumentHint, instructions } = reading.skill;
    expect([name, description, argumentHint, instructions]).toEqual(expected);
  });

  const broken: [what: string, file: string, fields: SkillField[]][] = [
    ["without front matter", "Do it.", ["front matter"]],
    ["whose front matter does not end", "---\nname: a\ndescription: D\n", ["front matter"]],
    ["without a name", file("description: D"), ["name"]],
    ["without a description", file("name: a"), ["description"]],
    ["without instructions", file("name: a\ndescription: D", ""), ["instructions"]],
    ["named with the reserved prefix", file("name: svc:open-pr\ndescription: D"), ["name"]],
    ["named in capitals", file("name: Release\ndescription: D"), ["name"]],
    ["named like a path", file("name: ../a\ndescription: D"), ["name"]],
    ["named with two hyphens in a row", file("name: a--b\ndescription: D"), ["name"]],
    ["with a name too long", file(`name: ${"a".repeat(65)}\ndescription: D`), ["name"]],
    ["with a description too long", file(`name: a\ndescription: ${"d".repeat(1025)}`), ["description"]],
    ["with one too long of long characters", file(`name: a\ndescription: ${"😀".repeat(1025)}`), ["description"]],
    ["with a hint too long", file(`name: a\ndescription: D\nargument-hint: ${"h".repeat(1025)}`), ["argument-hint"]],
    ["with everything wrong", file("license: MIT", ""), ["name", "description", "instructions"]],
    ["of nothing", "", ["front matter"]],
  ];

  test.each(broken)("%s is not a skill, and the fields are named", (_, text, fields) => {
    const reading = readSkill(text);
    expect("mistakes" in reading && reading.mistakes.map(({ field }) => field)).toEqual(fields);
  });

  it("cannot set prototype fields", () => {
    expect(readFrontMatter("---\na: b\n---\n")?.fields.constructor).toBeUndefined();
  });
});
