// Creates, reads and deletes Prototypes. The bodies of the variants are in R2, the rest in a row.
import { newId } from "../ids.ts";
import type { Refusal } from "../rules/refusal.ts";
import { dropObjects } from "../storage/bodies.ts";
import { prototypeBodyKeys, storePrototypeBodies } from "./bodies.ts";
import { addPrototype, type PrototypeRow, removePrototype } from "./queries-prototypes.ts";
import type { TextKind } from "./rules/artifact.ts";
import { type PrototypeVariant, variantSlugs } from "./rules/prototype.ts";

interface Storage {
  DB: D1Database;
  STORE: R2Bucket;
}

export interface NewVariant {
  name: string;
  title: string;
  kind: TextKind;
  body: string;
}

/** A Prototype with the bodies of its variants, in the order of the variants. */
export interface PrototypeRead {
  row: PrototypeRow;
  bodies: string[];
}

/** Creates a Prototype of a project, unless it exceeds the workspace's quota. */
export async function createPrototype(
  env: Storage,
  {
    projectId,
    createdBy,
    title,
    variants,
  }: Pick<PrototypeRow, "projectId" | "createdBy" | "title"> & { variants: NewVariant[] },
  now: number,
): Promise<PrototypeRead | Refusal> {
  const id = newId(now);
  const slugs = variantSlugs(variants.map(({ name }) => name));
  const stored: PrototypeVariant[] = variants.map(({ body: _, ...variant }, at) => ({
    ...variant,
    slug: slugs[at] ?? "",
  }));
  const row = { id, projectId, title, variants: stored, createdBy, createdAt: now };
  const bodies = variants.map(({ body }) => body);
  const refusal = await storePrototypeBodies(env, row, bodies);
  if (refusal) return refusal;
  await addPrototype(env.DB, row, prototypeBodyKeys(row));
  return { row, bodies };
}

/** Reads the bodies of a Prototype; null if it has been deleted since `row` was read. */
export async function readPrototype(env: Storage, row: PrototypeRow): Promise<PrototypeRead | null> {
  const bodies = await Promise.all(prototypeBodyKeys(row).map(async (key) => await (await env.STORE.get(key))?.text()));
  const whole = bodies.filter((body) => body !== undefined);
  return whole.length === bodies.length ? { row, bodies: whole } : null;
}

/** Deletes a Prototype. Its copies stay. */
export async function deletePrototype(env: Storage, row: PrototypeRow, now: number): Promise<void> {
  const keys = prototypeBodyKeys(row);
  await removePrototype(env.DB, row, keys, now);
  await dropObjects(env, keys);
}
