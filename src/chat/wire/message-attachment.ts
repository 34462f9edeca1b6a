// A file of a message on the wire, with the URL of its bytes.
import * as z from "zod";
import { exampleIds, exampleSessionPath } from "../../resources/example-values.ts";
import { uuid } from "../../resources/wire-values.ts";
import type { Attachment } from "../rules/message.ts";

export const attachmentSchema = z
  .object({
    id: uuid.describe("The attachment's id."),
    name: z.string().describe("The file's name, as its sender called it."),
    mediaType: z.string().describe("The file's media type, as its sender said it."),
    byteSize: z.int().describe("The file's size in bytes."),
    path: z.string().describe("The path at which the file can be downloaded."),
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

/** The chat of a file: of a session, or the Deploy Chat of a project. */
export type ChatPlace = { projectId: string; id?: string };

export function attachmentOnWire(
  { projectId, id }: ChatPlace,
  attachment: Attachment,
): z.infer<typeof attachmentSchema> {
  const chat = id === undefined ? "deploy-messages" : `chat-sessions/${id}`;
  return { ...attachment, path: `/api/projects/${projectId}/${chat}/attachments/${attachment.id}` };
}
