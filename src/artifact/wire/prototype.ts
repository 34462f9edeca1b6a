// Prototypes on the wire: as list rows, and with the bodies of their variants.
import * as z from "zod";
import { exampleIds, exampleTimes, formatTime, timestamp, uuid } from "../../lib/wire.ts";
import { artifactTextBytes, artifactTitleCharacters, prototypeVariantsMax } from "../../rules/limits.ts";
import type { PrototypeRow } from "../queries.ts";
import { textKinds } from "../rules/artifact.ts";

/** A Prototype with the bodies of its variants, in the order of the variants. */
export interface PrototypeRead {
  row: PrototypeRow;
  bodies: string[];
}

const exampleVariant = { name: "calm", title: "A calm board", kind: "html" };
const exampleRow = {
  id: exampleIds.prototype,
  projectId: exampleIds.project,
  title: "Two boards",
  variants: [exampleVariant],
  createdBy: exampleIds.user,
  createdAt: exampleTimes.started,
};
const exampleVariants = [{ ...exampleVariant, body: "<h1>Departures</h1>" }];
const kind = z.enum(textKinds).meta({ id: "PrototypeKind", description: "`markdown` is a document, `html` a mockup." });

const variantRowSchema = z
  .object({
    name: z.string().describe("Unique in its Prototype."),
    title: z.string().describe("Its title."),
    kind,
  })
  .meta({
    id: "PrototypeVariantRow",
    description: "A variant of a Prototype without its body.",
    examples: [exampleVariant],
  });

const variantSchema = variantRowSchema
  .extend({ body: z.string().describe("The document or the mockup.") })
  .meta({ id: "PrototypeVariant", description: "A variant of a Prototype.", examples: exampleVariants });

export const prototypeRowSchema = z
  .object({
    id: uuid.describe("The Prototype's id."),
    projectId: uuid.describe("The id of its project."),
    title: z.string().describe("Its title."),
    variants: z.array(variantRowSchema).describe("Its variants."),
    createdBy: z.string().nullable().describe("The id of the user who made it; null where none did."),
    createdAt: timestamp.describe("When it was made."),
  })
  .meta({
    id: "PrototypeRow",
    description: "A Prototype without the bodies of its variants.",
    examples: [exampleRow],
  });

export const prototypeSchema = prototypeRowSchema
  .extend({ variants: z.array(variantSchema).describe("Its variants with their bodies.") })
  .meta({
    id: "Prototype",
    description: "A Prototype: named variants of a document or a mockup.",
    examples: [{ ...exampleRow, variants: exampleVariants }],
  });

const line = z.string().trim().min(1).max(artifactTitleCharacters);
const text = z
  .string()
  .min(1)
  .refine(
    (body) => new TextEncoder().encode(body).length <= artifactTextBytes,
    `must have at most ${artifactTextBytes} bytes`,
  );

/** The body of a request that creates a Prototype. */
export const newPrototypeSchema = z
  .strictObject({
    title: line.describe("Its title."),
    variants: z
      .array(
        z.strictObject({
          name: line.describe("Unique in its Prototype."),
          title: line.describe("Its title."),
          kind,
          body: text.describe("The document or the mockup."),
        }),
      )
      .min(1)
      .max(prototypeVariantsMax)
      .refine(
        (variants) => new Set(variants.map(({ name }) => name)).size === variants.length,
        "has two variants of one name",
      )
      .describe("Variants with unique names."),
  })
  .meta({ examples: [{ title: "Two boards", variants: exampleVariants }] });

export function toWirePrototypeRow(row: PrototypeRow): z.infer<typeof prototypeRowSchema> {
  const { id, projectId, title, createdBy, createdAt } = row;
  const variants = row.variants.map(({ name, title, kind }) => ({ name, title, kind }));
  return { id, projectId, title, variants, createdBy, createdAt: formatTime(createdAt) };
}

export function toWirePrototype({ row, bodies }: PrototypeRead): z.infer<typeof prototypeSchema> {
  const prototype = toWirePrototypeRow(row);
  return { ...prototype, variants: prototype.variants.map((variant, at) => ({ ...variant, body: bodies[at] ?? "" })) };
}
