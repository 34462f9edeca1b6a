// The body of a message: JSON, or a form where files come with it.
import type { Input } from "./http.ts";

/** The operation that sends a message to a session. */
export const sendOperation = "POST /api/projects/{projectId}/chat-sessions/{sessionId}/jobs/chat";
type Body = Exclude<Input<typeof sendOperation>["body"], FormData>;

/** A file that comes with a message. */
export interface AttachedFile {
  name: string;
  data: Blob | Uint8Array<ArrayBuffer> | string;
  mediaType?: string | undefined;
}

export interface SendOptions {
  /** Files that come with the message. */
  attachments?: readonly (AttachedFile | File)[] | undefined;
  /** Options chosen of the questions that wait. */
  answers?: Body["answers"];
  /** Review comments, as they were read. */
  comments?: Body["diffCommentsContext"];
  /** The model of the session from this turn on. */
  model?: string | undefined;
  /** The JSON Schema of the result that the turn must end with. */
  resultSchema?: Body["resultSchema"];
  /** The page of the preview that the sender looks at. */
  previewContext?: Body["previewContext"];
  /** The job that the sender saw running. If somebody stopped it meanwhile, nothing is sent. */
  runningJobId?: string | undefined;
  /** A job that failed. The agent starts fresh, with the earlier conversation as a text. */
  retryFailedJobId?: string | undefined;
  /** A repeat with the same key does nothing again. One is drawn if it is left out. */
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * The body of a message. With `steer`, it goes into the running turn if that can take it.
 * @internal
 */
export function toSendBody(content: string, options: SendOptions, steer?: true): Body | FormData {
  const { attachments = [], answers, comments, model, previewContext, resultSchema } = options;
  const { runningJobId, retryFailedJobId } = options;
  const given = { answers, model, previewContext, resultSchema, runningJobId, retryFailedJobId };
  const fields = { content, diffCommentsContext: comments, ...given, steer };
  return attachments.length === 0 ? fields : toForm(fields, attachments);
}

/** A form of fields and files. What is no text is written as JSON. @internal */
export function toForm(fields: object, attachments: readonly (AttachedFile | File)[]): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) form.set(name, typeof value === "string" ? value : JSON.stringify(value));
  form.set("attachmentCount", String(attachments.length));
  for (const [index, file] of attachments.entries()) form.set(`attachment_${index}`, ...toPart(file));
  return form;
}

function toPart(file: AttachedFile | File): [blob: Blob, name: string] {
  if (file instanceof Blob) return [file, file.name];
  const { name, data, mediaType } = file;
  return [new Blob([data], mediaType === undefined ? {} : { type: mediaType }), name];
}
