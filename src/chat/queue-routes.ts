// The routes of a queue, for any owner of a chat: the messages of Up next, their changes, and the
// resume.
import * as z from "zod";
import type { QueueChange } from "../../durable-objects/chat/rpc.ts";
import type { Detail, Found, NounKind } from "../access/queries.ts";
import type { Actor } from "../access/rules/actor.ts";
import type { Action } from "../access/rules/permission-table.ts";
import type { Env } from "../env.ts";
import type { DeclaredBody } from "../http/body.ts";
import { type Call, type Endpoint, endpoint } from "../http/endpoint.ts";
import { noContent, ok } from "../http/response.ts";
import type { Tag } from "../http/tags.ts";
import { exampleIds, fromJson, uuid } from "../lib/wire.ts";
import type { Idempotency } from "../rules/idempotency.ts";
import { isRefusal, type Refusal, type RefusalCode } from "../rules/refusal.ts";
import { messageContent, queueSchema, steerDeliverySchema, toWireQueue } from "./wire/queue.ts";

/** The calls on the owner's object that need no other data. */
interface QueueObject {
  updateQueue(change: QueueChange): Promise<Refusal | null>;
  steer(messageId: string, by: Actor, repeat: Idempotency | null): Promise<{ steerId: string } | Refusal>;
}

export interface QueueOwner<Kind extends NounKind, With extends Detail> {
  noun: Kind;
  /** The details that are read with the noun, on routes that can start a turn. */
  with: readonly With[];
  tag: Tag;
  /** Who may read the queue, change or delete a message of it, and resume it. */
  access: { read: Action; change: Action; delete: Action; resume: Action };
  /** The names of the operations' nouns: `QueuedMessage` and `Queue`, with their owner. */
  names: { message: string; queue: string };
  /** The refusals of sending a waiting message now, of steering it, and of a resume. */
  refusals: { send: RefusalCode[]; steer?: RefusalCode[]; resume: RefusalCode[] };
  object(env: Env, found: Found<Kind>): QueueObject;
  read(call: Call<Kind, undefined, undefined>): Promise<Parameters<typeof toWireQueue>[0] | Refusal>;
  /** The schema of the response to a message that is sent now. */
  sent: z.ZodType;
  /** That response, or the reason why the message is not sent. */
  send(call: Call<Kind, undefined, undefined, With>, messageId: string): Promise<object | Refusal>;
  /** Whose turns a message is steered into, for the documentation. */
  steers: string;
  resume(call: Call<Kind, undefined, undefined, With>): Promise<Refusal | null>;
}

const moveBody = z
  .strictObject({ toIndex: z.int().describe("The place in Up next, from 0. Past the end is the end.") })
  .meta({ examples: [{ toIndex: 0 }] });

/** The routes of the queue at a path. */
export function createQueueRoutes<Kind extends NounKind, With extends Detail>(
  path: string,
  owner: QueueOwner<Kind, With>,
): Endpoint[] {
  const { noun, tag, access, names, refusals } = owner;
  const message = `${path}/{queuedMessageId}` as const;
  const read = endpoint({
    method: "GET",
    path,
    operation: `read${names.queue}`,
    summary: "Read Up next.",
    tag,
    access: access.read,
    noun,
    response: { status: 200, data: queueSchema },
    async handle(call) {
      const state = await owner.read(call);
      return isRefusal(state) ? state : ok(toWireQueue(state, call.caller.actor, call.now));
    },
  });
  const edit = endpoint({
    method: "PATCH",
    path: message,
    operation: `edit${names.message}`,
    summary: "Edit a waiting message. Only its author.",
    tag,
    access: access.change,
    noun,
    body: editBody,
    response: { status: 204 },
    refusals: ["BAD_REQUEST", "QUEUED_MESSAGE_CHANGED", "QUEUED_MESSAGE_GONE"],
    async handle({ body, attachments, env, found, params, caller }) {
      const place = { messageId: params.queuedMessageId, by: caller.actor };
      const change = { type: "edit" as const, ...toEdit(body), ...place, added: attachments };
      return (await owner.object(env, found).updateQueue(change)) ?? noContent;
    },
  });
  const remove = endpoint({
    method: "DELETE",
    path: message,
    operation: `delete${names.message}`,
    summary: "Remove a message from Up next. Its author, or an admin or owner of the workspace.",
    tag,
    access: access.delete,
    noun,
    response: { status: 204 },
    refusals: ["QUEUED_MESSAGE_GONE"],
    async handle({ env, found, params, caller }) {
      const change = { type: "delete" as const, messageId: params.queuedMessageId, by: caller.actor };
      return (await owner.object(env, found).updateQueue(change)) ?? noContent;
    },
  });
  const move = endpoint({
    method: "POST",
    path: `${message}/move`,
    operation: `move${names.message}`,
    summary: "Move a waiting message. Only its author.",
    tag,
    access: access.change,
    noun,
    body: { schema: moveBody },
    response: { status: 204 },
    refusals: ["BAD_REQUEST", "QUEUED_MESSAGE_GONE"],
    async handle({ env, found, params, caller, body: { toIndex } }) {
      const change = { type: "move" as const, messageId: params.queuedMessageId, by: caller.actor, toIndex };
      return (await owner.object(env, found).updateQueue(change)) ?? noContent;
    },
  });
  const send = endpoint({
    method: "POST",
    path: `${message}/send`,
    operation: `send${names.message}`,
    summary: "Send a waiting message now. Only its author; resumes a paused Up next.",
    tag,
    access: access.change,
    noun,
    with: owner.with,
    isRepeatable: true,
    response: { status: 200, data: owner.sent },
    refusals: ["QUEUED_MESSAGE_GONE", ...refusals.send],
    async handle(call) {
      const sent = await owner.send(call, call.params.queuedMessageId);
      return isRefusal(sent) ? sent : ok(sent);
    },
  });
  const steer = endpoint({
    method: "POST",
    path: `${message}/steer`,
    operation: `steer${names.message}`,
    summary: `Steer a waiting message into the running turn. Only its author, ${owner.steers}.`,
    tag,
    access: access.change,
    noun,
    isRepeatable: true,
    response: { status: 200, data: steerDeliverySchema },
    refusals: ["STEER_UNAVAILABLE", "JOB_STOPPED_TEXT_RETURNED", "QUEUED_MESSAGE_GONE", ...(refusals.steer ?? [])],
    async handle({ env, found, params, caller, idempotency }) {
      const steered = await owner.object(env, found).steer(params.queuedMessageId, caller.actor, idempotency);
      return isRefusal(steered) ? steered : ok({ delivery: "steer", steerId: steered.steerId });
    },
  });
  const resume = endpoint({
    method: "POST",
    path: `${path}/resume`,
    operation: `resume${names.queue}`,
    summary: "Resume Up next. Its top message is sent.",
    tag,
    access: access.resume,
    noun,
    with: owner.with,
    isRepeatable: true,
    response: { status: 204 },
    refusals: refusals.resume,
    handle: async (call) => (await owner.resume(call)) ?? noContent,
  });
  return [read, edit, remove, move, send, steer, resume];
}

/** The body that edits a queued message: JSON, or a form with new files. */
const fields = {
  content: messageContent.describe("The text. If omitted, it stays.").optional(),
  retainedAttachmentIds: z.array(uuid).describe("The ids of the files to keep; all by default.").optional(),
  version: z.int().describe("The version that you read. Another one is not overwritten.").optional(),
  editing: z.boolean().describe("True shows others that you are editing, for two minutes.").optional(),
};

const jsonSchema = z
  .strictObject(fields)
  .meta({ examples: [{ content: "Then show platform changes, in red.", version: 1 }] });
type EditBody = z.infer<typeof jsonSchema>;

/**
 * Ids in a form: either one field per id, or one field with all ids as JSON, which may be empty.
 */
const idsOfField = z
  .array(z.string())
  .transform((texts, context): unknown => {
    const [first = ""] = texts;
    if (texts.length > 1 || !first.trimStart().startsWith("[")) return texts;
    try {
      return JSON.parse(first);
    } catch {
      context.addIssue({ code: "custom", message: "is not JSON" });
      return z.NEVER;
    }
  })
  .pipe(z.array(uuid))
  .describe("The ids of the files to keep, each in a field of its own, or all in one as JSON; left out, all stay.");

const editBody: DeclaredBody<EditBody> = {
  schema: jsonSchema,
  form: {
    schema: z
      .strictObject({
        content: fields.content,
        retainedAttachmentIds: idsOfField.optional(),
        version: fromJson(fields.version.unwrap()).optional(),
        editing: fromJson(fields.editing.unwrap()).optional(),
      })
      .meta({ examples: [{ retainedAttachmentIds: [exampleIds.attachment], version: "1", attachmentCount: 0 }] }),
    lists: ["retainedAttachmentIds"],
    check: () => null,
  },
};

/** Converts a body to an edit. */
function toEdit({ content, retainedAttachmentIds, version, editing }: EditBody) {
  return {
    content: content ?? null,
    retained: retainedAttachmentIds ?? null,
    version: version ?? null,
    editing: editing ?? null,
  };
}
