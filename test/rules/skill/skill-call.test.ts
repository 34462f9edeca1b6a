import { describe, expect, it, test } from "vitest";
import { factorySkills } from "../../../src/rules/skill/factory-skill.ts";
import { readFrontMatter } from "../../../src/rules/skill/front-matter.ts";
import { readSkillFile } from "../../../src/rules/skill/skill.ts";
import { factorySkillCalled, skillCall } from "../../../src/rules/skill/skill-call.ts";
import { said } from "../../support/session-state.ts";

const opus = "anthropic:opus__high";
const gpt = "openai:gpt__high";

/** Part 1, "Skill messages". */
const calls: [message: string, model: string | null, called: [name: string, argument: string] | null][] = [
  ["/svc:open-pr", opus, ["svc:open-pr", ""]],
  ["/svc:open-pr -d Look at the board first.", opus, ["svc:open-pr", "-d Look at the board first."]],
  ["/svc:open-pr\nLook at the board first.", opus, ["svc:open-pr", "Look at the board first."]],
  ["/svc:open-pr", "zai:glm__high", ["svc:open-pr", ""]],
  ["/svc:open-pr", "kimi:k2__high", ["svc:open-pr", ""]],
  ["/svc:open-pr", null, ["svc:open-pr", ""]],
  ["/svc:open-pr", gpt, null],
  ["$svc:open-pr -d", gpt, ["svc:open-pr", "-d"]],
  ["$svc:open-pr", opus, null],
  ["/release-notes for May", opus, ["release-notes", "for May"]],
  ["  /svc:open-pr", opus, ["svc:open-pr", ""]],
  ["Please run /svc:open-pr", opus, null],
  ["//svc:open-pr", opus, null],
  ["/ svc:open-pr", opus, null],
  ["/src/app.ts is broken", opus, null],
  ["/svc:open-pr, please", opus, null],
  ["/", opus, null],
  ["", opus, null],
  ["$5 is what it costs", gpt, ["5", "is what it costs"]],
  ["/clear", opus, null],
  ["/compact keep the plan", opus, null],
  ["$clear", gpt, null],
];

test.each(calls)("%j on %s calls %j", (message, model, called) => {
  const expected = called && { name: called[0], argument: called[1] };
  expect(skillCall(message, model)).toEqual(expected);
});

it("a factory skill is called only by its whole name", () => {
  expect(factorySkillCalled(said("/svc:open-pr -d"), opus)?.name).toBe("svc:open-pr");
  expect(factorySkillCalled(said("/svc:open-prs"), opus)).toBeNull();
  expect(factorySkillCalled(said("/SVC:open-pr"), opus)).toBeNull();
});

it("the reserved prefix is only for factory skills", () => {
  expect(factorySkills.filter(({ name }) => !name.startsWith("svc:"))).toEqual([]);
});

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
    const skill = readSkillFile(text);
    expect(skill && [skill.name, skill.description, skill.argumentHint, skill.instructions]).toEqual(expected);
  });

  const broken: [what: string, file: string][] = [
    ["without front matter", "Do it."],
    ["whose front matter does not end", "---\nname: a\ndescription: D\n"],
    ["without a name", file("description: D")],
    ["without a description", file("name: a")],
    ["without instructions", file("name: a\ndescription: D", "")],
    ["named with the reserved prefix", file("name: svc:open-pr\ndescription: D")],
    ["named in capitals", file("name: Release\ndescription: D")],
    ["named like a path", file("name: ../a\ndescription: D")],
    ["with a name too long", file(`name: ${"a".repeat(65)}\ndescription: D`)],
    ["with a description too long", file(`name: a\ndescription: ${"d".repeat(1025)}`)],
    ["of nothing", ""],
  ];

  test.each(broken)("%s is not a skill", (_, text) => {
    expect(readSkillFile(text)).toBeNull();
  });

  it("cannot set prototype fields", () => {
    expect(readFrontMatter("---\na: b\n---\n")?.fields.constructor).toBeUndefined();
  });
});
