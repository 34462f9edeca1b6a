// A person's draft in one session, and its transitions: what is typed, what is on its way to the
// service, and what the service refused. A message leaves only by an answer of the service.
import type { Input, SendOptions } from "@switchyard/client";
import { maxElements, type PointedElement } from "./element.ts";

/** What goes with a message, beside its files. The same for every try under one key. */
export interface MessageFields {
  content: string;
  steer?: true | undefined;
  runningJobId?: string | undefined;
  retryFailedJobId?: string | undefined;
  answers?: SendOptions["answers"];
  /** The page of the preview that the sender looks at. */
  previewContext?: SendOptions["previewContext"];
  /** The review comments that the agent gets with the text. */
  diffCommentsContext?: SendOptions["comments"];
}

type CommentBody = Input<"POST /api/projects/{projectId}/chat-sessions/{sessionId}/review-comments">["body"];

/**
 * - `waiting`: there is no connection, and it was not tried yet
 * - `sending`: it is being tried
 * - `unsure`: no answer came, so it may have arrived
 * - `refused`: the service does not take it
 */
export type OutgoingState = "waiting" | "sending" | "unsure" | "refused";

/** A message that was sent and has no answer yet. */
export interface Outgoing {
  /** The Idempotency-Key: the service takes the message once, however often it is sent. */
  key: string;
  /** When it was sent first. */
  at: number;
  fields: MessageFields;
  files: readonly File[];
  /** The options that were picked, for the case that the message comes back. */
  picks?: Picks | null;
  /** What was pointed at. Its text comes after the content. */
  elements?: readonly PointedElement[];
  /** For a comment on lines of the changes: which lines. The content is its text. */
  lines?: Omit<CommentBody, "body">;
  state: OutgoingState;
  error?: unknown;
}

/** The options that were picked for the questions of a turn, by the question's number. */
export interface Picks {
  jobId: string;
  options: Readonly<Record<number, number>>;
}

/** An edit of a message that waits Up next. */
export interface QueueEdit {
  id: string;
  /** The version that was read before the edit. */
  version: number;
  /** What the message said in that version. */
  original: string;
  text: string;
}

export interface Draft {
  text: string;
  files: readonly File[];
  picks: Picks | null;
  edit: QueueEdit | null;
  /** The page of the preview that goes along. */
  page: NonNullable<SendOptions["previewContext"]> | null;
  /** What was pointed at in the preview, and goes along. */
  elements: readonly PointedElement[];
  outgoing: readonly Outgoing[];
  /** Why the message that came back was refused. */
  refusal: unknown;
  /** What the service or the page has to say about the last message. */
  notice: string | null;
  /** False until the browser's database was read. */
  isRead: boolean;
}

export const emptyDraft: Draft = {
  text: "",
  files: [],
  picks: null,
  edit: null,
  page: null,
  elements: [],
  outgoing: [],
  refusal: null,
  notice: null,
  isRead: false,
};

/** For this long, the service remembers a key. An hour is left for clocks that differ. */
const keyLifeMs = 23 * 3_600_000;

/** True if a message may be sent again without a question: its key is remembered still. */
export const canRepeat = (at: number, now: number): boolean => now - at < keyLifeMs;

/** The draft after its message was sent. */
export function sendDraft(draft: Draft, message: Outgoing): Draft {
  const outgoing = [...draft.outgoing, message];
  return { ...emptyDraft, edit: draft.edit, isRead: draft.isRead, outgoing };
}

/** The draft after the service took a message. */
export function settleMessage(draft: Draft, key: string, notice: string | null): Draft {
  return { ...draft, notice: notice ?? draft.notice, outgoing: draft.outgoing.filter((one) => one.key !== key) };
}

/**
 * Says how many messages wait for the connection; null where none does. `others` has a value for
 * each message of another part of the page, which is true while it waits.
 */
export function describeWaiting(
  outgoing: readonly Pick<Outgoing, "state">[],
  others: readonly boolean[],
): string | null {
  const count = outgoing.filter(({ state }) => state === "waiting").length + others.filter(Boolean).length;
  if (count === 0) return null;
  return `Offline. ${count} ${count === 1 ? "message waits" : "messages wait"} here.`;
}

export function markMessage(draft: Draft, key: string, state: OutgoingState, error?: unknown): Draft {
  const outgoing = draft.outgoing.map((one) => (one.key === key ? { ...one, state, error } : one));
  return { ...draft, outgoing };
}

/**
 * A refused message returns to the composer, unless something else is being written there. One that
 * starts fresh after a failed turn, and comments, stay what they are.
 */
export function refuseMessage(draft: Draft, key: string, error: unknown): Draft {
  const isOther = draft.outgoing.some(
    ({ key: own, fields, lines }) =>
      own === key && (fields.retryFailedJobId ?? fields.diffCommentsContext ?? lines) !== undefined,
  );
  if (isOther || draft.text.trim() !== "" || draft.files.length > 0) return markMessage(draft, key, "refused", error);
  return { ...takeBack(draft, key), refusal: error };
}

/** A kept draft, and after it what was written before that draft was read. */
export function joinDrafts(kept: Draft, written: Draft): Draft {
  return {
    ...kept,
    text: joinTexts(kept.text, written.text),
    files: [...kept.files, ...written.files],
    picks: written.picks ?? kept.picks,
    edit: written.edit ?? kept.edit,
    page: written.page ?? kept.page,
    elements: [...kept.elements, ...written.elements].slice(0, maxElements),
    outgoing: [...kept.outgoing, ...written.outgoing],
    notice: written.notice,
  };
}

/** Puts a message back into the composer, before what is written there. */
export function takeBack(draft: Draft, key: string): Draft {
  const message = draft.outgoing.find((one) => one.key === key);
  if (!message) return draft;
  const files = [...message.files, ...draft.files];
  const picks = draft.picks ?? message.picks ?? null;
  const page = draft.page ?? message.fields.previewContext ?? null;
  const elements = [...(message.elements ?? []), ...draft.elements].slice(0, maxElements);
  const kept = { ...draft, files, picks, page, elements, outgoing: draft.outgoing.filter((one) => one.key !== key) };
  return { ...kept, text: joinTexts(message.fields.content, draft.text) };
}

/**
 * A message as it is sent again: an unsure one under its key, a refused one under a new key. What
 * was said about the turn that it was refused for no longer counts.
 */
export function repeatMessage(message: Outgoing, newKey: string, now: number): Outgoing {
  const again = { ...message, state: "sending" as const, error: undefined };
  if (message.state !== "refused") return { ...again, at: canRepeat(message.at, now) ? message.at : now };
  const { runningJobId: _, steer: __, ...fields } = message.fields;
  return { ...again, key: newKey, at: now, fields };
}

/** Begins the edit of a message that waits, unless another edit has changes that are not saved. */
export function beginEdit(
  draft: Draft,
  { id, version, content }: Pick<QueueEdit, "id" | "version"> & { content: string },
): Draft {
  const { edit } = draft;
  if (edit !== null && edit.text !== edit.original) return draft;
  return { ...draft, edit: { id, version, original: content, text: content } };
}

/** Two texts as one; an empty one leaves no trace. */
export function joinTexts(first: string, second: string): string {
  return [first, second].filter((one) => one.trim() !== "").join("\n\n");
}

/** What the person has written and the service has not taken: messages, then the composer. */
export function listTexts({ outgoing, edit, text }: Pick<Draft, "outgoing" | "edit" | "text">): string[] {
  return [...outgoing.map(({ fields }) => fields.content), edit?.text ?? "", text];
}

/** Picks an option, or none where it was picked already. Picks for another turn go. */
export function togglePick(picks: Picks | null, jobId: string, question: number, option: number): Picks {
  const known = picks?.jobId === jobId ? picks.options : {};
  const { [question]: before, ...others } = known;
  return { jobId, options: before === option ? others : { ...others, [question]: option } };
}

/** The picked options as the service takes them; undefined where none was picked. */
export function listAnswers(picks: Picks | null, jobId: string | null): MessageFields["answers"] {
  if (!picks || picks.jobId !== jobId) return undefined;
  const answers = Object.entries(picks.options).map(([question, option]) => ({ question: Number(question), option }));
  return answers.length > 0 ? answers : undefined;
}

/**
 * The message that is tried next: the oldest. Those after it wait, so that their order holds.
 */
export function findNext(draft: Draft, now: number): Outgoing | null {
  const next = draft.outgoing.find(({ state }) => state !== "refused");
  if (!next || next.state === "unsure") return null;
  return canRepeat(next.at, now) ? next : null;
}

/** After the connection is back, or after a start, what has no answer is tried again. */
export function retryMessages(draft: Draft, now: number): Draft {
  const outgoing = draft.outgoing.map((one) => {
    if (one.state === "refused") return one;
    return { ...one, state: canRepeat(one.at, now) ? ("sending" as const) : ("unsure" as const) };
  });
  return { ...draft, outgoing };
}
