// Artifacts: the documents, mockups, images and videos that an agent writes in a session, each under a slug of its own; what one may be
// called, how large it is at most, and which version it declares (Part 1, "Artifact").

import { artifactMediaBytes, artifactSlugCharacters, artifactTextBytes, artifactTitleCharacters } from "../limits.ts";
import { type Refusal, refuse } from "../refusal.ts";
import { declaredVersion } from "./declared-version.ts";

/** Those whose body is text. */
export const textKinds = ["markdown", "html"] as const;
/** Those whose body is a file. */
const mediaKinds = ["image", "video"] as const;
export const artifactKinds = [...textKinds, ...mediaKinds] as const;
export type TextKind = (typeof textKinds)[number];
export type MediaKind = (typeof mediaKinds)[number];
export type ArtifactKind = (typeof artifactKinds)[number];

/** What a write calls the artifact that it writes. */
export interface ArtifactNaming {
  slug: string;
  title: string;
  kind: ArtifactKind;
}

export const isTextKind = (kind: ArtifactKind): kind is TextKind => textKinds.some((known) => known === kind);

const slugShape = new RegExp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,${artifactSlugCharacters - 1}}$`);

/** Reads what a write calls its artifact. */
export function readNaming({ slug, title, kind }: Record<keyof ArtifactNaming, unknown>): ArtifactNaming | Refusal {
  if (typeof slug !== "string" || !slugShape.test(slug))
    return refuse(
      "VALIDATION_ERROR",
      `The slug has 1 to ${artifactSlugCharacters} letters, digits, \`-\`, \`_\` and \`.\`, a letter or digit first.`,
    );
  const name = typeof title === "string" ? plainTitle(title) : "";
  if (name === "" || name.length > artifactTitleCharacters)
    return refuse("VALIDATION_ERROR", `The title has 1 to ${artifactTitleCharacters} characters.`);
  const known = artifactKinds.find((candidate) => candidate === kind);
  if (!known) return refuse("VALIDATION_ERROR", `The kind is one of ${artifactKinds.join(", ")}.`);
  return { slug, title: name, kind: known };
}

/** A title on one line. */
const plainTitle = (title: string) =>
  title
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();

/** The most bytes that an artifact of a kind holds. */
export const mostBytes = (kind: ArtifactKind) => (isTextKind(kind) ? artifactTextBytes : artifactMediaBytes);

/** Refuses a body that is too large; `bytes` are those that came so far. */
export function checkBodySize(kind: ArtifactKind, bytes: number): Refusal | null {
  if (bytes <= mostBytes(kind)) return null;
  return refuse("PAYLOAD_TOO_LARGE", `An artifact of kind ${kind} holds at most ${mostBytes(kind)} bytes.`);
}

/**
 * The version that a body declares, which its artifact then gets. Null when it declares none, or none that a version can be: it counts one
 * more than the artifact that it rewrites, from 1 on.
 */
export function versionDeclared(kind: ArtifactKind, body: string | null): number | null {
  return body !== null && isTextKind(kind) ? declaredVersion(kind, body) : null;
}
