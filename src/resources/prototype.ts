// Prototypes on the wire: rows as the list has them, and a single one with the bodies of its variants.
import * as z from "zod";
import type { PrototypeRead } from "../actions/artifact/create-prototype.ts";
import { textKinds } from "../rules/artifact/artifact.ts";
import { artifactTextBytes, artifactTitleCharacters, prototypeVariantsMax } from "../rules/limits.ts";
import type { PrototypeRow } from "../storage/queries/prototypes.ts";
import { time, timestamp, uuid } from "./wire-values.ts";

const variantRowSchema = z.object({ name: z.string(), title: z.string(), kind: z.enum(textKinds) });

export const prototypeRowSchema = z
  .object({
    id: uuid,
    projectId: uuid,
    title: z.string(),
    variants: z.array(variantRowSchema),
    createdBy: z.string().nullable(),
    createdAt: timestamp,
  })
  .meta({ description: "A Prototype without the bodies of its variants." });

export const prototypeSchema = prototypeRowSchema
  .extend({ variants: z.array(variantRowSchema.extend({ body: z.string() })) })
  .meta({ description: "A Prototype: named variants of a document or a mockup." });

const line = z.string().trim().min(1).max(artifactTitleCharacters);
const text = z
  .string()
  .min(1)
  .refine(
    (body) => new TextEncoder().encode(body).length <= artifactTextBytes,
    `must have at most ${artifactTextBytes} bytes`,
  );

/** What a Prototype is made from. */
export const newPrototypeSchema = z.strictObject({
  title: line,
  variants: z
    .array(z.strictObject({ name: line, title: line, kind: z.enum(textKinds), body: text }))
    .min(1)
    .max(prototypeVariantsMax)
    .refine(
      (variants) => new Set(variants.map(({ name }) => name)).size === variants.length,
      "has two variants of one name",
    ),
});

export function prototypeRowOnWire(row: PrototypeRow): z.infer<typeof prototypeRowSchema> {
  const { id, projectId, title, createdBy, createdAt } = row;
  const variants = row.variants.map(({ name, title, kind }) => ({ name, title, kind }));
  return { id, projectId, title, variants, createdBy, createdAt: time(createdAt) };
}

export function prototypeOnWire({ row, bodies }: PrototypeRead): z.infer<typeof prototypeSchema> {
  const told = prototypeRowOnWire(row);
  return { ...told, variants: told.variants.map((variant, at) => ({ ...variant, body: bodies[at] ?? "" })) };
}
