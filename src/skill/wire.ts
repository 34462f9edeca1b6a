// A saved skill on the wire: a person's, or a workspace's.
import * as z from "zod";
import { exampleIds, uuid } from "../lib/wire.ts";
import { skillFileBytes, skillFileCount, skillTotalBytes } from "../rules/limits.ts";
import { namedWorkspaceSchema } from "../workspace/wire.ts";
import type { PersonalSkillRow, SkillRow } from "./queries.ts";
import { skillSources } from "./rules/skill.ts";

const exampleFiles = [
  {
    path: "SKILL.md",
    content:
      "---\nname: release-notes\ndescription: Writes the release notes of a month.\nargument-hint: <month>\n---\n" +
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a skill names its folder so
      "Follow ${CLAUDE_SKILL_DIR}/template.md.\n",
  },
  { path: "template.md", content: "# Release notes\n" },
];

const fileSchema = z
  .strictObject({
    path: z.string().describe("Relative to the skill's folder."),
    content: z.string().describe("UTF-8 text."),
  })
  .meta({ id: "SkillFile", description: "A file of a new skill." });

const filesField = z
  .array(fileSchema)
  .describe(
    `Every file of the skill, at most ${skillFileCount}, of ${skillFileBytes} bytes each and ${skillTotalBytes} in all. A \`SKILL.md\` at the root holds a kebab-case \`name\`, a \`description\` and maybe an \`argument-hint\` in its front matter, and the instructions below.`,
  );
const enabledField = z.boolean().describe("False hides it from agents.");

export const newSkillSchema = z
  .strictObject({ files: filesField, enabled: enabledField.default(true) })
  .meta({ examples: [{ files: exampleFiles, enabled: true }] });

export const skillChangesSchema = z
  .strictObject({
    files: filesField.optional().describe("Every file of the skill, as of a new one."),
    enabled: enabledField.optional(),
  })
  .refine(({ files, enabled }) => files !== undefined || enabled !== undefined, {
    error: "needs enabled, files or both",
  })
  .meta({ examples: [{ enabled: false }] });

export const skillIdSchema = z
  .object({ id: uuid.describe("The id of the new skill.") })
  .meta({ id: "KeptSkill", description: "A skill that was saved.", examples: [{ id: exampleIds.skill }] });

const exampleSkill = {
  id: exampleIds.skill,
  name: "release-notes",
  description: "Writes the release notes of a month.",
  enabled: true,
  fileCount: 2,
};
const exampleReplaces = [{ workspaceId: exampleIds.workspace, workspaceName: "Acme" }];

export const workspaceSkillSchema = z
  .object({
    id: uuid.describe("The skill's id."),
    name: z.string().describe("Its name after `/` or `$`."),
    description: z.string().describe("What it does."),
    enabled: z.boolean().describe("True if agents have it."),
    fileCount: z.int().describe("The number of its files."),
  })
  .meta({ id: "WorkspaceSkill", description: "A skill of a workspace.", examples: [exampleSkill] });

export const personalSkillSchema = workspaceSkillSchema
  .extend({
    replaces: z.array(namedWorkspaceSchema).describe("The workspaces whose skill of the same name it replaces."),
  })
  .meta({
    id: "PersonalSkill",
    description: "A skill for the sessions of its owner.",
    examples: [{ ...exampleSkill, replaces: exampleReplaces }],
  });

const withFiles = { files: z.array(z.object(fileSchema.shape)).describe("Every file, as it was sent.") };

export const wholeWorkspaceSkillSchema = workspaceSkillSchema.extend(withFiles).meta({
  id: "WholeWorkspaceSkill",
  description: "A skill of a workspace with its files.",
  examples: [{ ...exampleSkill, files: exampleFiles }],
});

export const wholePersonalSkillSchema = personalSkillSchema.extend(withFiles).meta({
  id: "WholePersonalSkill",
  description: "A personal skill with its files.",
  examples: [{ ...exampleSkill, replaces: exampleReplaces, files: exampleFiles }],
});

export function toWireWorkspaceSkill(row: SkillRow): z.infer<typeof workspaceSkillSchema> {
  const { id, name, description, enabled, fileCount } = row;
  return { id, name, description, enabled, fileCount };
}

export function toWirePersonalSkill(row: PersonalSkillRow): z.infer<typeof personalSkillSchema> {
  return { ...toWireWorkspaceSkill(row), replaces: row.replaces };
}

/** A skill on the wire. */
export const skillSchema = z
  .object({
    name: z.string().describe("Its name after `/` or `$`."),
    description: z.string().describe("What it does."),
    argumentHint: z.string().nullable().describe("A hint for what to write after the name."),
    source: z.enum(skillSources).describe("Where it comes from."),
  })
  .meta({
    id: "Skill",
    description: "A skill or command that messages can name.",
    examples: [
      {
        name: "svc:open-pr",
        description: "Opens a pull request for the session's branch.",
        argumentHint: "[--draft] [--reviewers names] [text]",
        source: "factory",
      },
    ],
  });
