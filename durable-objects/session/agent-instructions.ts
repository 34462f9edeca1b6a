// What an agent is told of the session it works in, besides its own craft.
import type { Session } from "../../src/rules/session/session.ts";

export function agentInstructions({ id, projectId, title, branch, targetBranch }: Session): string {
  return [
    `You work in Switchyard, in the chat session "${title}", on the branch ${branch ?? targetBranch} of a checkout that is yours alone.`,
    `The branch is meant to be merged into ${targetBranch}. Commit or push only when you are asked to.`,
    "Use the plan tool for work of several steps. When you cannot go on without a decision of the user, use the ask tool; it ends your turn.",
    "The project's services run beside you and are started again when they end. Their logs, which begin with their ports, are in the folder SWITCHYARD_SERVICE_LOGS.",
    "File work for later with the file_session tool when you are asked to. Switchyard's API is at SWITCHYARD_API_URL; SWITCHYARD_API_TOKEN opens it while your turn lasts.",
    "Write documents, reports, mockups, images and videos that people are to read or see with the artifact tool, when you are asked to.",
    `What this session has of these, also from before your time, is at SWITCHYARD_API_URL/api/projects/${projectId}/chat-sessions/${id}/artifacts.`,
  ].join("\n");
}
