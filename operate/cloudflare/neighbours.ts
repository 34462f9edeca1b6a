// The other Workers of an account, such as those of a staging service. A deployment takes nothing
// from them: wrangler would move a domain without a question, and two services in one bucket would
// delete each other's files.
import { type Platform, PlatformError } from "./api.ts";
import type { Check } from "./checks.ts";
import type { Settings } from "./settings.ts";

/** Something that the settings name, and that another Worker has. */
export interface Taken {
  what: string;
  worker: string;
}

/** Finds the hosts of the settings that another Worker serves. */
export async function findTakenHosts(
  platform: Platform,
  accountId: string,
  settings: Pick<Settings, "workerName" | "customDomains" | "previewDomain">,
  previewZoneId: string | null,
): Promise<Taken[]> {
  const { workerName, customDomains, previewDomain } = settings;
  const taken: Taken[] = [];
  for (const host of customDomains) {
    const path = `/accounts/${accountId}/workers/domains?hostname=${encodeURIComponent(host)}`;
    const domains = await platform.list<{ hostname: string; service: string }>(path);
    const owner = domains.find(({ hostname }) => hostname === host)?.service;
    if (owner !== undefined) taken.push({ what: `the domain ${host}`, worker: owner });
  }
  const pattern = `*.${previewDomain}/*`;
  const routes =
    previewZoneId === null
      ? []
      : await platform.list<{ pattern: string; script?: string | null }>(`/zones/${previewZoneId}/workers/routes`);
  const script = routes.find((route) => route.pattern === pattern)?.script;
  if (script) taken.push({ what: `the route ${pattern}`, worker: script });
  return taken.filter(({ worker }) => worker !== workerName);
}

interface Binding {
  type: string;
  id?: string;
  database_id?: string;
  bucket_name?: string;
  jurisdiction?: string;
}

/**
 * Finds the Workers that use the database or the bucket of the settings. `databaseId` is that of
 * the account; null if there is none.
 */
export async function findTakenStores(
  platform: Platform,
  accountId: string,
  settings: Pick<Settings, "workerName" | "bucketName" | "databaseName" | "jurisdiction">,
  databaseId: string | null,
): Promise<Taken[]> {
  const { workerName, bucketName, databaseName } = settings;
  const scripts = `/accounts/${accountId}/workers/scripts`;
  const taken: Taken[] = [];
  for (const { id: worker } of await platform.list<{ id: string }>(scripts)) {
    if (worker === workerName) continue;
    const { bindings } = await platform
      .get<{ bindings: Binding[] }>(`${scripts}/${worker}/settings`)
      .catch((error: unknown) => {
        if (error instanceof PlatformError && error.status === 404) return { bindings: [] };
        throw error;
      });
    const usesDatabase = ({ type, id, database_id }: Binding) => type === "d1" && databaseId === (database_id ?? id);
    if (bindings.some(usesDatabase)) taken.push({ what: `the database ${databaseName}`, worker });
    const usesBucket = ({ type, bucket_name, jurisdiction = "" }: Binding) =>
      type === "r2_bucket" && bucket_name === bucketName && jurisdiction === settings.jurisdiction;
    if (bindings.some(usesBucket)) taken.push({ what: `the bucket ${bucketName}`, worker });
  }
  return taken;
}

/** Checks that the settings name nothing of another Worker. */
export function checkTaken({ workerName }: Pick<Settings, "workerName">, taken: readonly Taken[]): Check {
  const what = "nothing belongs to another Worker";
  if (taken.length === 0) return { what, state: "ok", help: "" };
  const names = taken.map((one) => `${one.what} (of ${one.worker})`).join(" and ");
  const help = `wrangler.toml names what another Worker of the account has: ${names}. A deployment of ${workerName} would take it, or change its contents. Choose other names there. docs/operate.md lists the lines of a second service.`;
  return { what, state: "wrong", help };
}
