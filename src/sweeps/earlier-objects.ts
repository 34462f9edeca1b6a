// The sweep of objects that were stored before workspaces had a quota. It goes through the bucket
// once and counts the objects that have no row.
import type { Env } from "../env.ts";
import { isLayout } from "../storage/bodies.ts";
import { countEarlier } from "../storage/stored-objects.ts";
import { moveMark, readMark } from "./marks.ts";
import type { SweepPlace } from "./sweep.ts";

const sweep = "earlier objects";
/** The maximum length of an R2 list. */
const objectsPerPage = 1_000;

/** Counts a page of objects, in the order of their keys. Idempotent. */
export async function sweepEarlierObjects(
  env: Pick<Env, "DB" | "STORE">,
  { now, after }: SweepPlace,
  atMost = objectsPerPage,
): Promise<string | null> {
  if (after === "" && (await readMark(env.DB, sweep)) !== null) return null;
  const listed = await env.STORE.list({ limit: atMost, ...(after !== "" && { startAfter: after }) });
  const found = listed.objects.filter(({ key }) => !isLayout(key)).map(({ key, size }) => ({ key, bytes: size }));
  await countEarlier(env.DB, found);
  const last = listed.objects.at(-1)?.key;
  if (listed.truncated && last !== undefined) return last;
  await moveMark(env.DB, sweep, now);
  return null;
}
