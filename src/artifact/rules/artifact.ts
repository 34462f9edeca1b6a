// Artifacts: documents, mockups, images and videos that an agent writes in a session, each under a slug. Their names, sizes and versions
// (Part 1, "Artifact").

import { hasMoreCodePoints } from "../../rules/code-points.ts";
import {
  artifactMediaBytes,
  artifactSlugCharacters,
  artifactsMax,
  artifactTextBytes,
  artifactTitleCharacters,
} from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import { declaredVersion } from "./artifact-declared-version.ts";

/** The kinds whose body is text. */
export const textKinds = ["markdown", "html"] as const;
/** The kinds whose body is a file. */
const mediaKinds = ["image", "video"] as const;
export const artifactKinds = [...textKinds, ...mediaKinds] as const;
export type TextKind = (typeof textKinds)[number];
export type MediaKind = (typeof mediaKinds)[number];
export type ArtifactKind = (typeof artifactKinds)[number];

/** The slug, title and kind of an artifact. */
export interface ArtifactNaming {
  slug: string;
  title: string;
  kind: ArtifactKind;
}

export const isTextKind = (kind: ArtifactKind): kind is TextKind => textKinds.some((known) => known === kind);

const slugShape = new RegExp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,${artifactSlugCharacters - 1}}$`);

/** Validates the slug, title and kind of a write. */
export function readNaming({ slug, title, kind }: Record<keyof ArtifactNaming, unknown>): ArtifactNaming | Refusal {
  if (typeof slug !== "string" || !slugShape.test(slug))
    return refuse(
      "VALIDATION_ERROR",
      `The slug has 1 to ${artifactSlugCharacters} letters, digits, \`-\`, \`_\` and \`.\`, a letter or digit first.`,
    );
  const name = typeof title === "string" ? plainTitle(title) : "";
  if (name === "" || hasMoreCodePoints(name, artifactTitleCharacters))
    return refuse("VALIDATION_ERROR", `The title has 1 to ${artifactTitleCharacters} characters.`);
  const known = artifactKinds.find((candidate) => candidate === kind);
  if (!known) return refuse("VALIDATION_ERROR", `The kind is one of ${artifactKinds.join(", ")}.`);
  return { slug, title: name, kind: known };
}

/** Puts a title on one line. */
const plainTitle = (title: string) =>
  title
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();

/** The refusal of one artifact more than an owner may have. */
export const artifactsAreFull = refuse(
  "BAD_REQUEST",
  `There are ${artifactsMax} artifacts already, which is the most. Write under the slug of one of them: that replaces it.`,
);

/** The size limit of an artifact of a kind, in bytes. */
export const mostBytes = (kind: ArtifactKind) => (isTextKind(kind) ? artifactTextBytes : artifactMediaBytes);

/** Refuses a body that is too large. `bytes` is the size so far. */
export function checkBodySize(kind: ArtifactKind, bytes: number): Refusal | null {
  if (bytes <= mostBytes(kind)) return null;
  return refuse("PAYLOAD_TOO_LARGE", `An artifact of kind ${kind} holds at most ${mostBytes(kind)} bytes.`);
}

/**
 * Returns the version that a body declares for its artifact. Null if it declares none or an invalid one: then the version of the artifact is
 * incremented, from 1 on.
 */
export function versionDeclared(kind: ArtifactKind, body: string | null): number | null {
  return body !== null && isTextKind(kind) ? declaredVersion(kind, body) : null;
}
