// What a deployment requires of settings and account: each check says what is fine, or what to do.

import { readSignUp, type SignUp } from "../../src/account/rules/sign-up.ts";
import type { AccountFacts, Zone } from "./account.ts";
import { checkJurisdictionSetting, checkLocated } from "./jurisdiction.ts";
import { checkTaken } from "./neighbours.ts";
import { drawnSecrets, givenSecrets, listSealingKeyIds, listSecretMistakes } from "./secrets.ts";
import type { Settings } from "./settings.ts";

export interface Check {
  what: string;
  /** `missing` does not stop a deployment: the service runs with fewer features. */
  state: "ok" | "missing" | "wrong";
  /** What to do; empty when it is ok. */
  help: string;
}

/** Checks the settings, without the account. */
export function checkSettings(settings: Settings): Check[] {
  const { publicHost, previewDomain, previewZone, placeholders, customDomains, signUp } = settings;
  const { s3Endpoint, bucketName } = settings;
  const placed =
    placeholders.length === 0
      ? null
      : `Replace ${placeholders.join(" and ")} with your own domains in wrangler.toml, under [env.production].`;
  const isApart = publicHost !== previewZone && !publicHost.endsWith(`.${previewZone}`);
  return [
    check("the domains are your own", placed),
    check(
      "the service has its own host",
      customDomains.includes(publicHost)
        ? null
        : `Add the route { pattern = "${publicHost}", custom_domain = true }: no route sends the host of PUBLIC_URL to the Worker.`,
    ),
    check(
      "previews have a zone of their own",
      isApart
        ? null
        : `Give previews another zone than ${publicHost}'s: a previewed page must not reach the API's cookies.`,
    ),
    check(
      "the zone's certificate covers previews",
      previewDomain === previewZone
        ? null
        : `Set PREVIEW_DOMAIN to the zone itself, ${previewZone}: the certificate of a zone covers only the hosts directly below it.`,
    ),
    check(
      "S3_ENDPOINT names the bucket",
      s3Endpoint === null || s3Endpoint === "" || s3Endpoint.endsWith(`/${bucketName}`)
        ? null
        : `S3_ENDPOINT in wrangler.toml has to end with the name of the bucket, ${bucketName}. Otherwise it serves the files of another deployment.`,
    ),
    checkJurisdictionSetting(settings),
    checkSignUp(readSignUp(signUp)),
  ];
}

const changesShown = 3;

/**
 * Checks that objects may keep the version before, if the settings let them. `listChanges` lists
 * the calls that have changed since the last release.
 */
export function checkCodeUpdates({ codeUpdateSeconds }: Settings, listChanges: () => string[]): Check {
  const changes = codeUpdateSeconds === 0 ? [] : listChanges();
  const more = changes.length > changesShown ? `, and ${changes.length - changesShown} more` : "";
  return check(
    codeUpdateSeconds === 0 ? "objects take a new version immediately" : "objects may keep the version before",
    changes.length === 0
      ? null
      : `With code_update_strategy in wrangler.toml, objects may keep the previous version for ${codeUpdateSeconds} seconds. That is safe only if no call has changed since the last release: ${changes.slice(0, changesShown).join("; ")}${more}. Set mode = "immediate" there.`,
  );
}

function checkSignUp({ isOpen, logins, organizations, malformed }: SignUp): Check {
  if (malformed.length > 0)
    return check(
      "who may sign up",
      `Write logins and org:NAME in SIGN_UP, with commas between, and not ${malformed[0]}.`,
    );
  const what = isOpen ? "everybody may sign up" : "who may sign up is listed";
  if (isOpen || logins.size + organizations.size > 0) return check(what, null);
  return {
    what: "who may sign up",
    state: "missing",
    help: "Only people who are invited to a workspace can. Name yourself in SIGN_UP in wrangler.toml, or * for everybody.",
  };
}

/**
 * Checks the secrets passed to a deployment against the keys that the database needs. Reveals no
 * value.
 */
export function checkGiven(given: Readonly<Record<string, string>>, database: AccountFacts["database"]): Check[] {
  const help = listSecretMistakes(given);
  const ids = given.SEALING_KEYS ? listSealingKeyIds(given.SEALING_KEYS) : null;
  const lost = ids === null ? [] : (database?.sealedWith.filter((id) => !ids.includes(id)) ?? []);
  return [
    check("the given secrets are well-formed", help.length === 0 ? null : help.join(" ")),
    check(
      "the given SEALING_KEYS unseal what is sealed",
      lost.length === 0
        ? null
        : `Add ${lost.join(" and ")} after the first key, because credentials are still sealed with it. Within minutes, a sweep seals them with the first key.`,
    ),
  ];
}

/**
 * Checks that this version can read the database. `first` is the first migration of this version.
 * A database with later ones than this checkout stays readable, so that a rollback is possible.
 */
export function checkMigrations(database: AccountFacts["database"], first: string): Check {
  const applied = database?.migrations ?? [];
  const isReadable = applied.length === 0 || applied.includes(first);
  return check(
    "this version can read the database",
    isReadable
      ? null
      : "The database was made by Switchyard 0.x, which this version cannot read. Name another database in wrangler.toml, and another Worker, or delete both.",
  );
}

/**
 * Checks an account against the settings. `given` has the names of the secrets that are passed to
 * this deployment.
 */
export function checkAccount(settings: Settings, facts: AccountFacts, given: readonly string[]): Check[] {
  const { account, lacking, zones, database, secrets } = facts;
  const held = [...(secrets ?? []), ...given];
  const opensRepositories = held.includes("CODE_HOST_TOKEN");
  const isMissing = (name: string) => !held.includes(name) && !(opensRepositories && name.startsWith("CODE_HOST_APP"));
  const losesCredentials = database?.hasPeople === true && isMissing("SEALING_KEYS");
  return [
    check(
      `the token reaches what it has to in ${account.name}`,
      lacking.length === 0 ? null : `Give the token the permissions ${lacking.join(", ")}.`,
    ),
    check(`the account has the zone of ${settings.publicHost}`, zoneHelp(settings.publicHost, zones, lacking)),
    check(`the account has the zone of previews`, zoneHelp(settings.previewZone, zones, lacking)),
    check(
      "the DNS record of previews leads through Cloudflare",
      facts.isPreviewRecordProxied
        ? null
        : `Turn the proxy of the DNS record *.${settings.previewDomain} on, or delete the record: the Worker gets none of its requests.`,
    ),
    check("wrangler.toml names the account's database", databaseHelp(settings, database?.id ?? null)),
    checkLocated(settings, facts.located),
    checkTaken(settings, facts.taken),
    check(
      "the database's credentials can be unsealed",
      losesCredentials
        ? "People use the database, and the Worker lacks SEALING_KEYS. Set SEALING_KEYS to the keys that sealed their credentials: a new key loses all of them."
        : null,
    ),
    ...drawnSecrets.filter((name) => !isMissing(name)).map((name) => check(`secret ${name}`, null)),
    ...Object.entries(givenSecrets).map(
      ([name, without]): Check =>
        isMissing(name)
          ? {
              what: `secret ${name}`,
              state: "missing",
              help: `Without it ${without}. Give it as ${name}, or ${name}_FILE.`,
            }
          : { what: `secret ${name}`, state: "ok", help: "" },
    ),
  ];
}

function databaseHelp({ databaseId, databaseName }: Settings, held: string | null): string | null {
  if (databaseId === null || databaseId === held) return null;
  const there = held === null ? `no database ${databaseName}` : `${databaseName} under the id ${held}`;
  return `wrangler.toml names the database ${databaseId}, and the account has ${there}. Set the right account, or the right id.`;
}

function zoneHelp(host: string, zones: Zone[], lacking: string[]): string | null {
  if (lacking.some((permission) => permission.startsWith("Zone: Zone"))) return null;
  const zone = zones.find(({ name }) => host === name || host.endsWith(`.${name}`));
  if (!zone) return `Add the domain of ${host} to this account, or set another one in wrangler.toml.`;
  return zone.status === "active"
    ? null
    : `The zone ${zone.name} is ${zone.status}: point its name servers at Cloudflare.`;
}

function check(what: string, help: string | null): Check {
  return help === null ? { what, state: "ok", help: "" } : { what, state: "wrong", help };
}
