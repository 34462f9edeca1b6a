// A workspace's name, slug and timezone: their allowed values.
import {
  ownedWorkspacesMax,
  projectsPerWorkspace,
  workspaceSlugCharactersMax,
  workspaceSlugCharactersMin,
} from "../../rules/limits.ts";
import { type Refusal, refuse, refuseField } from "../../rules/refusal.ts";
import { toSlug } from "../../rules/text.ts";

/** Lower-case Latin letters and digits, with hyphens between. */
export const workspaceSlugPattern = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])$/;

/** Makes a slug from a name; `fallback` if the name has too few Latin letters and digits. */
export function toSlugOfName(name: string, fallback: string): string {
  const slug = toSlug(name, { most: workspaceSlugCharactersMax, fallback });
  return slug.length < workspaceSlugCharactersMin ? fallback : slug;
}

const numberedSlugs = 20;

/**
 * Returns slugs to suggest in place of a taken one, the best first. The last one ends in `random`,
 * so it is almost certainly free.
 */
export function listSlugsBeside(taken: string, random: string): string[] {
  const numbers = Array.from({ length: numberedSlugs }, (_, at) => String(at + 2));
  return [...numbers, random].map((ending) => {
    const start = taken.slice(0, workspaceSlugCharactersMax - ending.length - 1).replace(/-+$/, "");
    return `${start}-${ending}`;
  });
}

/** Refuses a taken slug. `free` is an unused one. */
export function refuseSlug(slug: string, free: string): Refusal {
  return refuse("CONFLICT", `The slug ${slug} is taken. Send another one, such as ${free}.`, { slug: free });
}

/** Refuses a person another workspace to own. */
export function checkOwned(owned: number): Refusal | null {
  if (owned < ownedWorkspacesMax) return null;
  return refuse(
    "BAD_REQUEST",
    `One person owns ${ownedWorkspacesMax} workspaces at most. Delete one of them, or transfer it to another member first.`,
  );
}

/** Refuses a workspace another project. */
export function checkProjects(projects: number): Refusal | null {
  if (projects < projectsPerWorkspace) return null;
  return refuse(
    "BAD_REQUEST",
    `A workspace has ${projectsPerWorkspace} projects at most. Delete one that is not needed first.`,
  );
}

/**
 * Refuses a text that is not a timezone. An offset is refused too, because it has no daylight
 * saving time.
 */
export function checkTimezone(timezone: string): Refusal | null {
  const unknown = refuseField("timezone", "must be the name of a timezone, such as Europe/Berlin or UTC");
  if (!/^[A-Za-z]/.test(timezone)) return unknown;
  try {
    new Intl.DateTimeFormat("en", { timeZone: timezone });
    return null;
  } catch {
    return unknown;
  }
}
