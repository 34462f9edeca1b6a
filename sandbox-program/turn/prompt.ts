// Prepares a message for the agent: its text, the list of its attachments, and its images.

import type { AttachedFile, TurnStart } from "../../src/sandbox-protocol/protocol.ts";
import type { SkillCall } from "../../src/skill/rules/skill-call.ts";
import type { Agent, AgentMessage } from "../agent/agent.ts";
import { expandSkill, type TurnGivens } from "../agent/skills/expansion.ts";
import type { Folders } from "../folders.ts";
import { readImages, type StoredFile, saveAttachments } from "./attachments.ts";

/**
 * Prepares text and attachments for the agent. Throws a readable error if a file or the called
 * skill is unavailable.
 */
export async function createAgentMessage(
  folders: Folders,
  { model, profile }: Pick<TurnStart, "model" | "profile">,
  given: TurnGivens,
  message: { text: string; skill?: SkillCall | null; attachments: AttachedFile[] },
  signal: AbortSignal,
): Promise<AgentMessage> {
  const files = await saveAttachments(folders, message.attachments, model.token, signal);
  const places = { sources: profile.skills, given };
  const text = await expandSkill(folders, places, message.skill ?? null, message.text);
  return { text: withFiles(text, files), images: model.acceptsImages ? await readImages(files) : [] };
}

/** The prompt of a turn. Includes the earlier conversation if the agent does not have it. */
export function getPrompt(agent: Agent, start: TurnStart): string {
  const { id, handover } = start.conversation;
  if (handover === null || handover === "" || agent.hasConversation(id)) return start.prompt;
  return `<conversation>\n${handover}\n</conversation>\n\n${start.prompt}`;
}

function withFiles(text: string, files: StoredFile[]): string {
  if (files.length === 0) return text;
  const list = files.map(({ path, mediaType, byteSize }) => `- ${path} (${mediaType}, ${byteSize} bytes)`);
  return [text, ...(text === "" ? [] : [""]), "Attached files:", ...list].join("\n");
}
