// A message as the agent gets it: its words, the list of the files that came with it, and the images a model can look at.
import type { SkillCall } from "../../src/rules/skill/skill-call.ts";
import type { AttachedFile, TurnStart } from "../../src/sandbox/protocol.ts";
import type { Agent, AgentMessage } from "../agent/agent.ts";
import { expandSkill } from "../agent/skills/expansion.ts";
import type { Folders } from "../folders.ts";
import { imagesOf, type StoredFile, storeAttachments } from "./attachments.ts";

/** Words and files made ready for the agent of this turn. Throws an error for people when a file cannot be had. */
export async function readyMessage(
  folders: Folders,
  { model, profile }: Pick<TurnStart, "model" | "profile">,
  message: { text: string; skill?: SkillCall | null; attachments: AttachedFile[] },
  signal: AbortSignal,
): Promise<AgentMessage> {
  const files = await storeAttachments(folders, message.attachments, model.token, signal);
  const text = await expandSkill(folders, profile.skills, message.skill ?? null, message.text);
  return { text: withFiles(text, files), images: model.acceptsImages ? await imagesOf(files) : [] };
}

/** The prompt of a turn, with what was said before where the agent does not know it. */
export function promptOf(agent: Agent, start: TurnStart): string {
  const { id, handover } = start.conversation;
  if (handover === null || handover === "" || agent.hasConversation(id)) return start.prompt;
  return `<conversation>\n${handover}\n</conversation>\n\n${start.prompt}`;
}

function withFiles(text: string, files: StoredFile[]): string {
  if (files.length === 0) return text;
  const list = files.map(({ path, mediaType, byteSize }) => `- ${path} (${mediaType}, ${byteSize} bytes)`);
  return [text, ...(text === "" ? [] : [""]), "Attached files:", ...list].join("\n");
}
