import { expect, it, test } from "vitest";
import { builtInSkills } from "../../../src/skill/rules/built-in-skills.ts";
import { explainUnknownSkill, findCalledBuiltInSkill, parseSkillCall } from "../../../src/skill/rules/skill-call.ts";
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
  expect(parseSkillCall(message, model)).toEqual(expected);
});

it("a built-in skill is called only by its whole name", () => {
  expect(findCalledBuiltInSkill(said("/svc:open-pr -d"), opus)?.name).toBe("svc:open-pr");
  expect(findCalledBuiltInSkill(said("/svc:open-prs"), opus)).toBeNull();
  expect(findCalledBuiltInSkill(said("/SVC:open-pr"), opus)).toBeNull();
});

it("the reserved prefix is only for built-in skills", () => {
  expect(builtInSkills.filter(({ name }) => !name.startsWith("svc:"))).toEqual([]);
});

it.each([
  ["/svc:open-pr -d", null],
  ["/svc:open-prs", "There is no skill `svc:open-prs`, so this was sent as ordinary text. Did you mean `svc:open-pr`?"],
  ["/svc:deploy", "There is no skill `svc:deploy`, so this was sent as ordinary text."],
  ["Please call /svc:open-prs", null],
  ["/review", null],
])("%j is explained: %s", (message, explanation) => {
  expect(explainUnknownSkill(message)).toBe(explanation);
});
