// Prototypes: mockups and documents with named variants that the Lead, the workspace's planning
// agent, creates for a project. They are copied to Backlog sessions (decisions, "The Lead's
// Prototypes").

import { artifactSlugCharacters } from "../../rules/limits.ts";
import { toSlug } from "../../rules/text.ts";
import type { TextKind } from "./artifact.ts";

export interface PrototypeVariant {
  /** Unique within the Prototype. */
  name: string;
  title: string;
  kind: TextKind;
  /** The slug of the artifact that is copied from it. */
  slug: string;
}

/** Leaves space for a suffix that makes the slug unique. */
const slugCharacters = artifactSlugCharacters - 20;

/** Returns a unique slug for each name. */
export function createVariantSlugs(names: string[]): string[] {
  const taken = new Set<string>();
  return names.map((name, at) => {
    const base = toSlug(name, { most: slugCharacters, fallback: `variant-${at + 1}` });
    let slug = base;
    for (let count = 2; taken.has(slug); count++) slug = `${base}-${count}`;
    taken.add(slug);
    return slug;
  });
}

/**
 * The slug of a copy if another artifact has the variant's slug. It differs from that of any other
 * Prototype.
 */
export const createCopySlug = (slug: string, prototypeId: string) => `${slug}-${prototypeId.slice(-6)}`;
