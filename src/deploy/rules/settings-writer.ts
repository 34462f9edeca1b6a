// The deploy agent may write settings only on the instructions of people. Settings run in
// everybody's sandboxes, and an agent that may send to the Deploy Chat may not write them.
import { getWriterOfText, type WrittenText } from "../../chat/rules/message.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";

/** A message that was given to the deploy agent. */
export type GivenMessage = Pick<WrittenText, "context" | "author"> & { createdAt: number };

/** The texts that a turn of the deploy agent was given. */
export interface TurnWords {
  /** Its messages and its steers, including steers that the agent has not taken yet. */
  said: readonly GivenMessage[];
  /** The messages of earlier turns of the same Deploy, newest first. */
  earlier: Iterable<GivenMessage>;
}

const wayOn =
  "Ask a member with the ask tool: say what you would write, and why. You can write it in the turn of the member's answer.";

/** How the service refuses the settings of an agent. */
export const settingsNotWritten = "The settings were not written";

const byAgent = refuse("FORBIDDEN", `${settingsNotWritten}, because an agent wrote a message of this turn. ${wayOn}`);
const unseen = refuse(
  "FORBIDDEN",
  `${settingsNotWritten}, because an agent wrote a message, and no member has written since then. ${wayOn}`,
);

const isByPerson = (message: GivenMessage) => getWriterOfText(message) === "person";

/**
 * Refuses to write settings unless people wrote everything that the turn was given. The deploy
 * agent also still sees the earlier turns of its Deploy. A member who writes after an agent's
 * message has seen that message, and approves it. A message that waited in the queue may have been
 * written before the agent's message.
 */
export function checkSettingsWriter({ said, earlier }: TurnWords): Refusal | null {
  if (!said.every(isByPerson)) return byAgent;
  const writtenAt = Math.max(...said.map(({ context, createdAt }) => context.writtenAt ?? createdAt));
  for (const message of earlier) {
    if (message.createdAt <= writtenAt) return null;
    if (!isByPerson(message)) return unseen;
  }
  return null;
}
