// What the agent said in a turn: its questions, and its last words.
import type { Schemas, Switchyard } from "@switchyard/client";
import type { Asked } from "./question.ts";

/** Enough for the questions, and for the words after the last tool. */
const partsRead = 50;

async function readBlocks(service: Switchyard, { projectId, sessionId, jobId }: Asked): Promise<Schemas["Block"][]> {
  const { messages } = await service.request("GET /api/projects/{projectId}/chat-sessions/{sessionId}/messages", {
    path: { projectId, sessionId },
    query: { job: jobId, limit: partsRead, outputs: 0 },
  });
  return messages.flatMap(({ role, blocks }) => (role === "assistant" ? blocks : []));
}

/** The questions with which a turn ended. */
export async function findQuestions(service: Switchyard, job: Asked): Promise<Schemas["ClarificationQuestion"][]> {
  const last = (await readBlocks(service, job)).findLast(({ type }) => type === "clarification");
  return last?.type === "clarification" ? last.clarificationData.questions : [];
}

/** The texts after the last tool of a turn. A void text is empty. */
export async function findLastWords(service: Switchyard, job: Asked): Promise<string> {
  const said = (await readBlocks(service, job)).filter((block) => block.type !== "text" || block.content !== "");
  const texts = said.map((block) => (block.type === "text" ? block.content : null));
  const last = texts.findLastIndex((text) => text !== null);
  const before = texts.slice(0, last + 1).lastIndexOf(null);
  return texts
    .slice(before + 1, last + 1)
    .join("\n\n")
    .trim();
}
