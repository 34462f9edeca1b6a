// Who may call a built-in skill: whose messages count as a call. From anybody else, the message is
// ordinary text (decisions, "Skills and people").
import { getWriterOfText, type Writer, type WrittenText } from "../../chat/rules/message.ts";
import type { BuiltInSkill, BuiltInSkillName } from "./built-in-skills.ts";

const peopleAndThoseForThem = ["person", "relay", "agent-for-member"] as const;

const callers: Record<BuiltInSkillName, readonly Writer[]> = {
  "svc:open-pr": peopleAndThoseForThem,
  "svc:sync-branch": peopleAndThoseForThem,
  "svc:ship": ["person"],
};

/** True if the message may call a built-in skill, or continue one that asked a question. */
export function mayCallSkill({ name }: Pick<BuiltInSkill, "name">, message: WrittenText): boolean {
  return callers[name].includes(getWriterOfText(message));
}

const writerInWords: Record<Writer, string> = {
  person: "a person",
  relay: "a chat-tool relay",
  "agent-for-member": "an agent that acts as a member",
  agent: "any agent",
};

/** Whose messages may call a built-in skill, in words: "a person, or from a chat-tool relay". */
export function formatCallers({ name }: Pick<BuiltInSkill, "name">): string {
  return callers[name].map((writer) => writerInWords[writer]).join(", or from ");
}
