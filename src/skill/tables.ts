// The saved skills of people and workspaces. The files of each are one body in R2.
import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { skillOwnerTypes } from "./rules/custom-skill.ts";

export const skills = sqliteTable(
  "skills",
  {
    id: text().primaryKey(),
    ownerType: text({ enum: skillOwnerTypes }).notNull(),
    ownerId: text().notNull(),
    name: text().notNull(),
    description: text().notNull(),
    argumentHint: text(),
    enabled: integer({ mode: "boolean" }).notNull(),
    fileCount: integer().notNull(),
    /**
     * The SHA-256 of its content, in base64url, with which sandboxes recognize skills they already
     * have.
     */
    hash: text().notNull(),
    /** The R2 key of its files. */
    bodyKey: text().notNull(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (skill) => [
    uniqueIndex("skills_by_name").on(skill.ownerType, skill.ownerId, skill.name),
    uniqueIndex("skills_by_body").on(skill.bodyKey),
  ],
);
