// Signing in and out, and who one is.
import { hostname } from "node:os";
import { setTimeout } from "node:timers/promises";
import type { Command } from "@commander-js/extra-typings";
import { ConnectionError, type Schemas, Switchyard, SwitchyardError } from "@switchyard/client";
import { type Output, openClient, readText } from "../command.ts";
import {
  deleteHost,
  findHost,
  findKeptHost,
  getKey,
  readCredential,
  saveHost,
  saveInKeyring,
  toUrl,
} from "../config.ts";
import { InterruptedError, NotSignedInError, UsageError } from "../exit.ts";
import { formatNamed, formatTable, toLine } from "../print/text.ts";
import { formatTime } from "../print/time.ts";
import { readRepositoryFile } from "../repository-file.ts";
import { fetchTraced } from "../trace.ts";
import { version } from "../version.ts";

/** Adds `login`, `logout`, `whoami` and `projects`. */
export function addAccountCommands(program: Command, output: () => Output): void {
  program
    .command("login [host]")
    .description("sign in with a browser, on this or another machine, and save the key")
    .option("--key", "save an existing key, read from stdin or from a prompt")
    .option("--credential <command>", "a command that prints the key, such as: op read op://Work/Switchyard/key")
    .option("--keyring", "save the key in the system's keyring, not in a file")
    .option("--name <name>", "the name of the new key", `sy on ${hostname()}`)
    .action(async (host, { key, credential, keyring, name }) => {
      if (credential && keyring) throw new UsageError("A command has the key already. Leave out --keyring.");
      const url = await findLoginUrl(host);
      const apiKey = await (credential
        ? readCredential(credential)
        : key
          ? readKey(url)
          : fetchKey(url, name, output().note));
      const sy = new Switchyard({ baseUrl: url, apiKey, client: `cli/${version}` });
      const profile = await sy.request("GET /api/user/profile");
      const problem = keyring ? await saveInKeyring(url, apiKey) : null;
      if (problem !== null) output().note(problem);
      if (!keyring) await saveHost(credential ? { url, credential } : { url, apiKey });
      output().answer({ url, profile }, [`Signed in at ${url} as ${toLine(profile.name)}.`]);
      output().note("→ sy projects, sy new, sy ls");
    });

  program
    .command("logout")
    .description("delete the saved key of the current service")
    .option("--revoke", "also revoke it: other programs that use it stop working")
    .action(async ({ revoke }) => {
      const current = await findKeptHost();
      if (current === null) throw new NotSignedInError("You are not signed in.");
      const { url } = current;
      if (revoke)
        await new Switchyard({ baseUrl: url, apiKey: getKey(current), client: `cli/${version}` }).request(
          "DELETE /api/user/api-keys/current",
        );
      await deleteHost(url);
      const next = revoke ? "and revoked." : "here. It works until you revoke it: `sy logout --revoke` does both.";
      output().answer({ url, isRevoked: revoke === true }, [`The key of ${url} is deleted ${next}`]);
    });

  program
    .command("whoami")
    .description("show the service and your account there")
    .action(async () => {
      const { url } = await findHost();
      const sy = await openClient();
      const profile = await sy.request("GET /api/user/profile");
      const workspaces = await sy.request("GET /api/organizations");
      // An agent's token is no API key.
      const key = await sy.request("GET /api/user/api-keys/current").catch((error: unknown) => {
        if (error instanceof SwitchyardError && error.status === 403) return null;
        throw error;
      });
      const from = process.env.SWITCHYARD_API_KEY ? "from SWITCHYARD_API_KEY" : "kept by sy login";
      const lines = formatNamed([
        ["service", url],
        ["you", `${profile.name} <${profile.email}>`],
        ["key", key === null ? from : `${formatKey(key)}, ${from}`],
        ...workspaces.map(({ name, slug }) => ["workspace", `${name} (${slug})`] as const),
      ]);
      output().answer({ url, profile, workspaces, key }, lines);
    });

  program
    .command("projects")
    .description("list the projects that you can reach")
    .action(async () => {
      const sy = await openClient();
      const projects = [];
      for await (const project of sy.pages("GET /api/projects", { query: { pageSize: 100 } })) projects.push(project);
      const rows = projects.map(({ name, repository, targetBranch }) => [toLine(name), repository, targetBranch]);
      output().answer(projects, formatTable(rows));
    });
}

/** The service to sign in at: the one that is named, else the one that commands use. */
async function findLoginUrl(named: string | undefined): Promise<string> {
  const host = named ?? process.env.SWITCHYARD_URL ?? (await readRepositoryFile()).host ?? (await findKeptHost())?.url;
  if (host === undefined) throw new UsageError("Name the service: sy login HOST");
  return toUrl(host);
}

function formatKey({ name, lastFour, expiresAt }: Schemas["ApiKey"]): string {
  return `${toLine(name)} (…${lastFour}${expiresAt === null ? "" : `, until ${formatTime(expiresAt)}`})`;
}

const createNobodyError = (url: string) =>
  new UsageError(
    `Nobody is here to ask, because CI is set. Give a key on stdin: sy login ${url} --key < key.txt, or set SWITCHYARD_API_KEY and SWITCHYARD_URL.`,
  );

async function readKey(url: string): Promise<string> {
  if (!process.stdin.isTTY) return await readText("-", "the API key");
  if (process.env.CI) throw createNobodyError(url);
  return await askForKey(`An API key of ${url}, from ${url}/account: `);
}

/** Waits until a person approves the sign-in in a browser, and fetches its key. */
async function fetchKey(url: string, name: string, note: Output["note"]): Promise<string> {
  if (process.env.CI) throw createNobodyError(url);
  const sy = new Switchyard({ baseUrl: url, apiKey: null, fetch: fetchTraced, client: `cli/${version}` });
  const started = await sy.request("POST /api/auth/device", { body: { client: `sy ${version}`, name } });
  const { loginToken, userCode, verificationUrl, expiresAt } = started;
  process.stderr.write(`Open ${toLine(verificationUrl)} in a browser, and type the code ${toLine(userCode)}\n`);
  note("Waiting for 15 minutes at most. ^C cancels.");
  for (let seconds = started.intervalSeconds; Date.now() < Date.parse(expiresAt); ) {
    await setTimeout(seconds * 1_000);
    const answer = await sy
      .request("POST /api/auth/device/complete", { body: { loginToken } })
      // The next question gets the answer. A key whose response was lost is not returned again.
      .catch((error: unknown) => {
        if (error instanceof ConnectionError) return null;
        throw error;
      });
    if (answer?.key) return answer.key;
    if (answer?.authenticated)
      throw new Error(`The key was lost on its way. Revoke it at ${url}/account, and sign in again.`);
    if (answer?.restart) break;
    seconds = answer?.intervalSeconds ?? seconds;
  }
  throw new Error("The sign-in was denied, its 15 minutes are over, or you have too many API keys.");
}

/** Asks for a key without showing it. */
async function askForKey(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(question);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  let key = "";
  try {
    for await (const typed of stdin as AsyncIterable<string>) {
      for (const character of typed) {
        if (character === "\u0003") throw new InterruptedError("Nothing was kept.");
        if (character === "\r" || character === "\n") return key.trim();
        key = character === "\u007f" ? key.slice(0, -1) : key + character;
      }
    }
    return key.trim();
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write("\n");
  }
}
