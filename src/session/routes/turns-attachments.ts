// The attachments of a session's messages.
import * as z from "zod";
import { download } from "../../http/answer.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refuse } from "../../rules/refusal.ts";
import { getAttachment } from "../../storage/attachments.ts";

const fileBytes = z.string().meta({ description: "The bytes of the file.", format: "binary", examples: ["%PDF-1.7"] });

const readAttachment = endpoint({
  method: "GET",
  path: "/api/projects/{projectId}/chat-sessions/{sessionId}/attachments/{attachmentId}",
  operation: "downloadAttachment",
  summary: "Download a file that came with a message.",
  tag: "Turns",
  access: "session.read",
  noun: "session",
  answers: { status: 200, mediaType: "*/*", data: fileBytes },
  async handle({ env, found, params }) {
    const file = await getAttachment(env.STORE, { type: "session", id: found.session.id }, params.attachmentId ?? "");
    if (!file) return refuse("NOT_FOUND", "There is no such attachment in this session.");
    const headers = new Headers();
    file.writeHttpMetadata(headers);
    return download(file.body, headers);
  },
});

export const attachmentRoutes = [readAttachment];
