// Copies a Prototype to a Backlog session: each variant becomes an artifact of the session (decisions, "The Lead's Prototypes").
import { sessionObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { newId } from "../ids.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { readPrototype } from "./prototypes.ts";
import type { ArtifactRow } from "./queries.ts";
import { findPrototype } from "./queries-prototypes.ts";
import { ownSlug, type PrototypeVariant } from "./rules/prototype.ts";
import { writeTextArtifact } from "./write.ts";

export interface PrototypeCopy {
  projectId: string;
  sessionId: string;
  prototypeId: string;
  /** The name of the variant to copy; null for every one. */
  variant: string | null;
}

/** Copies one or all variants. Copying them again overwrites the earlier copies. */
export async function copyPrototype(
  env: Env,
  { projectId, sessionId, prototypeId, variant }: PrototypeCopy,
): Promise<ArtifactRow[] | Refusal> {
  // The row in the index may be out of date.
  const state = await sessionObject(env, sessionId).read();
  if (isRefusal(state)) return state;
  if (state.session.status !== "backlog")
    return refuse("BAD_REQUEST", "A Prototype is copied onto a session of the Backlog alone.");
  const found = await findPrototype(env.DB, projectId, prototypeId);
  const prototype = found && (await readPrototype(env, found));
  if (!prototype) return refuse("NOT_FOUND", "There is no such Prototype in this project.");
  const { row, bodies } = prototype;
  const wanted = row.variants
    .map((one, at) => ({ ...one, body: bodies[at] ?? "" }))
    .filter(({ name }) => variant === null || name === variant);
  if (wanted.length === 0) return refuse("NOT_FOUND", "The Prototype has no such variant.");
  const copies: ArtifactRow[] = [];
  for (const one of wanted) {
    const copy = await copyVariant(env, { sessionId, prototypeId }, one);
    if (isRefusal(copy)) return copy;
    if (!copy) return refuse("NOT_FOUND", "There is no such session in this project.");
    copies.push(copy);
  }
  return copies;
}

async function copyVariant(
  env: Env,
  { sessionId, prototypeId }: Pick<PrototypeCopy, "sessionId" | "prototypeId">,
  { slug, title, kind, body }: PrototypeVariant & { body: string },
): Promise<ArtifactRow | Refusal | null> {
  const owner = { type: "session", id: sessionId } as const;
  const write = (as: string) =>
    writeTextArtifact(env, { owner, prototypeId, writeId: newId() }, { slug: as, title, kind }, body);
  return (await write(slug)) ?? (await write(ownSlug(slug, prototypeId)));
}
