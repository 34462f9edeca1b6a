// The project's skills: folders of the checkout that contain a SKILL.md. A skill is left out if it
// is unreadable or links out of the checkout.
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { skillFileBytes } from "../../../src/rules/limits.ts";
import type { CheckoutSkills } from "../../../src/sandbox-protocol/protocol.ts";
import { readSkill, type SkillFile } from "../../../src/skill/rules/skill.ts";
import type { Folders } from "../../folders.ts";
import { requireCheckout } from "../../project/checkout-record.ts";
import { resolveInProject } from "../../project/project-path.ts";

export interface ProjectSkill extends SkillFile {
  /** Its folder, relative to the checkout. It contains the files that the skill refers to. */
  folder: string;
}

/** Lists the project's skills. */
export async function listSkills(folders: Folders): Promise<CheckoutSkills> {
  requireCheckout(folders);
  const skills = await listProjectSkills(folders);
  return { skills: skills.map(({ name, description, argumentHint }) => ({ name, description, argumentHint })) };
}

/** The folders that may hold skills. Of two skills with one name, the first counts. */
const places = [".agents/skills", ".claude/skills"];
const skillsMax = 100;

/** The project's skills by name. */
export async function listProjectSkills(folders: Folders): Promise<ProjectSkill[]> {
  const found = new Map<string, ProjectSkill>();
  for (const place of places) {
    for (const name of await listFolders(folders, place)) {
      if (found.size === skillsMax) break;
      const skill = await readProjectSkill(folders, `${place}/${name}/SKILL.md`).catch(() => null);
      if (skill && !found.has(skill.name)) found.set(skill.name, skill);
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function listFolders(folders: Folders, place: string): Promise<string[]> {
  try {
    return (await readdir(await resolveInProject(folders.project, place))).sort().slice(0, 10 * skillsMax);
  } catch {
    return [];
  }
}

async function readProjectSkill(folders: Folders, path: string): Promise<ProjectSkill | null> {
  const real = await resolveInProject(folders.project, path);
  // `stat` before the open, because opening a named pipe blocks until somebody writes to it.
  const found = await stat(real);
  if (!found.isFile() || found.size > skillFileBytes) return null;
  const reading = readSkill(new TextDecoder("utf-8", { fatal: true }).decode(await readFile(real)));
  return "skill" in reading ? { ...reading.skill, folder: dirname(path) } : null;
}
