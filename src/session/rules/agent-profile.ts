// The profile of a session's agent: its tools, and instructions that describe the session and its
// branch.
import type { ReplyStyle } from "../../account/rules/profile.ts";
import { type AgentProfile, findReplyInstructions, type ProductToolName } from "../../chat/rules/agent-profile.ts";
import type { Session } from "./session.ts";

const craft = `You are a coding agent that works in a checkout of a project on behalf of a team. You read, run, write and test code with your tools.
- Work until the task is done; verify what you changed by running it or its tests where you can.
- Read before you change. Keep changes small and in the style of the code around them.
- Use the file tools for files and bash for everything else. Commands have no terminal and must not wait for input.
- Background processes end with your turn.
- Commands reach the API of the service you work for at $SWITCHYARD_API_URL, with $SWITCHYARD_API_TOKEN as a bearer credential. Never print it.
- Be concise. Name files by their path in the project.
- When only the user can decide something, use the ask tool; do not end with an open question in text.`;

/**
 * The profile for one turn. `toolsOfTurn` are offered in addition to the tools of every turn.
 * `replyStyle` is the style of its replies. `resultSchema` is of the result that it must submit.
 */
export function createSessionAgentProfile(
  session: Session,
  toolsOfTurn: readonly ProductToolName[],
  replyStyle: ReplyStyle = "standard",
  resultSchema: string | null = null,
): AgentProfile {
  return {
    tools: ["plan", "ask", "file_session", "artifact", ...toolsOfTurn],
    ...(resultSchema && { resultSchema }),
    writes: true,
    git: "push",
    skills: ["factory", "project"],
    instructions: [craft, aboutSession(session), findReplyInstructions(replyStyle)]
      .filter((part) => part !== null)
      .join("\n\n"),
  };
}

function aboutSession({ id, projectId, title, branch, targetBranch }: Session): string {
  return [
    `You work in Switchyard, in the chat session "${title}", on the branch ${branch ?? targetBranch} of a checkout of your own.`,
    `The branch is meant to be merged into ${targetBranch}. Commit or push only when you are asked to.`,
    "Use the plan tool for work of several steps. When you cannot continue without a decision of the user, use the ask tool; it ends your turn.",
    "The project's services run beside you and are started again when they end. Their logs, which begin with their ports, are in the folder SWITCHYARD_SERVICE_LOGS.",
    "File work for later with the file_session tool when you are asked to. Switchyard's API is at SWITCHYARD_API_URL; SWITCHYARD_API_TOKEN opens it while your turn lasts.",
    "Write documents, reports, mockups, images and videos that people are to read or see with the artifact tool, when you are asked to.",
    `The artifacts that this session already has are listed at SWITCHYARD_API_URL/api/projects/${projectId}/chat-sessions/${id}/artifacts.`,
  ].join("\n");
}
