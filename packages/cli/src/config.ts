// Where the service is and which key is sent: from the environment, else from the configuration
// file, which only its owner may read, and where that says the key is.
import { spawnSync } from "node:child_process";
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { NotSignedInError, UsageError } from "./exit.ts";
import { getKeyring, KeyringError } from "./keyring.ts";
import { readRepositoryFile } from "./repository-file.ts";

interface Host {
  url: string;
  apiKey: string;
}

/** A service of the configuration file, with its key or where the key is. */
interface KeptHost {
  url: string;
  apiKey?: string;
  /** The command that prints the key. */
  credential?: string;
  /** True if the keyring of the system has the key. */
  keyring?: true;
}

interface Config {
  /** The host that commands use. */
  current: string | null;
  hosts: KeptHost[];
}

/** The folder of what the command line keeps. */
export const getConfigFolder = () => join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "switchyard");

const getFile = () => join(getConfigFolder(), "config.json");

async function readConfig(): Promise<Config> {
  const text = await readFile(getFile(), "utf8").catch(() => null);
  if (text === null) return { current: null, hosts: [] };
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${getFile()} is not JSON. Delete it, and sign in again with \`sy login\`.`);
  }
}

/** Written beside and renamed, so that a reader never sees half of it. */
async function writeConfig(config: Config): Promise<void> {
  const file = getFile();
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  await writeFile(next, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  await chmod(next, 0o600);
  await rename(next, file);
}

/** The address of a service, without a slash at its end. */
export function toUrl(text: string): string {
  const scheme = isThisMachine(URL.parse(`http://${text}`)?.hostname) ? "http" : "https";
  const url = URL.parse(text.includes("://") ? text : `${scheme}://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new UsageError(`${text} is no address of a service.`);
  const isLocal = isThisMachine(url.hostname);
  if (url.protocol === "http:" && !isLocal) throw new UsageError(`${text} is not https: a key would be readable.`);
  return url.origin;
}

const isThisMachine = (host = "") => /^(localhost|127\.0\.0\.1|\[::1\]|.*\.localhost)$/.test(host);

/** The service of this call, and its key or where it is kept. The environment takes precedence. */
async function findChosen(): Promise<KeptHost> {
  const { SWITCHYARD_URL: url, SWITCHYARD_API_KEY: apiKey } = process.env;
  if (apiKey && !url)
    throw new UsageError("SWITCHYARD_API_KEY is set. Set SWITCHYARD_URL too: the key is for one service.");
  const { current, hosts } = await readConfig();
  if (url && apiKey) return { url: toUrl(url), apiKey };
  const ofRepository = url ? undefined : (await readRepositoryFile()).host;
  const named = url || ofRepository;
  const wanted = named ? toUrl(named) : current;
  if (wanted === null)
    throw new NotSignedInError(
      "You are not signed in. Run `sy login HOST`, or set SWITCHYARD_URL and SWITCHYARD_API_KEY.",
    );
  const host = hosts.find((one) => one.url === wanted);
  const source = ofRepository === undefined ? "" : ", which .switchyard.json names";
  if (!host) throw new NotSignedInError(`There is no key for ${wanted}${source}. Run \`sy login ${wanted}\`.`);
  return host;
}

/** The service and the key of this call. */
export async function findHost(): Promise<Host> {
  const host = await findChosen();
  return { url: host.url, apiKey: getKey(host) };
}

/** The same; null if a password manager or a keyring has the key, which may ask the person. */
export async function findHostQuietly(): Promise<Host | null> {
  const { url, apiKey } = await findChosen();
  return apiKey === undefined ? null : { url, apiKey };
}

/** The key of a service that is kept. */
export function getKey({ url, apiKey, credential = "", keyring }: KeptHost): string {
  return apiKey ?? (keyring ? readKeyring(url) : readCredential(credential));
}

function readKeyring(url: string): string {
  try {
    return getKeyring().read(url);
  } catch (error) {
    if (!(error instanceof KeyringError)) throw error;
    throw new NotSignedInError(`${error.message} Unlock the keyring, or run \`sy login ${url}\`.`);
  }
}

/** The key that a command prints, such as one of a password manager. */
export function readCredential(command: string): string {
  const { status, stdout } = spawnSync(command, {
    shell: true,
    encoding: "utf8",
    stdio: ["inherit", "pipe", "inherit"],
  });
  const key = stdout?.trim() ?? "";
  if (status !== 0 || key === "") throw new NotSignedInError(`The command for the key printed none: ${command}`);
  return key;
}

/** Keeps the key of a service, which later commands use. */
export async function saveHost(host: KeptHost): Promise<void> {
  const { hosts } = await readConfig();
  const others = hosts.filter(({ url }) => url !== host.url);
  const before = hosts.find(({ url }) => url === host.url);
  await writeConfig({ current: host.url, hosts: [...others, host] });
  if (before?.keyring && !host.keyring) deleteFromKeyring(host.url);
}

/**
 * Keeps the key of a service in the keyring of the system. If that is not possible, keeps it in the
 * configuration file, and returns why.
 */
export async function saveInKeyring(url: string, apiKey: string): Promise<string | null> {
  try {
    getKeyring().save(url, apiKey);
  } catch (error) {
    if (!(error instanceof KeyringError)) throw error;
    await saveHost({ url, apiKey });
    return `${error.message} The key is kept in ${getFile()}, which only you can read.`;
  }
  await saveHost({ url, keyring: true });
  return null;
}

/** A key that stays in a keyring harms nobody else: only its owner reads it. */
function deleteFromKeyring(url: string): void {
  try {
    getKeyring().delete(url);
  } catch (error) {
    if (!(error instanceof KeyringError)) throw error;
  }
}

/** The current service of the configuration file, whatever the environment says. */
export async function findKeptHost(): Promise<KeptHost | null> {
  const { current, hosts } = await readConfig();
  return hosts.find(({ url }) => url === current) ?? null;
}

/** Deletes the key of a service. */
export async function deleteHost(url: string): Promise<void> {
  const { hosts } = await readConfig();
  if (hosts.some((host) => host.url === url && host.keyring)) deleteFromKeyring(url);
  await writeConfig({ current: null, hosts: hosts.filter((host) => host.url !== url) });
}
