// A message of the conversation on the wire, with the blocks of the agent's reply.
import * as z from "zod";
import { commentSides } from "../../checkout/rules/review-comment.ts";
import { exampleIds, exampleSessionPath, exampleTimes, formatTime, timestamp, uuid } from "../../lib/wire.ts";
import { filePathCharacters } from "../../rules/limits.ts";
import { type Attachment, type Message, type MessageContext, messageRoles } from "../rules/message.ts";
import { authorSchema, toWireAuthor } from "./author.ts";
import { blockSchema } from "./block.ts";

const previewContextSchema = z
  .object({
    frontendName: z.string().describe("A key of `frontendUrls`."),
    path: z.string().describe("The path of the page."),
  })
  .meta({
    id: "PreviewContext",
    description: "The page of the preview that the sender looked at.",
    examples: [{ frontendName: "web", path: "/board" }],
  });

const chosenOptionSchema = z
  .object({
    question: z.string().describe("The question, as it was asked."),
    option: z.string().describe("The title of the chosen option."),
  })
  .meta({
    id: "ChosenOption",
    description: "A chosen option of a clarification.",
    examples: [{ question: "Which order?", option: "By time" }],
  });

/** The context of a message on the wire: what its sender referred to. */
export const contextSchema = z
  .object({
    previewContext: previewContextSchema.optional(),
    diffCommentIds: z.array(uuid).optional().describe("The ids of its review comments."),
    answers: z.array(chosenOptionSchema).optional().describe("The chosen options, in the order of the questions."),
  })
  .meta({
    id: "MessageContext",
    description: "The files and references of a message.",
    examples: [{ previewContext: { frontendName: "web", path: "/board" } }],
  });

export function toWireContext({ preview, reviewCommentIds, answers }: MessageContext): z.infer<typeof contextSchema> {
  return {
    ...(preview ? { previewContext: preview } : {}),
    ...(reviewCommentIds.length > 0 ? { diffCommentIds: reviewCommentIds } : {}),
    ...(answers ? { answers } : {}),
  };
}

/** True if the sender referred to something or chose an option. */
export function hasContext({ preview, reviewCommentIds, answers }: MessageContext): boolean {
  return preview !== null || reviewCommentIds.length > 0 || answers !== undefined;
}

/** A file of a message on the wire, with the URL of its bytes. */
export const attachmentSchema = z
  .object({
    id: uuid.describe("The attachment's id."),
    name: z.string().describe("The file's name."),
    mediaType: z.string().describe("The file's media type."),
    byteSize: z.int().describe("The file's size in bytes."),
    path: z.string().describe("The path of the file's download."),
  })
  .meta({
    id: "Attachment",
    description: "A file that came with a message.",
    examples: [
      {
        id: exampleIds.attachment,
        name: "timetable.png",
        mediaType: "image/png",
        byteSize: 48_213,
        path: `${exampleSessionPath}/attachments/${exampleIds.attachment}`,
      },
    ],
  });

/** The chat of a file: the chat of a session, or the Deploy Chat of a project. */
export type ChatPlace = { projectId: string; id?: string };

export function toWireAttachment(
  { projectId, id }: ChatPlace,
  attachment: Attachment,
): z.infer<typeof attachmentSchema> {
  const chat = id === undefined ? "deploy-messages" : `chat-sessions/${id}`;
  return { ...attachment, path: `/api/projects/${projectId}/${chat}/attachments/${attachment.id}` };
}

export const messageSchema = z
  .object({
    id: uuid.describe("The message's id."),
    role: z.enum(messageRoles).describe("Who writes it."),
    content: z.string().nullable().describe("What a user wrote; null for the agent's answer, which is in `blocks`."),
    blocks: z.array(blockSchema).describe("The agent's answer; empty for a user's message."),
    jobId: uuid.describe("The id of the job that it belongs to."),
    delivery: z.enum(["job", "steer"]).nullable().describe("Whether it started the job or was steered into it."),
    author: authorSchema.nullable().describe("Who sent it; null for the agent's answer."),
    attachments: z.array(attachmentSchema).describe("The files that came with it."),
    context: contextSchema.optional().describe("What its sender pointed at, where they did."),
    firstBlockIndex: z.int().optional().describe("Of an answer in a page: the `index` of the first of the `blocks`."),
    createdAt: timestamp.describe("When it was sent, or started."),
  })
  .meta({
    id: "Message",
    description: "A user's message, or an agent's answer.",
    examples: [
      {
        id: exampleIds.answer,
        role: "assistant",
        content: null,
        blocks: [{ type: "text", content: "The board is now sorted by time." }],
        jobId: exampleIds.job,
        delivery: null,
        author: null,
        attachments: [],
        createdAt: exampleTimes.later,
      },
    ],
  });

export function toWireMessage(place: ChatPlace, message: Message): z.infer<typeof messageSchema> {
  const { id, role, content, blocks, turnId, delivery, author, attachments, context, createdAt } = message;
  return {
    id,
    role,
    content,
    blocks,
    jobId: turnId,
    delivery,
    author: author && toWireAuthor(author),
    attachments: attachments.map((attachment) => toWireAttachment(place, attachment)),
    ...(hasContext(context) ? { context: toWireContext(context) } : {}),
    createdAt: formatTime(createdAt),
  };
}

/** The newest messages of a conversation, for a page. */
export interface ShownConversation {
  /**
   * Oldest first. `firstPlace` is the index, among the blocks of the turn, of the message's first
   * block that is included here.
   */
  messages: { message: z.infer<typeof messageSchema>; firstPlace: number }[];
  hasEarlier: boolean;
}

const choice = z.union([z.string(), z.int().min(0)]);

const answerSchema = z
  .strictObject({
    question: choice.describe("Its exact text, or its number from 0."),
    option: choice.describe("Its exact title, or its number from 0."),
  })
  .meta({ id: "ClarificationAnswer", description: "An option chosen of a clarification." });

/**
 * The schema of answers to a clarification, as every message body accepts them. `waiting` names the
 * place of the questions.
 */
export function createAnswersSchema(waiting: string) {
  return z
    .array(answerSchema)
    .describe(
      `Options chosen of the clarification that waits: ${waiting}, and its \`clarification\` block has the questions. One that is none of the choices is refused, with the choices in \`details\`.`,
    );
}

const lineNumber = z.int().min(0);

/** A field of a review comment that a send may include without effect. */
const asRead = z.unknown().optional().describe("Ignored.");

/**
 * A diff comment: review feedback on lines of a session's changes, as part of a send (Part 1, "Diff
 * comment").
 */
export const diffCommentSchema = z
  .strictObject({
    id: uuid.describe("The id of the review comment. The service reads it again, and leaves out one that is resolved."),
    filePath: z.string().min(1).max(filePathCharacters).describe("The file, relative to the project's root."),
    side: z.enum(commentSides).describe("Before or after the change."),
    startLineNumber: lineNumber.describe("The first line, counted from 1."),
    endLineNumber: lineNumber.describe("The last line, counted from 1."),
    body: z.string().describe("What the comment says."),
    lineSnapshot: z.string().describe("The lines as they were when the comment was made."),
    resolved: asRead,
    outdated: asRead,
    author: asRead,
    createdAt: asRead,
    updatedAt: asRead,
  })
  .meta({
    id: "DiffComment",
    description: "Review feedback on lines of a session's changes. A review comment may be sent as it was read.",
    examples: [
      {
        id: exampleIds.comment,
        filePath: "board.js",
        side: "new",
        startLineNumber: 14,
        endLineNumber: 16,
        body: "Sort once, not at every render.",
        lineSnapshot: "const rows = sort(departures);",
      },
    ],
  });
