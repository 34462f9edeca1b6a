// The saves of the settings' sections. The service has no version of them, so each section is read
// again just before.
import {
  changeProject,
  type Project,
  type ProjectSettings,
  putSettings,
  readProject,
  readSettings,
} from "./queries.ts";
import { isSame, placeSection, type SectionName } from "./settings-form.ts";
import type { Written } from "./use-section.ts";

interface Change<Value> {
  mine: Value;
  /** What is overwritten. */
  known: Value;
}

export async function saveSection<Name extends SectionName>(
  projectId: string,
  name: Name,
  { mine, known }: Change<ProjectSettings[Name]>,
): Promise<Written<ProjectSettings[Name]>> {
  const newest = await readSettings(projectId);
  if (isSame(mine, newest[name])) return { saved: newest[name] };
  const body = placeSection(name, { base: known, newest, mine });
  if (body === null) return { theirs: newest[name] };
  return { saved: (await putSettings(projectId, body))[name] };
}

type Names = Pick<Project, "name" | "targetBranch">;

export async function saveNames(projectId: string, { mine, known }: Change<Names>): Promise<Written<Names>> {
  const { name, targetBranch } = await readProject(projectId);
  const newest = { name, targetBranch };
  if (isSame(mine, newest)) return { saved: newest };
  if (!isSame(known, newest)) return { theirs: newest };
  const saved = await changeProject(projectId, {
    ...(mine.name === name ? {} : { name: mine.name }),
    ...(mine.targetBranch === targetBranch ? {} : { targetBranch: mine.targetBranch }),
  });
  return { saved: { name: saved.name, targetBranch: saved.targetBranch } };
}
