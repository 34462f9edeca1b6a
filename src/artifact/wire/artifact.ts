// Artifacts on the wire: as list rows, and with their content.
import * as z from "zod";
import { exampleIds, exampleTimes, formatTime, formatTimeOrNull, timestamp, uuid } from "../../lib/wire.ts";
import type { ArtifactRow } from "../queries.ts";
import { artifactKinds } from "../rules/artifact.ts";

/** An artifact with its content: its text, or the URL of its file. */
export interface ReadArtifact {
  row: ArtifactRow;
  body: string | null;
  url: string | null;
}

export const exampleArtifactRow = {
  id: exampleIds.artifact,
  slug: "departures-board",
  title: "Departures board",
  kind: "html",
  version: 2,
  createdAt: exampleTimes.started,
  updatedAt: exampleTimes.later,
};

export const artifactKindSchema = z.enum(artifactKinds).meta({
  id: "ArtifactKind",
  description: "`markdown` is a document, `html` a mockup.",
});

export const artifactRowSchema = z
  .object({
    id: uuid.describe("The artifact's id."),
    slug: z.string().describe("Names the artifact within its session."),
    title: z.string().describe("Its title."),
    kind: artifactKindSchema,
    version: z.int().describe("From 1. Each new write of the slug adds 1."),
    createdAt: timestamp.describe("When the agent first wrote it."),
    updatedAt: timestamp.describe("When the agent last wrote it."),
  })
  .meta({ id: "ArtifactRow", description: "An artifact without its content.", examples: [exampleArtifactRow] });

export const artifactSchema = artifactRowSchema
  .extend({
    body: z.string().nullable().describe("The text of a document or a mockup; null for an image or a video."),
    url: z.string().nullable().describe("The address of an image or a video, for 24 hours; null for a text."),
    mediaType: z.string().nullable().describe("The media type of an image or a video; null for a text."),
    byteSize: z.int().nullable().describe("The size of an image or a video in bytes; null for a text."),
    viewUrl: z.string().nullable().describe("Its address in a frame; null in a public link."),
    viewUrlExpiresAt: timestamp.nullable().describe("15 minutes after the read."),
  })
  .meta({
    id: "Artifact",
    description: "The text of a document or a mockup, or the address of an image or a video.",
    examples: [
      {
        ...exampleArtifactRow,
        body: "<h1>Departures</h1>",
        url: null,
        mediaType: null,
        byteSize: null,
        viewUrl: "https://artifacts.preview.example.com/view/9f2c",
        viewUrlExpiresAt: exampleTimes.later,
      },
    ],
  });

export function toWireArtifactRow(row: ArtifactRow): z.infer<typeof artifactRowSchema> {
  const { id, slug, title, kind, version, createdAt, updatedAt } = row;
  return { id, slug, title, kind, version, createdAt: formatTime(createdAt), updatedAt: formatTime(updatedAt) };
}

/** The URL of an artifact's view, and when it expires. */
export interface ViewUrl {
  url: string;
  expiresAt: number;
}

export function toWireArtifact({ row, body, url }: ReadArtifact, view: ViewUrl | null): z.infer<typeof artifactSchema> {
  const { mediaType, byteSize } = row;
  const viewed = { viewUrl: view?.url ?? null, viewUrlExpiresAt: formatTimeOrNull(view?.expiresAt ?? null) };
  return { ...toWireArtifactRow(row), body, url, mediaType, byteSize: url === null ? null : byteSize, ...viewed };
}
