// A skill on the wire.
import * as z from "zod";
import { skillSources } from "./rules/skill.ts";

export const skillSchema = z
  .object({
    name: z.string().describe("What a message begins with to run it, behind `/` or `$`."),
    description: z.string().describe("What it does."),
    argumentHint: z.string().nullable().describe("What may follow the name; null for nothing in particular."),
    source: z.enum(skillSources).describe("Where it comes from."),
  })
  .meta({
    id: "Skill",
    description: "What an agent can be asked to do by name.",
    examples: [
      {
        name: "svc:open-pr",
        description: "Opens a pull request for the session's branch.",
        argumentHint: "[--draft] [--reviewers names] [text]",
        source: "factory",
      },
    ],
  });
