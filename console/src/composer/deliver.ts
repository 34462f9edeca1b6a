// Sends a message of a draft, under its key.
import type { Answer } from "@switchyard/client";
import { service } from "../api.ts";
import { joinTexts, type MessageFields, type Outgoing } from "./draft.ts";
import { formatElements } from "./element.ts";

const sendOperation = "POST /api/projects/{projectId}/chat-sessions/{sessionId}/jobs/chat";

export interface SessionPath {
  projectId: string;
  sessionId: string;
}

/** With files the message is a form, else JSON. */
function toBody(fields: MessageFields, files: readonly File[]): MessageFields | FormData {
  if (files.length === 0) return fields;
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) form.set(name, typeof value === "string" ? value : JSON.stringify(value));
  form.set("attachmentCount", String(files.length));
  for (const [index, file] of files.entries()) form.set(`attachment_${index}`, file, file.name);
  return form;
}

/** Long uploads take longer than a call usually may. */
const uploadMs = 10 * 60_000;

export function deliver(
  path: SessionPath,
  { key, fields, files, elements = [] }: Outgoing,
): Promise<Answer<typeof sendOperation>> {
  const content = joinTexts(fields.content, formatElements(elements));
  return service.request(sendOperation, {
    path: { ...path },
    body: toBody({ ...fields, content }, files),
    idempotencyKey: key,
    ...(files.length > 0 ? { timeoutMs: uploadMs } : {}),
  });
}
