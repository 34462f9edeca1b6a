// The settings of `npm start -- --public`: a service for a team on one machine. All that is missing
// is listed together, with what to do, before anything is changed.
import { get } from "node:http";
import { join } from "node:path";
import {
  createSecret,
  drawnSecrets,
  givenSecrets,
  listSealingKeyIds,
  listSecretMistakes,
  readSecrets,
} from "../operate/cloudflare/secrets.ts";
import { readVariables } from "../operate/cloudflare/settings.ts";
import { loadCreatedApp } from "../operate/github-app/undeployed.ts";
import { Stop } from "../operate/lib/exit.ts";
import { readSecretFile } from "../operate/lib/secret-file.ts";
import type { EdgeHosts } from "../practice/edge.ts";
import type { Isolation } from "../practice/sandbox-host/isolation.ts";
import { publicKeysFile } from "../practice/state-folder.ts";
import { readSignUp } from "../src/account/rules/sign-up.ts";
import { listKeyNames, readProviderUrls, type StartSettings } from "./settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface PublicSettings extends EdgeHosts {
  /** The Worker's settings without its secrets. */
  variables: Record<string, string>;
  /** The secrets by name, as far as they are given or were drawn before. */
  secrets: Record<string, string>;
}

export interface PublicFacts {
  /** The values of `--public` and `--previews`. */
  publicUrl: string;
  previews: string | null;
  settings: StartSettings;
  env: Environment;
  /** The variables of the production's Worker in wrangler.toml. */
  production: Record<string, string>;
  /** The secrets of a GitHub App that was created in this checkout. */
  app: Record<string, string>;
  /** The secrets of the environment. */
  given: Record<string, string>;
  /** The secrets that the state folder has from an earlier start. */
  stored: Record<string, string>;
}

const hostName = /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*$/;
const ofApp = Object.keys(givenSecrets).filter((name) => name.startsWith("CODE_HOST_"));
/** Files are in this machine's own storage, whose keys are drawn. */
const withoutStorage = (secrets: Record<string, string>) =>
  Object.fromEntries(Object.entries(secrets).filter(([name]) => !name.startsWith("S3_")));

/**
 * Reads what a checkout, an environment and a state folder have for a public service. Returns a
 * message for a file that is broken or missing.
 */
export function readPublicFiles(
  root: string,
  stateDir: string,
  env: Environment,
): Pick<PublicFacts, "production" | "app" | "given" | "stored"> | string {
  const help = "Restore it from a backup: without it, stored credentials are lost.";
  try {
    const stored = readSecretFile(join(stateDir, publicKeysFile), help) ?? {};
    return { production: readVariables(root), app: loadCreatedApp(root), given: readSecrets(env), stored };
  } catch (error) {
    if (error instanceof Stop) return error.message;
    throw error;
  }
}

/** Reads the settings of a public service, or returns all that is missing or wrong, one each. */
export function readPublicSettings(facts: PublicFacts): PublicSettings | string[] {
  const { settings, env, production } = facts;
  const { real, github } = settings;
  const mistakes: string[] = [];
  const publicHost = readHost(facts.publicUrl);
  if (publicHost === null)
    mistakes.push(
      `--public has to be https://HOST, without a port and a path, and is ${JSON.stringify(facts.publicUrl)}.`,
    );
  const previewDomain = facts.previews ?? settings.previewDomain;
  if (previewDomain === null)
    mistakes.push(
      "Name the domain of previews: --previews DOMAIN, or the setting PREVIEW_DOMAIN. All hosts below it have to lead to this machine.",
    );
  else if (!hostName.test(previewDomain))
    mistakes.push(
      `The domain of previews has to be a host name without a port, and is ${JSON.stringify(previewDomain)}.`,
    );
  else if (publicHost !== null && getSite(previewDomain) === getSite(publicHost))
    mistakes.push(
      `Give previews another domain than ${getSite(publicHost)}: a previewed page is code that nobody has read, and must not share a site with the service.`,
    );
  const signUp = env.SIGN_UP?.trim() || production.SIGN_UP || "";
  mistakes.push(...listSignUpMistakes(signUp));
  const stored = { ...facts.stored };
  // Giving only a new key is how an operator drops the old one.
  if (facts.given.SIGNING_KEY) delete stored.SIGNING_KEY_PREVIOUS;
  const secrets = { ...stored, ...facts.app, ...withoutStorage(facts.given) };
  const missing = ofApp.filter((name) => !secrets[name]);
  if (missing.length > 0)
    mistakes.push(
      `Make the GitHub App: npm run github-app -- --host ${publicHost ?? "HOST"}. It writes .github-app.json. If you run it on another machine, copy that file into this folder. Missing: ${missing.join(", ")}.`,
    );
  mistakes.push(...listSecretMistakes(secrets));
  const lost = facts.stored.SEALING_KEYS && secrets.SEALING_KEYS ? listSealingKeyIds(facts.stored.SEALING_KEYS) : [];
  const given = listSealingKeyIds(secrets.SEALING_KEYS ?? "");
  if (lost.some((id) => !given.includes(id)))
    mistakes.push(
      "SEALING_KEYS does not have a key of the state folder with which credentials are sealed. Add it after the first key.",
    );
  const ofOnePerson = [...listKeyNames(real), ...(github.token === null ? [] : ["GITHUB_TOKEN"])];
  if (ofOnePerson.length > 0)
    mistakes.push(
      `Unset ${ofOnePerson.join(", ")}. To give a team's workspace its key, run npm run operator -- credential WORKSPACE PROVIDER.`,
    );
  const providerUrls = readProviderUrls(env);
  if (typeof providerUrls === "string") mistakes.push(providerUrls);
  if (mistakes.length > 0 || publicHost === null || previewDomain === null || typeof providerUrls === "string")
    return mistakes;
  return {
    publicHost,
    previewDomain,
    secrets,
    variables: {
      ...production,
      PUBLIC_URL: `https://${publicHost}`,
      PREVIEW_DOMAIN: previewDomain,
      SIGN_UP: signUp,
      // Which objects of a platform hold data somewhere. They are all here.
      JURISDICTION: "",
      ...(env.GITHUB_SERVER_URL && { CODE_HOST_GIT_URL: github.serverUrl }),
      ...(env.GITHUB_API_URL && { CODE_HOST_API_URL: github.apiUrl }),
      PROVIDER_URLS: JSON.stringify({ ...JSON.parse(production.PROVIDER_URLS ?? "{}"), ...providerUrls }),
    },
  };
}

/** Draws the missing keys of a service. */
export function addDrawnSecrets(secrets: Record<string, string>): Record<string, string> {
  const names = drawnSecrets.filter((name) => !secrets[name]);
  const drawn = Object.fromEntries(names.map((name) => [name, createSecret(name)]));
  // An operator's key, and the key of Web Push, are as random as a signing key.
  const [OPERATOR_KEY, WEB_PUSH_PRIVATE_KEY] = [createSecret("SIGNING_KEY"), createSecret("SIGNING_KEY")];
  return { OPERATOR_KEY, WEB_PUSH_PRIVATE_KEY, ...drawn, ...secrets };
}

/** Says what sandboxes of a public service lack on this machine; empty if nothing is missing. */
export function listMissingWalls({
  isIsolated,
  wall,
  pastaFailure,
}: Pick<Isolation, "isIsolated" | "wall" | "pastaFailure">): string[] {
  if (!isIsolated)
    return [
      "Install bubblewrap (apt-get install bubblewrap), or Docker and add --containers. A public service runs no sandbox as a plain process. If bubblewrap is there, `bwrap --unshare-user --ro-bind / / true` says why it does not work.",
    ];
  if (wall === "none")
    return [
      "Install util-linux 2.38 or newer, or Docker and add --containers: without the namespaces that its `unshare` makes, an agent can read the tokens of later turns.",
    ];
  // An operator who installed pasta relies on it. Otherwise, a start before the network is up would
  // open the machine to sandboxes.
  if (pastaFailure !== null)
    return [
      `Install what pasta needs (apt-get install passt iproute2 nftables), or remove passt. Without pasta, a sandbox with an \`open\` network reaches the servers of this machine. Now pasta cannot be used: ${pastaFailure.replaceAll(/\s+/g, " ")}`,
    ];
  return [];
}

/** Says in one line that open networks reach this machine; empty if they do not. */
export function formatSharedNetwork({
  isIsolated,
  openNetwork,
}: Pick<Isolation, "isIsolated" | "openNetwork">): string {
  return isIsolated && openNetwork === null
    ? "With an `open` network, a sandbox reaches the servers of this machine. To prevent that, install pasta (apt-get install passt iproute2 nftables), and start again.\n"
    : "";
}

/** Where Caddy listens for commands, unless its settings name another place. */
const caddyAdmin = "http://localhost:2019/config/";
const adminWaitMs = 2_000;

/**
 * Says that Caddy takes commands on loopback, from sandboxes too; null if it does not. `address` is
 * that of its settings.
 */
export async function findOpenAdmin(address = caddyAdmin): Promise<string | null> {
  const status = await new Promise((resolve) => {
    // Not `fetch`, whose headers are those of a browser: Caddy refuses these, and no others.
    const asked = get(address, { timeout: adminWaitMs, agent: false }, (answer) => {
      answer.destroy();
      resolve(answer.statusCode);
    });
    asked.once("error", () => resolve(null)).once("timeout", () => asked.destroy(new Error("no answer")));
  });
  return status === 200
    ? `Give Caddy the \`admin\` line of docs/guide/one-machine.md, and run systemctl restart caddy. Now every sandbox can change its settings at ${new URL(address).host}, and then read what people send.`
    : null;
}

function readHost(url: string): string | null {
  const { protocol, hostname, href } = URL.canParse(url) ? new URL(url) : { protocol: "", hostname: "", href: "" };
  return protocol === "https:" && href === `https://${hostname}/` && hostName.test(hostname) ? hostname : null;
}

function listSignUpMistakes(setting: string): string[] {
  const { isOpen, logins, organizations, malformed } = readSignUp(setting);
  const help = "Set SIGN_UP to who may sign up: logins of the code host and org:NAME, with commas between.";
  if (malformed.length > 0) return [`${help} ${malformed[0]} is neither.`];
  if (isOpen) return [`${help} With *, every stranger would run programs on this machine.`];
  return logins.size + organizations.size === 0 ? [help] : [];
}

/** Second-level names under which countries register domains. */
const registries = ["ac", "co", "com", "edu", "gov", "net", "org"];

/** The domain that somebody registered, as far as a name shows it. */
function getSite(host: string): string {
  const labels = host.split(".");
  const [second = "", top = ""] = labels.slice(-2);
  return labels.slice(top.length === 2 && registries.includes(second) ? -3 : -2).join(".");
}
