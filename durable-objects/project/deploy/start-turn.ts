// Starts a turn of the deploy agent: wakes the sandbox of its Deploy and hands it the turn, or
// returns why that is not possible.

import { service } from "../../../src/access/rules/actor.ts";
import { findChosenOptions, mayAnswer } from "../../../src/chat/rules/clarification.ts";
import type { SaidMessage } from "../../../src/chat/rules/message.ts";
import { createTurnPrompt, formatMessage } from "../../../src/chat/rules/prompt.ts";
import type { Turn } from "../../../src/chat/rules/turn.ts";
import { recordPayer } from "../../../src/chat/rules/turn-payer.ts";
import { agentWroteNote, deployAgentProfile, formatFirstTask } from "../../../src/deploy/rules/agent-profile.ts";
import { getNoModelError } from "../../../src/deploy/rules/model.ts";
import { toTurnModel } from "../../../src/model/turn-model.ts";
import { findProject, type Project } from "../../../src/project/queries.ts";
import { toMaskedSettings } from "../../../src/project/rules/settings.ts";
import { getDraftedSettings } from "../../../src/project/settings.ts";
import { workspacePays } from "../../../src/provider-login/rules/payer.ts";
import { getMainSandboxOwner } from "../../../src/sandbox/rules/owner.ts";
import type { TurnRequest } from "../../../src/sandbox/turn-request.ts";
import { findCalledSkill } from "../../../src/skill/rules/skill-call.ts";
import { getSandboxObject } from "../../address.ts";
import { signAttachedFiles } from "../../chat/steer-command.ts";
import type { ProjectContext } from "../context.ts";
import { checkTurnWriters } from "./settings.ts";

const handoverCharacters = 100_000;

/**
 * Hands a turn to its sandbox. Returns null if the sandbox has it, otherwise the reason. Throws if
 * the attempt must be repeated.
 */
export async function startDeployTurn(context: ProjectContext, turn: Turn): Promise<string | null> {
  const { env, store, chat } = context;
  const state = store.find();
  const sandboxKey = store.turnPlace(turn.id)?.sandboxKey ?? null;
  if (!state) return "The project has been deleted.";
  if (turn.model === null) return getNoModelError(state.savedModel);
  const model = toTurnModel(turn.model);
  if (model === null) return `The model ${turn.model} is no longer in the catalog. Pick another one for the Deploy.`;
  if (sandboxKey === null) return "The Deploy no longer has a sandbox. Start it again.";
  const project = await findProject(env.DB, state.id);
  if (!project) return "The project has been deleted.";
  chat.owner.decide(service, (current) => recordPayer(current, { turnId: turn.id, payer: workspacePays }));
  const said = chat.conversation.listMessages(turn.id);
  const previous = chat.store.turnNumbered(turn.number - 1);
  const isNew = !chat.store.hasStartedConversation(turn);
  const [first] = said;
  const earlier = () => chat.transcript.textBefore(turn.id, handoverCharacters, state.chat.clearedAt);
  const request: TurnRequest = {
    owner: { type: "project", id: state.id },
    sandboxOwner: getMainSandboxOwner(project),
    turnId: turn.id,
    model,
    payer: workspacePays,
    prompt: [
      await createPrompt(context, project, { said, previous, isNew }),
      ...(checkTurnWriters(context, turn.id) ? [agentWroteNote] : []),
    ].join("\n\n"),
    skill: first ? findCalledSkill(first, turn.model) : null,
    answers:
      first && previous && mayAnswer(first, previous)
        ? findChosenOptions(chat.conversation.listQuestions(previous.id), first)
        : null,
    profile: deployAgentProfile,
    attachments: signAttachedFiles(
      env,
      said.flatMap(({ attachments }) => attachments),
    ),
    agentToken: "",
    conversation: { id: turn.conversationId, isNew, handover: turn.isHandover ? earlier() : null },
  };
  const sandbox = getSandboxObject(env, sandboxKey);
  const refused = await sandbox.refreshSettings(request.sandboxOwner);
  if (refused) return refused.message;
  let outcome = await sandbox.startTurn(request);
  if (!outcome.taken && outcome.conversationMissing) {
    const conversation = { ...request.conversation, isNew: true, handover: earlier() };
    outcome = await sandbox.startTurn({ ...request, conversation });
  }
  if (outcome.taken) return null;
  return outcome.conversationMissing ? "The agent's conversation could not be restored." : outcome.error;
}

interface TurnSaid {
  said: SaidMessage[];
  previous: Turn | null;
  isNew: boolean;
}

/** The first turn of a conversation starts with the task. Every turn includes what members said. */
async function createPrompt(
  { env, store }: ProjectContext,
  project: Project,
  { said, previous, isNew }: TurnSaid,
): Promise<string> {
  const [first, ...others] = said;
  const texts = others.map((message) => formatMessage(message, ""));
  if (!isNew) return [first ? createTurnPrompt(first, "", previous) : "Continue.", ...texts].join("\n\n");
  const { deploy, draft } = store.find() ?? {};
  const settings = toMaskedSettings(await getDraftedSettings(env, project, draft ?? null));
  const task = formatFirstTask({ problems: deploy?.problems ?? [], settings: JSON.stringify(settings, null, 2) });
  return [task, ...said.map((message) => formatMessage(message, ""))].join("\n\n");
}
