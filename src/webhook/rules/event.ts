// An event that webhooks send. It is thin: ids, links, statuses and who, and nothing that a person
// or an agent wrote, except for endpoints that ask for texts.
import type { ActivitySource } from "../../activity/rules/activity.ts";
import type { WebhookEventType } from "./event-types.ts";

export interface WebhookEvent {
  /** A UUIDv7, the same for all endpoints and attempts. */
  id: string;
  type: WebhookEventType;
  /** When it happened, in milliseconds since the epoch. */
  at: number;
  workspaceId: string;
  /** Null for an event of the workspace itself. */
  projectId: string | null;
  /** Further fields of `data`. */
  data: Record<string, unknown>;
  /** Who did it; null for what the service observed. */
  by: { userId: string; source: ActivitySource | null } | null;
  /** What was written, for endpoints that ask for it. */
  text: Record<string, string> | null;
}

/** An event before it gets its id. */
export type NewWebhookEvent = Omit<WebhookEvent, "id">;

/** The most characters of each text, and the most bytes of a body. */
const textCharacters = 4_000;
export const webhookBodyBytes = 20_000;

/** The body of an event. It is made once, and every attempt sends the same bytes. */
export function formatBody(event: WebhookEvent, includeText: boolean): string {
  const { type, at, workspaceId, projectId, data, by, text } = event;
  const format = (characters: number) =>
    JSON.stringify({
      type,
      timestamp: new Date(at).toISOString(),
      data: {
        workspaceId,
        ...(projectId !== null && { projectId }),
        ...data,
        by,
        ...(includeText && text !== null && { text: cutEach(text, characters) }),
      },
    });
  for (let characters = textCharacters; ; characters = Math.floor(characters / 2)) {
    const body = format(characters);
    if (characters === 0 || new TextEncoder().encode(body).length <= webhookBodyBytes) return body;
  }
}

const cutEach = (text: Record<string, string>, characters: number) =>
  Object.fromEntries(
    Object.entries(text).map(([name, value]) => [name, Array.from(value).slice(0, characters).join("")]),
  );

/**
 * An id for an event that is found again from stored facts: the random part of `origin`, a UUIDv7,
 * with another time. `variant`, from 0 to 15, distinguishes events of one time.
 */
export function createEventId(origin: string, at: number, variant: number): string {
  const time = Math.floor(at).toString(16).padStart(12, "0").slice(-12);
  const last = (Number.parseInt(origin.slice(-1), 16) ^ variant).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}${origin.slice(13, -1)}${last}`;
}
