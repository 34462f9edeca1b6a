// The blocks of an assistant message on the wire. A sandbox reports them in the same form.
import * as z from "zod";
import { artifactKindSchema } from "../../artifact/wire/artifact.ts";
import { exampleIds, exampleTimes, timestamp, uuid } from "../../lib/wire.ts";
import { planItemStatuses, toolStatuses } from "../rules/block.ts";

const optionSchema = z
  .object({
    title: z.string().describe("The option in a few words."),
    description: z.string().describe("What choosing it means."),
    isRecommended: z.boolean().describe("True for the agent's choice."),
  })
  .meta({
    id: "ClarificationOption",
    description: "One of the options of a question.",
    examples: [{ title: "By time", description: "The next departure comes first.", isRecommended: true }],
  });

const questionSchema = z
  .object({
    topic: z.string().describe("The subject in one or two words."),
    question: z.string().describe("The question itself."),
    options: z.array(optionSchema).describe("2 to 4 options, the recommended one first."),
  })
  .meta({
    id: "ClarificationQuestion",
    description: "A question of the agent to the user.",
    examples: [
      {
        topic: "Order",
        question: "How are departures of the same minute ordered?",
        options: [
          { title: "By platform", description: "Platform 1 comes first.", isRecommended: true },
          { title: "By line", description: "In the order of the alphabet.", isRecommended: false },
        ],
      },
    ],
  });

const planItemSchema = z
  .object({
    title: z.string().describe("The step in a few words."),
    status: z.enum(planItemStatuses).describe("The progress of the step."),
  })
  .meta({
    id: "PlanItem",
    description: "A step of the agent's plan.",
    examples: [{ title: "Sort the board by time", status: "in_progress" }],
  });

const filedSessionSchema = z
  .object({
    sessionId: uuid.describe("The filed session's id."),
    projectId: uuid.describe("The id of its project."),
    title: z.string().describe("The title of the session."),
  })
  .meta({
    id: "FiledSession",
    description: "A session that the agent filed.",
    examples: [{ sessionId: exampleIds.session, projectId: exampleIds.project, title: "Show platform changes" }],
  });

const textBlock = z
  .object({
    type: z.literal("text"),
    content: z.string().describe("The text, as Markdown."),
  })
  .meta({
    id: "TextBlock",
    description: "Text that the agent wrote.",
    examples: [{ type: "text", content: "The board is now sorted by time." }],
  });

const planBlock = z
  .object({
    type: z.literal("plan"),
    items: z.array(planItemSchema).describe("The steps in their order."),
  })
  .meta({ id: "PlanBlock", description: "The agent's current plan." });

const toolBlock = z
  .object({
    type: z.literal("tool"),
    name: z.string().describe("The name of the tool."),
    title: z.string().describe("What the tool did, in a line for people."),
    input: z.unknown().describe("The tool's own input."),
    output: z.string().nullable().describe("The first 32 KiB; null while it runs."),
    fullOutputBytes: z
      .int()
      .nullable()
      .default(null)
      .describe("The size of the whole output in bytes; null if `output` is the whole."),
    outputCharacters: z.int().optional().describe("The length of the output, if it is cut."),
    status: z.enum(toolStatuses).describe("The state of the call."),
    startedAt: timestamp.describe("When the tool began."),
    completedAt: timestamp.nullable().describe("When the tool ended; null while it runs."),
  })
  .meta({
    id: "ToolBlock",
    description: "A tool that the agent ran.",
    examples: [
      {
        type: "tool",
        name: "bash",
        title: "npm test",
        input: { command: "npm test" },
        output: "12 tests passed",
        fullOutputBytes: null,
        status: "completed",
        startedAt: exampleTimes.running,
        completedAt: exampleTimes.later,
      },
    ],
  });

const filedSessionsBlock = z
  .object({
    type: z.literal("filed_sessions"),
    sessions: z.array(filedSessionSchema).describe("The sessions that were filed."),
  })
  .meta({ id: "FiledSessionsBlock", description: "The sessions that the agent filed." });

const artifactBlock = z
  .object({
    type: z.literal("artifact"),
    artifactId: uuid.describe("The artifact's id."),
    slug: z.string().describe("Names the artifact within its session."),
    title: z.string().describe("Its title."),
    kind: artifactKindSchema,
    version: z.int().describe("The version that the agent wrote."),
  })
  .meta({
    id: "ArtifactBlock",
    description: "An artifact that the agent wrote.",
    examples: [
      {
        type: "artifact",
        artifactId: exampleIds.artifact,
        slug: "departures-board",
        title: "Departures board",
        kind: "html",
        version: 2,
      },
    ],
  });

const clarificationBlock = z
  .object({
    type: z.literal("clarification"),
    clarificationData: z
      .object({ questions: z.array(questionSchema).describe("The questions in their order.") })
      .describe("What the agent asks."),
  })
  .meta({
    id: "ClarificationBlock",
    description: "Questions of the agent. The turn ends with them, and the next message answers.",
  });

export const blockSchema = z
  .discriminatedUnion("type", [textBlock, planBlock, toolBlock, filedSessionsBlock, artifactBlock, clarificationBlock])
  .meta({ id: "Block", description: "A part of the agent's answer; `type` says which kind." });
