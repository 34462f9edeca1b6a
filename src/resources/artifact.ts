// Artifacts on the wire: rows as lists have them, and a single one with its content.
import * as z from "zod";
import type { ReadArtifact } from "../actions/artifact/read.ts";
import { artifactKinds } from "../rules/artifact/artifact.ts";
import type { ArtifactRow } from "../storage/queries/artifacts.ts";
import { time, timestamp, uuid } from "./wire-values.ts";

export const artifactRowSchema = z
  .object({
    id: uuid,
    slug: z.string(),
    title: z.string(),
    kind: z.enum(artifactKinds),
    version: z.int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ description: "An artifact without its content." });

export const artifactSchema = artifactRowSchema
  .extend({
    body: z.string().nullable(),
    url: z.string().nullable(),
    mediaType: z.string().nullable(),
    byteSize: z.int().nullable(),
  })
  .meta({ description: "An artifact: the text of a document or a mockup, or the address of an image or a video." });

export function artifactRowOnWire(row: ArtifactRow): z.infer<typeof artifactRowSchema> {
  const { id, slug, title, kind, version, createdAt, updatedAt } = row;
  return { id, slug, title, kind, version, createdAt: time(createdAt), updatedAt: time(updatedAt) };
}

export function artifactOnWire({ row, body, url }: ReadArtifact): z.infer<typeof artifactSchema> {
  const { mediaType, byteSize } = row;
  return { ...artifactRowOnWire(row), body, url, mediaType, byteSize: url === null ? null : byteSize };
}
