// Creates, reads and deletes Prototypes. The bodies of the variants are in R2, the rest in a row.

import { getSessionObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { createId } from "../lib/ids.ts";
import type { Idempotency } from "../rules/idempotency.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { deleteObjects } from "../storage/bodies.ts";
import { createIdempotently } from "../storage/idempotent-create.ts";
import { listPrototypeBodyKeys, savePrototypeBodies } from "./bodies.ts";
import { type ArtifactRow, addPrototype, deletePrototypeRow, findPrototype, type PrototypeRow } from "./queries.ts";
import type { TextKind } from "./rules/artifact.ts";
import {
  checkCopyTarget,
  createCopySlug,
  createVariantSlugs,
  listCopiedVariants,
  type PrototypeVariant,
} from "./rules/prototype.ts";
import type { PrototypeRead } from "./wire/prototype.ts";
import { writeTextArtifact } from "./write.ts";

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

/** Creates a Prototype of a project, unless it exceeds the workspace's quota. */
export async function createPrototype(
  env: Storage,
  {
    projectId,
    createdBy,
    title,
    variants,
    repeat = null,
  }: Pick<PrototypeRow, "projectId" | "createdBy" | "title"> & { variants: NewVariant[]; repeat?: Idempotency | null },
  now: number,
): Promise<PrototypeRead | Refusal> {
  return await createIdempotently(
    env.DB,
    { repeat, now },
    {
      async find(id) {
        const row = await findPrototype(env.DB, projectId, id);
        return row && (await readPrototype(env, row));
      },
      create: (id) => storePrototype(env, { id, projectId, createdBy, title, createdAt: now }, variants),
    },
  );
}

async function storePrototype(
  env: Storage,
  prototype: Omit<PrototypeRow, "variants">,
  variants: NewVariant[],
): Promise<PrototypeRead | Refusal | null> {
  const slugs = createVariantSlugs(variants.map(({ name }) => name));
  const stored: PrototypeVariant[] = variants.map(({ body: _, ...variant }, at) => ({
    ...variant,
    slug: slugs[at] ?? "",
  }));
  const row = { ...prototype, variants: stored };
  const bodies = variants.map(({ body }) => body);
  const refusal = await savePrototypeBodies(env, row, bodies);
  if (refusal) return refusal;
  return (await addPrototype(env.DB, row, listPrototypeBodyKeys(row))) ? { row, bodies } : null;
}

/** Reads the bodies of a Prototype; null if it was deleted after `row` was read. */
export async function readPrototype(env: Storage, row: PrototypeRow): Promise<PrototypeRead | null> {
  const bodies = await Promise.all(
    listPrototypeBodyKeys(row).map(async (key) => await (await env.STORE.get(key))?.text()),
  );
  const whole = bodies.filter((body) => body !== undefined);
  return whole.length === bodies.length ? { row, bodies: whole } : null;
}

/** Deletes a Prototype. Its copies are not deleted. */
export async function deletePrototype(env: Storage, row: PrototypeRow, now: number): Promise<void> {
  const keys = listPrototypeBodyKeys(row);
  await deletePrototypeRow(env.DB, row, keys, now);
  await deleteObjects(env, keys);
}

export interface PrototypeCopy {
  projectId: string;
  sessionId: string;
  prototypeId: string;
  /** The name of the variant to copy; null for all variants. */
  variant: string | null;
}

/**
 * Copies one or all variants of a Prototype to a Backlog session, as artifacts of the session
 * (decisions, "The Lead's Prototypes"). Copying again overwrites the earlier copies.
 */
export async function copyPrototype(
  env: Env,
  { projectId, sessionId, prototypeId, variant }: PrototypeCopy,
  repeat: Idempotency | null,
): Promise<ArtifactRow[] | Refusal> {
  const session = getSessionObject(env, sessionId);
  const known = repeat && (await session.findResult(repeat));
  if (known) return isRefusal(known) ? known : (JSON.parse(known.result as string) as ArtifactRow[]);
  // The row in the index may be out of date.
  const state = await session.read();
  if (isRefusal(state)) return state;
  const misplaced = checkCopyTarget(state.session.status);
  if (misplaced) return misplaced;
  const found = await findPrototype(env.DB, projectId, prototypeId);
  const prototype = found && (await readPrototype(env, found));
  if (!prototype) return refuse("NOT_FOUND", "There is no such Prototype in this project.");
  const { row, bodies } = prototype;
  const variants = row.variants.map((one, at) => ({ ...one, body: bodies[at] ?? "" }));
  const wanted = listCopiedVariants(variants, variant);
  if (isRefusal(wanted)) return wanted;
  const copies: ArtifactRow[] = [];
  for (const one of wanted) {
    // A concurrent request with the same key must not write another version.
    const writeId = repeat ? `${repeat.key} ${one.slug}` : createId();
    const copy = await copyVariant(env, { sessionId, prototypeId, writeId }, one);
    if (isRefusal(copy)) return copy;
    if (!copy) return refuse("NOT_FOUND", "There is no such session in this project.");
    copies.push(copy);
  }
  if (repeat === null) return copies;
  const first = await session.saveResult(repeat, JSON.stringify(copies));
  return isRefusal(first) ? first : (JSON.parse(first) as ArtifactRow[]);
}

async function copyVariant(
  env: Env,
  { sessionId, prototypeId, writeId }: Pick<PrototypeCopy, "sessionId" | "prototypeId"> & { writeId: string },
  { slug, title, kind, body }: PrototypeVariant & { body: string },
): Promise<ArtifactRow | Refusal | null> {
  const owner = { type: "session", id: sessionId } as const;
  const write = (as: string) =>
    writeTextArtifact(env, { owner, prototypeId, writeId }, { slug: as, title, kind }, body);
  return (await write(slug)) ?? (await write(createCopySlug(slug, prototypeId)));
}
