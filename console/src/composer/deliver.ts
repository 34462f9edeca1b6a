// Sends a message of a draft, or a comment on the changes, under its key. Wakes the sandbox while
// the message is written.
import { type Answer, SwitchyardError } from "@switchyard/client";
import { service } from "../api.ts";
import { wait } from "../wait.ts";
import { joinTexts, type MessageFields, type Outgoing } from "./draft.ts";
import { formatElements } from "./element.ts";
import { type Written, wakesAhead } from "./send-rules.ts";

const session = "/api/projects/{projectId}/chat-sessions/{sessionId}";
const sendOperation = `POST ${session}/jobs/chat` as const;

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

/** Longer than any start takes. */
const startMs = 11 * 60_000;
const againMs = 500;

/**
 * Waits for a sandbox that was woken while the message was written, and still starts. A comment has
 * no answer.
 */
export async function deliver(path: SessionPath, message: Outgoing): Promise<Answer<typeof sendOperation> | null> {
  const { key, fields, lines } = message;
  if (lines) {
    const body = { ...lines, body: fields.content };
    await service.request(`POST ${session}/review-comments`, { path: { ...path }, body, idempotencyKey: key });
    return null;
  }
  const until = Date.now() + startMs;
  for (;;)
    try {
      return await send(path, message);
    } catch (error) {
      const isStarting = error instanceof SwitchyardError && error.failure.code === "SANDBOX_STARTING";
      if (!isStarting || Date.now() > until) throw error;
      await wait(againMs);
    }
}

/** The text as the service gets it: what was pointed at comes after what was written. */
const formatContent = ({ fields, elements = [] }: Pick<Outgoing, "fields" | "elements">): string =>
  joinTexts(fields.content, formatElements(elements));

function send(path: SessionPath, message: Outgoing): Promise<Answer<typeof sendOperation>> {
  const { key, fields, files } = message;
  return service.request(sendOperation, {
    path: { ...path },
    body: toBody({ ...fields, content: formatContent(message) }, files),
    idempotencyKey: key,
    ...(files.length > 0 ? { timeoutMs: uploadMs } : {}),
  });
}

const wokenAt = new Map<string, number>();

/** Wakes the sandbox if the message that is written will need it. */
export function wakeAhead({ projectId, sessionId }: SessionPath, written: Omit<Written, "wokenAt">): void {
  const now = Date.now();
  if (!wakesAhead({ ...written, wokenAt: wokenAt.get(sessionId) ?? null }, now)) return;
  wokenAt.set(sessionId, now);
  service
    .request("GET /api/projects/{projectId}/preview", { path: { projectId }, query: { sessionId } })
    // The message itself says what is in its way.
    .catch(() => {});
}
