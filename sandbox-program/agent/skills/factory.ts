// The instructions of the built-in skills. They are bundled into the program and never written into
// a checkout.
import { type FactorySkillName, factorySkillNames } from "../../../src/skill/rules/built-in-skill.ts";
import { readFactorySkill } from "../../../src/skill/rules/skill.ts";
import openPr from "./svc-open-pr/SKILL.md";
import ship from "./svc-ship/SKILL.md";
import syncBranch from "./svc-sync-branch/SKILL.md";

const texts: Record<FactorySkillName, string> = {
  "svc:open-pr": openPr,
  "svc:sync-branch": syncBranch,
  "svc:ship": ship,
};

/** The instructions of a built-in skill; null if no skill has this name. */
export function factoryInstructions(name: string): string | null {
  const known = factorySkillNames.find((factory) => factory === name);
  const reading = known === undefined ? null : readFactorySkill(texts[known]);
  return reading !== null && "skill" in reading ? reading.skill.instructions : null;
}
