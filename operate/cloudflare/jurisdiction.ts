// Where a service is: its objects, database, bucket and containers are in one jurisdiction of the
// platform, or anywhere. Nothing that exists can be moved, so a deployment refuses another one.

import { type Platform, PlatformError } from "./api.ts";
import type { Check } from "./checks.ts";
import type { Settings } from "./settings.ts";

/** The values of `JURISDICTION`. The platform offers these to objects, D1, R2 and containers. */
const jurisdictions = ["", "eu", "us"];

/** Something that exists, with its jurisdiction; empty if it may be anywhere. */
export interface Located {
  what: string;
  jurisdiction: string;
}

/** The header by which the API finds a bucket: each jurisdiction has names of its own. */
export const bucketHeaders = (jurisdiction: string): Record<string, string> =>
  jurisdiction === "" ? {} : { "cf-r2-jurisdiction": jurisdiction };

/** Finds the buckets of a name: the same name can exist in each jurisdiction. */
export async function findBuckets(platform: Platform, accountId: string, name: string): Promise<Located[]> {
  const found: Located[] = [];
  for (const jurisdiction of jurisdictions) {
    const path = `/accounts/${accountId}/r2/buckets/${name}`;
    const isThere = await platform.get(path, bucketHeaders(jurisdiction)).then(
      () => true,
      (error: unknown) => {
        if (error instanceof PlatformError && error.status === 404) return false;
        throw error;
      },
    );
    if (isThere) found.push({ what: `the bucket ${name}`, jurisdiction });
  }
  return found;
}

/** Finds where the objects of a deployed Worker are; null while there is no Worker. */
export async function findObjects(
  platform: Platform,
  accountId: string,
  { workerName }: Pick<Settings, "workerName">,
): Promise<Located | null> {
  const path = `/accounts/${accountId}/workers/scripts/${workerName}/settings`;
  const settings = await platform
    .get<{ bindings?: { name: string; text?: string }[] }>(path)
    .catch((error: unknown) => {
      if (error instanceof PlatformError && error.status === 404) return null;
      throw error;
    });
  if (settings === null) return null;
  const set = settings.bindings?.find(({ name }) => name === "JURISDICTION");
  return { what: `the objects of ${workerName}`, jurisdiction: set?.text ?? "" };
}

/** Checks the setting, and what else wrangler.toml says about places. */
export function checkJurisdictionSetting(settings: Settings): Check {
  const { jurisdiction, s3Endpoint, otherJurisdictions } = settings;
  const what = jurisdiction === "" ? "no jurisdiction is asked for" : `the jurisdiction is ${jurisdiction}`;
  const wrong = (help: string): Check => ({ what: "the jurisdiction", state: "wrong", help });
  if (!jurisdictions.includes(jurisdiction))
    return wrong(`JURISDICTION in wrangler.toml has to be "eu", "us" or "", and is "${jurisdiction}".`);
  if (jurisdiction !== "" && otherJurisdictions.length > 0)
    return wrong(
      `Bucket or containers have jurisdiction "${otherJurisdictions[0]}" in wrangler.toml, and JURISDICTION is "${jurisdiction}". Write jurisdiction = "${jurisdiction}" there, too.`,
    );
  const bucket = /^https:\/\/[0-9a-f]+(?:\.(\w+))?\.r2\.cloudflarestorage\.com\//.exec(s3Endpoint ?? "");
  if (bucket && (bucket[1] ?? "") !== jurisdiction)
    return wrong(
      `S3_ENDPOINT in wrangler.toml is not that of the jurisdiction. Write https://ACCOUNT${jurisdiction && `.${jurisdiction}`}.r2.cloudflarestorage.com/${settings.bucketName}.`,
    );
  return { what, state: "ok", help: "" };
}

/** Checks that everything that exists is where the setting says. */
export function checkLocated({ jurisdiction }: Settings, located: readonly Located[]): Check {
  const elsewhere = located.filter((one) => one.jurisdiction !== jurisdiction);
  const what = "everything is where JURISDICTION says";
  if (elsewhere.length === 0) return { what, state: "ok", help: "" };
  const places = elsewhere.map((one) => `${one.what} (${one.jurisdiction || "none"})`).join(" and ");
  const [first] = elsewhere;
  return {
    what,
    state: "wrong",
    help: `JURISDICTION in wrangler.toml is "${jurisdiction}", and this is elsewhere: ${places}. Cloudflare can move nothing, and a service in another jurisdiction starts with empty objects. Set JURISDICTION = "${first?.jurisdiction}", or make a new service with another Worker, database and bucket.`,
  };
}
