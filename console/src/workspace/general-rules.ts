// What a form of a workspace's settings sends: only what a person changed.
import { type FieldChecks, isText, isTextOrNull } from "../ui/kept-changes.ts";
import type { Workspace } from "./queries.ts";

export type Settings = Pick<Workspace, "name" | "slug" | "timezone" | "defaultModel">;

export const settingsChecks: FieldChecks<Settings> = {
  name: isText,
  slug: isText,
  timezone: isText,
  defaultModel: isTextOrNull,
};

type Fields = Partial<Omit<Settings, "timezone">>;

/** The changed fields, and the changed time zone, which has a call of its own; null without any. */
export function listChanges(
  saved: Settings,
  typed: Partial<Settings>,
): { fields: Fields | null; timezone: string | null } {
  const fields: Fields = {};
  const name = typed.name?.trim();
  const slug = typed.slug?.trim();
  if (name !== undefined && name !== saved.name) fields.name = name;
  if (slug !== undefined && slug !== saved.slug) fields.slug = slug;
  if (typed.defaultModel !== undefined && typed.defaultModel !== saved.defaultModel)
    fields.defaultModel = typed.defaultModel;
  return {
    fields: Object.keys(fields).length > 0 ? fields : null,
    timezone: typed.timezone !== undefined && typed.timezone !== saved.timezone ? typed.timezone : null,
  };
}

/** Every time zone that the browser knows, UTC first, and the present one in any case. */
export function listTimezones(present: string): string[] {
  const known = Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC");
  const isKnown = present === "UTC" || known.includes(present);
  return ["UTC", ...(isKnown ? [] : [present]), ...known];
}
