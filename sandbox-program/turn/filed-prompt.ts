// A prompt that calls a skill which its agent cannot use. It is filed unchanged in the Backlog,
// where a session can run the skill.
import type { TurnStart } from "../../src/sandbox-protocol/protocol.ts";
import type { AgentEvent } from "../agent/agent.ts";
import { listProjectSkills } from "../agent/skills/project.ts";
import { fileSession } from "../agent/tools/file-session.ts";
import type { Folders } from "../folders.ts";

/**
 * Files the prompt and returns the turn's message about it. Null for a prompt that the agent should
 * read.
 */
export async function filePrompt(
  folders: Folders,
  { prompt, skill, profile, api }: Pick<TurnStart, "prompt" | "skill" | "profile" | "api">,
  signal: AbortSignal,
): Promise<AgentEvent[] | null> {
  if (skill === null || profile.skillsElsewhere?.includes(skill.name) !== true) return null;
  if ((await listProjectSkills(folders)).some(({ name }) => name === skill.name)) return null;
  const session = await fileSession(api, { prompt }, signal);
  const text =
    `The prompt calls the skill ${skill.name}, which is not one of the checkout, so I could not run it. I filed the prompt word for word ` +
    `in the Backlog as the session "${session.title}"; a session can run the skill once somebody starts it.`;
  return [
    { type: "filed_session", session },
    { type: "text_begin" },
    { type: "text", delta: text },
    { type: "text_end" },
  ];
}
