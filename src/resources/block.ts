// The blocks of an assistant message on the wire. A sandbox reports them in the same form.
import * as z from "zod";
import { artifactKinds } from "../rules/artifact/artifact.ts";
import { planItemStatuses, toolStatuses } from "../rules/chat/block.ts";
import { timestamp, uuid } from "./wire-values.ts";

const optionSchema = z.object({ title: z.string(), description: z.string(), isRecommended: z.boolean() });
const questionSchema = z.object({ topic: z.string(), question: z.string(), options: z.array(optionSchema) });

export const blockSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), content: z.string() }),
  z.object({
    type: z.literal("plan"),
    items: z.array(z.object({ title: z.string(), status: z.enum(planItemStatuses) })),
  }),
  z.object({
    type: z.literal("tool"),
    name: z.string(),
    title: z.string(),
    input: z.unknown(),
    output: z.string().nullable(),
    fullOutputBytes: z.int().nullable().default(null),
    status: z.enum(toolStatuses),
    startedAt: timestamp,
    completedAt: timestamp.nullable(),
  }),
  z.object({
    type: z.literal("filed_sessions"),
    sessions: z.array(z.object({ sessionId: uuid, projectId: uuid, title: z.string() })),
  }),
  z.object({
    type: z.literal("artifact"),
    artifactId: uuid,
    slug: z.string(),
    title: z.string(),
    kind: z.enum(artifactKinds),
    version: z.int(),
  }),
  z.object({ type: z.literal("clarification"), clarificationData: z.object({ questions: z.array(questionSchema) }) }),
]);
