// The sweep of stale seals. It seals values that are not encrypted, and reseals values of all keys but the first, so that those keys can be
// removed.
import { loginObject, projectObject } from "../../durable-objects/address.ts";
import { resealIdentity } from "../account/connect-code-host.ts";
import type { Env } from "../env.ts";
import { reasonOf } from "../lib/error-text.ts";
import { replaceSettings } from "../project/queries.ts";
import { sealSettings } from "../project/settings.ts";
import { sealingKeyIds } from "../storage/sealing.ts";
import {
  forgetCarriedOver,
  type Page,
  staleIdentities,
  staleLogins,
  staleProjects,
} from "./stale-seals-stale-seals.ts";
import type { SweepPlace } from "./sweep.ts";

/** Each takes up to three calls. */
const rowsPerPage = 12;

/** Reseals a page of stale values. Idempotent. A row that cannot be unsealed is logged, and stops no other. */
export async function sweepStaleSeals(env: Env, { after }: SweepPlace): Promise<string | null> {
  if (after === "") await forgetCarriedOver(env.DB);
  const [keyId, ...others] = await sealingKeyIds(env.SEALING_KEYS);
  // With a single key, it has sealed all sealed values.
  const kinds = others.length === 0 ? [projects] : [projects, logins, identities];
  const [kind = 0, row = 0] = after === "" ? [] : after.split(" ").map(Number);
  const last = (await kinds[kind]?.(env, { keyId, after: row, atMost: rowsPerPage })) ?? null;
  if (last !== null) return `${kind} ${last}`;
  return kind + 1 < kinds.length ? `${kind + 1} 0` : null;
}

/** Answers the last row of a page; null if it is the last page. */
type Kind = (env: Env, page: Page) => Promise<number | null>;

const projects: Kind = (env, page) =>
  resealEach("project", staleProjects(env.DB, page), async ({ id, settings }) => {
    await projectObject(env, id).resealDraft();
    const sealed = await sealSettings(env.SEALING_KEYS, { id, settings: JSON.parse(settings) });
    await replaceSettings(env.DB, { id, read: settings, ...sealed });
  });

const logins: Kind = (env, page) =>
  resealEach("login", staleLogins(env.DB, page), async ({ owner, provider, id }) => {
    const name = { owner, provider, id };
    const reason = await loginObject(env, name).reseal(name);
    if (reason !== null) throw new Error(reason);
  });

const identities: Kind = (env, page) =>
  resealEach("code host identity", staleIdentities(env.DB, page), ({ userId }) => resealIdentity(env, userId));

async function resealEach<Found extends { row: number }>(
  what: string,
  reading: Promise<Found[]>,
  reseal: (found: Found) => Promise<void>,
): Promise<number | null> {
  const found = await reading;
  for (const one of found) {
    await reseal(one).catch((error: unknown) => console.error(`a ${what} is not re-sealed`, one.row, reasonOf(error)));
  }
  return found.length < rowsPerPage ? null : (found.at(-1)?.row ?? null);
}
