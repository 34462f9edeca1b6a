// The sweep of stale seals. It seals values that are not encrypted, and reseals values of all keys but the first, so that those keys can be
// removed.
import { loginObject, projectObject } from "../../durable-objects/address.ts";
import { resealIdentity } from "../actions/code-host/connect.ts";
import type { Env } from "../env.ts";
import { reasonOf } from "../error-text.ts";
import { sealSettings } from "../storage/project-settings.ts";
import { replaceSettings } from "../storage/queries/projects.ts";
import {
  forgetCarriedOver,
  type Page,
  staleIdentities,
  staleLogins,
  staleProjects,
} from "../storage/queries/stale-seals.ts";
import { sealingKeyIds } from "../storage/sealing.ts";

const rowsPerPage = 100;
const pagesPerSweep = 5;

/** Reseals a few pages of stale values. Idempotent. A row that cannot be unsealed is logged, and does not stop the others. */
export async function sweepStaleSeals(env: Env): Promise<void> {
  const { DB, SEALING_KEYS } = env;
  await forgetCarriedOver(DB);
  const [keyId, ...others] = await sealingKeyIds(SEALING_KEYS);
  await inPages(
    keyId,
    "project",
    (page) => staleProjects(DB, page),
    async ({ id, settings }) => {
      await projectObject(env, id).resealDraft();
      const sealed = await sealSettings(SEALING_KEYS, { id, settings: JSON.parse(settings) });
      await replaceSettings(DB, { id, read: settings, ...sealed });
    },
  );
  // With a single key, it has sealed all sealed values.
  if (others.length === 0) return;
  await inPages(
    keyId,
    "login",
    (page) => staleLogins(DB, page),
    async ({ owner, provider, id }) => {
      const name = { owner, provider, id };
      const reason = await loginObject(env, name).reseal(name);
      if (reason !== null) throw new Error(reason);
    },
  );
  await inPages(
    keyId,
    "code host identity",
    (page) => staleIdentities(DB, page),
    ({ userId }) => resealIdentity(env, userId),
  );
}

async function inPages<Found extends { row: number }>(
  keyId: string,
  what: string,
  read: (page: Page) => Promise<Found[]>,
  reseal: (found: Found) => Promise<void>,
): Promise<void> {
  let after = 0;
  for (let page = 0; page < pagesPerSweep; page++) {
    const found = await read({ keyId, after, atMost: rowsPerPage });
    for (const one of found) {
      after = one.row;
      await reseal(one).catch((error: unknown) =>
        console.error(`a ${what} is not re-sealed`, one.row, reasonOf(error)),
      );
    }
    if (found.length < rowsPerPage) return;
  }
}
