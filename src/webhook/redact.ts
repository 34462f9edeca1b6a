// Redacts the values of the variables of projects and their services in the texts of events.
import type { Env } from "../env.ts";
import { listProjectSettings } from "../project/queries.ts";
import { createProjectRedaction } from "../project/settings.ts";
import type { Redaction } from "../rules/redaction.ts";
import type { WebhookEvent } from "./rules/event.ts";

/**
 * The events of a workspace with redacted texts. An event of no project may name a value of any.
 * Without its project, whose values are unknown then, an event has no text. Throws if a value
 * cannot be unsealed.
 */
export async function withRedactedTexts(
  { DB, SEALING_KEYS }: Pick<Env, "DB" | "SEALING_KEYS">,
  workspaceId: string,
  events: readonly WebhookEvent[],
): Promise<readonly WebhookEvent[]> {
  const projectIds = events.flatMap(({ text, projectId }) => (text === null ? [] : [projectId]));
  if (projectIds.length === 0) return events;
  const ids = projectIds.flatMap((id) => id ?? []);
  const found = await listProjectSettings(DB, workspaceId, ids.length < projectIds.length ? null : ids);
  const redaction = await createProjectRedaction(SEALING_KEYS, found);
  const known = new Set<string | null>([null, ...found.map(({ id }) => id)]);
  return events.map((event) => ({
    ...event,
    text: event.text && known.has(event.projectId) ? redact(event.text, redaction) : null,
  }));
}

function redact(text: Record<string, string>, { whole, cut }: Redaction): Record<string, string> {
  const toShown = ([name, value]: [string, string]) => {
    // A title is the start of a message, and a mark ends one that was cut.
    const [mark = ""] = name === "title" ? (/…?$/.exec(value) ?? []) : [];
    return [name, name === "title" ? cut(value.slice(0, value.length - mark.length)) + mark : whole(value)];
  };
  return Object.fromEntries(Object.entries(text).map(toShown));
}
