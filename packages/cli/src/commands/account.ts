// Signing in and out, and who one is.
import type { Command } from "@commander-js/extra-typings";
import { Switchyard } from "@switchyard/client";
import { type Output, openClient, readText } from "../command.ts";
import { deleteHost, findHost, findKeptHost, saveHost, toUrl } from "../config.ts";
import { InterruptedError, UsageError } from "../exit.ts";
import { formatNamed, formatTable, toLine } from "../print/text.ts";
import { version } from "../version.ts";

/** Adds `login`, `logout`, `whoami` and `projects`. */
export function addAccountCommands(program: Command, output: () => Output): void {
  program
    .command("login <host>")
    .description("keep the API key of a service, which is read from stdin or asked for")
    .action(async (host) => {
      const url = toUrl(host);
      if (process.stdin.isTTY && process.env.CI)
        throw new UsageError(`Nobody is here to ask. Give the key on stdin: sy login ${url} < key.txt`);
      const apiKey = process.stdin.isTTY
        ? await askForKey(`An API key of ${url}, from ${url}/account: `)
        : await readText("-", "the API key");
      const sy = new Switchyard({ baseUrl: url, apiKey, client: `cli/${version}` });
      const profile = await sy.request("GET /api/user/profile");
      await saveHost({ url, apiKey });
      output().answer({ url, profile }, [`Signed in at ${url} as ${toLine(profile.name)}.`]);
    });

  program
    .command("logout")
    .description("forget the key of the current service")
    .option("--revoke", "revoke it, too: other programs that have it stop working")
    .action(async ({ revoke }) => {
      const current = await findKeptHost();
      if (current === null) throw new UsageError("You are not signed in.");
      const { url, apiKey } = current;
      if (revoke)
        await new Switchyard({ baseUrl: url, apiKey, client: `cli/${version}` }).request(
          "DELETE /api/user/api-keys/current",
        );
      await deleteHost(url);
      const next = revoke ? "and revoked." : "here. It works until you revoke it: `sy logout --revoke` does both.";
      output().answer({ url, isRevoked: revoke === true }, [`The key of ${url} is deleted ${next}`]);
    });

  program
    .command("whoami")
    .description("show the service, and who you are there")
    .action(async () => {
      const { url } = await findHost();
      const sy = await openClient();
      const profile = await sy.request("GET /api/user/profile");
      const workspaces = await sy.request("GET /api/organizations");
      const lines = formatNamed([
        ["service", url],
        ["you", `${profile.name} <${profile.email}>`],
        ["key", process.env.SWITCHYARD_API_KEY ? "from SWITCHYARD_API_KEY" : "kept by sy login"],
        ...workspaces.map(({ name, slug }) => ["workspace", `${name} (${slug})`] as const),
      ]);
      output().answer({ url, profile, workspaces }, lines);
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
