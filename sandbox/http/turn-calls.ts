// What callers send about the agent's work, read field by field into the protocol's types: a turn, a steer, a compaction.
import { type AgentProfile, gitAccesses, productToolNames, skillSources } from "../../src/rules/chat/agent-profile.ts";
import type { ChosenOption } from "../../src/rules/chat/message.ts";
import type { SkillCall } from "../../src/rules/skill/skill-call.ts";
import {
  type AttachedFile,
  type Compaction,
  type LinkCommand,
  type ModelAccess,
  modelWires,
  type TurnStart,
} from "../../src/sandbox/protocol.ts";
import {
  checkId,
  environmentField,
  type Fields,
  nullableText,
  numberField,
  textField,
  textsField,
  toFields,
  urlField,
} from "./body.ts";
import { refusal } from "./refusal.ts";

export type SteerCommand = Extract<LinkCommand, { type: "steer" }>;

export function readTurnCall(fields: Fields): TurnStart {
  const link = toFields(fields.link, "`link`");
  const git = toFields(fields.git, "`git`");
  const api = toFields(fields.api, "`api`");
  const conversation = toFields(fields.conversation, "`conversation`");
  return {
    turnId: checkId(textField(fields, "turnId")),
    link: { url: urlField(link, "url"), token: textField(link, "token") },
    model: readModel(fields),
    git: { token: textField(git, "token") },
    targetBranch: textField(fields, "targetBranch"),
    prompt: textField(fields, "prompt"),
    skill: readSkillCall(fields),
    answers: readAnswers(fields),
    profile: readProfile(fields),
    attachments: readAttachments(fields),
    outputsUrl: urlField(fields, "outputsUrl"),
    toolsUrl: urlField(fields, "toolsUrl"),
    artifactsUrl: urlField(fields, "artifactsUrl"),
    api: { url: urlField(api, "url"), token: textField(api, "token"), projectId: checkId(textField(api, "projectId")) },
    conversation: {
      id: checkId(textField(conversation, "id")),
      isNew: conversation.isNew === true,
      handover: nullableText(conversation, "handover"),
    },
    env: environmentField(fields, "env"),
    secretNames: fields.secretNames === undefined ? [] : textsField(fields, "secretNames"),
  };
}

export const readSteer = (fields: Fields): SteerCommand => ({
  type: "steer",
  steerId: textField(fields, "steerId"),
  text: textField(fields, "text"),
  skill: readSkillCall(fields),
  attachments: readAttachments(fields),
});

export const readCompactionCall = (fields: Fields): Compaction => ({
  commandId: textField(fields, "commandId"),
  model: readModel(fields),
  conversationId: checkId(textField(fields, "conversationId")),
  profile: readProfile(fields),
  focus: textField(fields, "focus"),
});

function readProfile({ profile }: Fields): AgentProfile {
  const fields = toFields(profile, "`profile`");
  const git = gitAccesses.find((access) => access === fields.git);
  if (!git) throw refusal("BAD_CALL", "`git` is not known here.");
  return {
    tools: chosenFrom(productToolNames, textsField(fields, "tools"), "tools"),
    writes: fields.writes === true,
    git,
    skills: chosenFrom(skillSources, textsField(fields, "skills"), "skills"),
    instructions: textField(fields, "instructions"),
  };
}

/** The names as those that are known. An unknown one is refused: what it means can only be guessed. */
function chosenFrom<Name extends string>(known: readonly Name[], names: string[], field: string): Name[] {
  return names.map((name) => {
    const found = known.find((one) => one === name);
    if (found === undefined) throw refusal("BAD_CALL", `\`${field}\` holds ${name}, which is not known here.`);
    return found;
  });
}

function readSkillCall({ skill }: Fields): SkillCall | null {
  if (skill === null || skill === undefined) return null;
  const fields = toFields(skill, "`skill`");
  return { name: textField(fields, "name"), argument: textField(fields, "argument") };
}

function readAnswers({ answers }: Fields): ChosenOption[] | null {
  if (!Array.isArray(answers)) return null;
  return answers.map((item: unknown) => {
    const fields = toFields(item, "An answer");
    return { question: textField(fields, "question"), option: textField(fields, "option") };
  });
}

function readAttachments({ attachments }: Fields): AttachedFile[] {
  if (!Array.isArray(attachments)) throw refusal("BAD_CALL", "`attachments` is not a list.");
  return attachments.map((item: unknown) => {
    const fields = toFields(item, "An attachment");
    return {
      id: checkId(textField(fields, "id")),
      name: textField(fields, "name"),
      mediaType: textField(fields, "mediaType"),
      byteSize: numberField(fields, "byteSize", 0),
      url: urlField(fields, "url"),
    };
  });
}

function readModel({ model }: Fields): ModelAccess {
  const fields = toFields(model, "`model`");
  const wire = modelWires.find((name) => name === fields.wire);
  if (!wire) throw refusal("BAD_CALL", "`wire` is not one this agent speaks.");
  return {
    provider: textField(fields, "provider"),
    wire,
    baseUrl: urlField(fields, "baseUrl"),
    token: textField(fields, "token"),
    id: textField(fields, "id"),
    effort: textField(fields, "effort"),
    speed: nullableText(fields, "speed"),
    contextWindow: numberField(fields, "contextWindow"),
    maxOutputTokens: numberField(fields, "maxOutputTokens"),
    acceptsImages: fields.acceptsImages === true,
  };
}
