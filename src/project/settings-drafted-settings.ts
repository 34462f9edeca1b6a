// The settings of a project with the deploy agent's draft over them. All values rest sealed; they are opened only to be compared.
import type { Env } from "../env.ts";
import type { SettingsDraft } from "../rules/deploy/project-state.ts";
import { withDraft } from "../rules/deploy/settings-draft.ts";
import type { ProjectSettings, StoredValue } from "./rules/settings.ts";
import { openSettings } from "./settings-project-settings.ts";

/** The settings with their values. */
export async function draftedSettings(
  { SEALING_KEYS }: Pick<Env, "SEALING_KEYS">,
  project: { id: string; settings: ProjectSettings<StoredValue> },
  draft: SettingsDraft | null,
): Promise<ProjectSettings> {
  const { id } = project;
  const open = (settings: ProjectSettings<StoredValue>) => openSettings(SEALING_KEYS, { id, settings });
  if (draft === null) return await open(project.settings);
  const [current, base, settings] = await Promise.all([open(project.settings), open(draft.base), open(draft.settings)]);
  return withDraft(current, { base, settings });
}
