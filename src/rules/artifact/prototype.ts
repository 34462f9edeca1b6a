// Prototypes: mockups and documents that the workspace's planning agent, the Lead, draws up for a project in named variants, to be copied
// onto sessions of the Backlog (decisions, "The Lead's Prototypes").

import { artifactSlugCharacters } from "../limits.ts";
import { slugOf } from "../slug.ts";
import type { TextKind } from "./artifact.ts";

export interface PrototypeVariant {
  /** Tells it from the other variants of its Prototype. */
  name: string;
  title: string;
  kind: TextKind;
  /** What the artifact copied from it is called. */
  slug: string;
}

/** Leaves room for what tells one from another. */
const slugCharacters = artifactSlugCharacters - 20;

/** The slugs of variants by their names, each another one. */
export function variantSlugs(names: string[]): string[] {
  const taken = new Set<string>();
  return names.map((name, at) => {
    const wished = slugOf(name, { most: slugCharacters, fallback: `variant-${at + 1}` });
    let slug = wished;
    for (let count = 2; taken.has(slug); count++) slug = `${wished}-${count}`;
    taken.add(slug);
    return slug;
  });
}

/** The slug of a copy where another artifact has the variant's: unlike that of any other Prototype. */
export const ownSlug = (slug: string, prototypeId: string) => `${slug}-${prototypeId.slice(-6)}`;
