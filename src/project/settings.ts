// Reads and replaces the settings of a project. The values of its environments are stored sealed and answered masked.
import { projectObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { replaceSettings, settingsText } from "./queries.ts";
import { checkSettings } from "./rules/check-settings.ts";
import type { ProjectSettings } from "./rules/settings.ts";
import { keepMasked, maskedSettings } from "./rules/settings-masked-settings.ts";
import { openSettings, sealSettings } from "./settings-project-settings.ts";

/** Of somebody else's write between the read and the write of this one. */
const attemptsMax = 5;

const unknown = refuse("NOT_FOUND", "There is no such project.");

/** Answers the masked settings. */
export async function readSettings(
  env: Pick<Env, "DB" | "SEALING_KEYS">,
  projectId: string,
): Promise<ProjectSettings | Refusal> {
  const text = await settingsText(env.DB, projectId);
  if (text === null) return unknown;
  return maskedSettings(await openSettings(env.SEALING_KEYS, { id: projectId, settings: JSON.parse(text) }));
}

/** Puts settings in the place of the present ones, and answers them masked. They hold from a sandbox's next start or reset on. */
export async function putSettings(
  env: Pick<Env, "DB" | "SEALING_KEYS" | "PROJECT">,
  { projectId, settings: wanted }: { projectId: string; settings: ProjectSettings },
  now: number,
): Promise<ProjectSettings | Refusal> {
  const refusal = checkSettings(wanted);
  if (refusal) return refusal;
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const read = await settingsText(env.DB, projectId);
    if (read === null) return unknown;
    const kept = keepMasked(wanted, JSON.parse(read));
    if (isRefusal(kept)) return kept;
    const settings = await openSettings(env.SEALING_KEYS, { id: projectId, settings: kept });
    const sealed = await sealSettings(env.SEALING_KEYS, { id: projectId, settings });
    if (!(await replaceSettings(env.DB, { id: projectId, read, ...sealed, updatedAt: now }))) continue;
    await projectObject(env, projectId).settingsChanged();
    return maskedSettings(settings);
  }
  return refuse("CONFLICT", "Others change these settings at the same time. Read them, then send yours again.");
}
