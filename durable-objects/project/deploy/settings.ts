// The settings of a project as its Deploys change them: the deploy agent's draft, the promotion of
// that draft, and restoring the settings after a dropped draft.

import type { TurnLinkClaim } from "../../../src/chat/rules/chat.ts";
import { stopReplacedRuns } from "../../../src/cron/stop-runs.ts";
import { promoteSandbox } from "../../../src/deploy/queries.ts";
import type { SettingsDraft } from "../../../src/deploy/rules/project-state.ts";
import { type AgentSettings, withWrittenFields } from "../../../src/deploy/rules/settings-draft.ts";
import { checkSettingsWriter } from "../../../src/deploy/rules/settings-writer.ts";
import type { Env } from "../../../src/env.ts";
import { withPlaceholders } from "../../../src/network/secrets.ts";
import { writeProposal } from "../../../src/network/settings.ts";
import { getAllowedHostVariables } from "../../../src/preview/rules/allowed-hosts.ts";
import { findProject, findSettingsText, type Project, replaceSettings } from "../../../src/project/queries.ts";
import { checkSettings } from "../../../src/project/rules/check-settings.ts";
import { fromMaskedSettings, type ProjectSettings, toMaskedSettings } from "../../../src/project/rules/settings.ts";
import { getDraftedSettings, sealSettings, unsealSettings } from "../../../src/project/settings.ts";
import { decided } from "../../../src/rules/decision.ts";
import { isRefusal, type Refusal, refuse } from "../../../src/rules/refusal.ts";
import { getMainSandboxOwner } from "../../../src/sandbox/rules/owner.ts";
import { getSandboxObject } from "../../address.ts";
import { isTurnLive } from "../../chat/effects.ts";
import type { ProjectContext } from "../context.ts";
import type { SettingsForAgent } from "../rpc.ts";

/** How often a write is attempted when members write between its read and its write. */
const attemptsMax = 5;

/** The settings with the draft applied, sealed, and the stored text that they would replace. */
async function drafted(env: Env, projectId: string, draft: SettingsDraft | null) {
  const read = await findSettingsText(env.DB, projectId);
  if (read === null) return null;
  const settings = await getDraftedSettings(env, { id: projectId, settings: JSON.parse(read) }, draft);
  return { read, ...(await sealSettings(env.SEALING_KEYS, { id: projectId, settings })) };
}

/**
 * Repeats the write until no member has changed the settings in between. Writes nothing for a
 * deleted project.
 */
async function write(
  context: ProjectContext,
  put: (wanted: NonNullable<Awaited<ReturnType<typeof drafted>>>) => Promise<boolean>,
): Promise<void> {
  const { env, store } = context;
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const { id = "", draft = null } = store.find() ?? {};
    const wanted = await drafted(env, id, draft);
    if (wanted === null || (await put(wanted))) return;
  }
  throw new Error("the settings change all the time");
}

/** Makes the sandbox of the Deploy the live one, and puts the draft in force. */
export async function promote(context: ProjectContext, sandboxKey: string): Promise<void> {
  const { env, store } = context;
  const projectId = store.find()?.id ?? "";
  await write(context, (wanted) => promoteSandbox(env.DB, { projectId, sandboxKey, ...wanted, now: Date.now() }));
  await stopReplacedRuns(env, projectId, sandboxKey);
}

/** Puts the draft of an update in force. */
export async function applyDraft(context: ProjectContext, { id }: Pick<Project, "id">): Promise<void> {
  const { env, store } = context;
  if (!store.find()?.draft) return;
  await write(context, (wanted) => replaceSettings(env.DB, { id, ...wanted, updatedAt: Date.now() }));
}

/**
 * Makes the services of the live sandbox use the project's settings again. A sleeping sandbox takes
 * the settings when it wakes.
 */
export async function restoreSettings({ env, store }: ProjectContext, sandboxKey: string): Promise<void> {
  const { id = "" } = store.find() ?? {};
  const project = await findProject(env.DB, id);
  if (project) await getSandboxObject(env, sandboxKey).refreshSettings(getMainSandboxOwner(project));
}

/**
 * Seals the draft with the first sealing key, as the sweep seals the project's settings, so that
 * older keys can be removed.
 */
export async function resealDraft({ env, store, decide }: ProjectContext): Promise<void> {
  const { id = "", draft = null } = store.find() ?? {};
  if (draft === null) return;
  const reseal = async (settings: SettingsDraft["base"]) =>
    (await sealSettings(env.SEALING_KEYS, { id, settings })).settings;
  const resealed = { base: await reseal(draft.base), settings: await reseal(draft.settings) };
  // If the agent has written a new draft meanwhile, that is already sealed with the first key.
  const isSame = (current: SettingsDraft | null) => JSON.stringify(current) === JSON.stringify(draft);
  decide((current) => decided(isSame(current.draft) ? { ...current, draft: resealed } : current, null));
}

/** Refuses to write settings unless people wrote everything that the turn was given. */
export function checkTurnWriters({ chat }: ProjectContext, turnId: string): Refusal | null {
  const { steers = [], clearedAt = null } = chat.owner.find() ?? {};
  const waiting = steers.filter((steer) => steer.turnId === turnId).map(({ message }) => message);
  return checkSettingsWriter({
    said: [...chat.conversation.listMessages(turnId), ...waiting],
    earlier: chat.conversation.writersBesides(turnId, clearedAt),
  });
}

const turnOver = refuse("FORBIDDEN", "This turn is over.");

const proposedSentence =
  "The network is proposed. It applies after a member has set it. Say at the end what you proposed and why.";

/**
 * Reads the settings for the agent of a live turn, or writes them as a draft, and keeps the network
 * that it proposes. The network itself stays as it is. Refusals are worded so that the agent can
 * act on them.
 */
export async function readOrDraftSettings(
  context: ProjectContext,
  claim: TurnLinkClaim,
  { proposedNetwork, ...change }: AgentSettings,
): Promise<SettingsForAgent | Refusal> {
  const { env, store, chat, decide } = context;
  if (!isTurnLive(chat, claim)) return turnOver;
  const state = store.find();
  const project = state && (await findProject(env.DB, state.id));
  if (!state || !project) return refuse("NOT_FOUND", "The project has been deleted.");
  const present = await getDraftedSettings(env, project, state.draft);
  const isChange = Object.keys(change).length > 0;
  if (!isChange && !proposedNetwork) return { shown: inJson(present), plan: null };
  const mayNot = checkTurnWriters(context, claim.turnId);
  if (mayNot) return mayNot;
  // The settings are checked first, so that a refused call changes nothing.
  const wanted = isChange ? await applyChange(env, project.id, { present, change }) : null;
  if (isRefusal(wanted)) return wanted;
  const refusal = proposedNetwork && (await writeProposal(env, { projectId: project.id, network: proposedNetwork }));
  if (refusal) return refusal;
  if (wanted === null) return { shown: proposedSentence, plan: null };
  const { settings } = await sealSettings(env.SEALING_KEYS, { id: project.id, settings: wanted });
  const draft: SettingsDraft = { base: project.settings, settings };
  // The sandbox works with the placeholders of network secrets, which are no part of the draft.
  const applied = await withPlaceholders(env, project.id, wanted);
  const sealed = await sealSettings(env.SEALING_KEYS, { id: project.id, settings: applied });
  // An agent may have steered a message into the turn since the first check.
  const kept = decide((current) =>
    isTurnLive(chat, claim)
      ? (checkTurnWriters(context, claim.turnId) ?? decided({ ...current, draft }, null))
      : turnOver,
  );
  if (isRefusal(kept)) return kept;
  const key = store.turnPlace(claim.turnId)?.sandboxKey ?? "";
  await getSandboxObject(env, key).saveSettings(sealed.settings);
  const { setup, services, env: variables } = applied;
  return {
    shown: inJson(wanted),
    plan: { setup, services, env: variables, hostEnv: getAllowedHostVariables(env.PREVIEW_DOMAIN) },
  };
}

/** The settings with the fields that the agent writes. */
async function applyChange(
  { SEALING_KEYS }: Pick<Env, "SEALING_KEYS">,
  id: string,
  { present, change }: { present: ProjectSettings; change: Omit<AgentSettings, "proposedNetwork"> },
): Promise<ProjectSettings | Refusal> {
  const unmasked = fromMaskedSettings(withWrittenFields(present, change), present);
  if (isRefusal(unmasked)) return unmasked;
  const wanted = await unsealSettings(SEALING_KEYS, { id, settings: unmasked });
  return checkSettings(wanted) ?? wanted;
}

const inJson = (settings: ProjectSettings) => JSON.stringify(toMaskedSettings(settings), null, 2);
