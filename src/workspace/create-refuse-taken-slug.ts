// Refuses a taken slug, and offers one that is free.
import type { Env } from "../env.ts";
import { newName } from "../ids.ts";
import type { Refusal } from "../rules/refusal.ts";
import { freeSlug } from "./queries/workspaces.ts";
import { slugsBeside, slugTaken } from "./rules/workspace.ts";

const randomCharacters = 8;

export async function refuseTakenSlug(env: Pick<Env, "DB">, slug: string): Promise<Refusal> {
  const offers = slugsBeside(slug, newName(randomCharacters));
  return slugTaken(slug, (await freeSlug(env.DB, offers)) ?? offers.at(-1) ?? "");
}
