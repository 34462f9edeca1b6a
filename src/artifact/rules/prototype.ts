// Prototypes: mockups and documents with named variants that the Lead, the workspace's planning
// agent, creates for a project. They are copied to Backlog sessions (decisions, "The Lead's
// Prototypes").

import { artifactSlugCharacters } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import { toSlug } from "../../rules/text.ts";
import type { SessionStatus } from "../../session/rules/status.ts";
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
 * Prototypes are copied only to sessions of the Backlog (decisions, "The Lead's Prototypes").
 * Refuses all others.
 */
export const checkCopyTarget = (status: SessionStatus): Refusal | null =>
  status === "backlog" ? null : refuse("BAD_REQUEST", "A Prototype is copied only onto a session of the Backlog.");

/** The variants that are copied: the named one, or all of them. */
export function listCopiedVariants<Variant extends { name: string }>(
  variants: readonly Variant[],
  name: string | null,
): Variant[] | Refusal {
  const wanted = variants.filter((variant) => name === null || variant.name === name);
  return wanted.length > 0 ? wanted : refuse("NOT_FOUND", "The Prototype has no such variant.");
}

/**
 * The slug of a copy if another artifact has the variant's slug. It differs from that of any other
 * Prototype.
 */
export const createCopySlug = (slug: string, prototypeId: string) => `${slug}-${prototypeId.slice(-6)}`;
