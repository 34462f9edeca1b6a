// Artifacts of sessions and of the other owners of turns, and the Prototypes that some are copied
// from.
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { artifactKinds } from "./rules/artifact.ts";
import type { PrototypeVariant } from "./rules/prototype.ts";

export const artifacts = sqliteTable(
  "artifacts",
  {
    id: text().primaryKey(),
    /**
     * The id of the owner: the session or the cron run that wrote it. The column's name is from the
     * time when only sessions were owners.
     */
    ownerId: text("session_id").notNull(),
    /** The cron of a run; null for an owner of another kind. */
    cronId: text(),
    slug: text().notNull(),
    title: text().notNull(),
    kind: text({ enum: artifactKinds }).notNull(),
    version: integer().notNull(),
    /** The R2 key of this version's body. */
    bodyKey: text().notNull(),
    /** Null for text. */
    mediaType: text(),
    byteSize: integer().notNull(),
    /** The write that created this version. A repeat of it creates no further version. */
    writeId: text().notNull(),
    /** The Prototype that it was copied from; null if an agent wrote it. */
    prototypeId: text(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (artifact) => [
    uniqueIndex("artifacts_by_slug").on(artifact.ownerId, artifact.slug),
    index("artifacts_by_cron").on(artifact.cronId, artifact.updatedAt, artifact.id).where(sql`cron_id IS NOT NULL`),
    uniqueIndex("artifacts_by_body").on(artifact.bodyKey),
  ],
);

export const prototypes = sqliteTable(
  "prototypes",
  {
    id: text().primaryKey(),
    projectId: text().notNull(),
    title: text().notNull(),
    variants: text({ mode: "json" }).$type<PrototypeVariant[]>().notNull(),
    createdBy: text(),
    createdAt: integer().notNull(),
  },
  (prototype) => [index("prototypes_by_project").on(prototype.projectId, prototype.createdAt)],
);
