// The language servers of a turn's plugins. Each is one process, started when the first file of its
// kind changes. What it reports in time is appended to the result of the tool that changed the
// file.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, relative, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { LanguageServer } from "../../../src/plugin/rules/language-server.ts";
import { languageServerMs } from "../../../src/rules/limits.ts";
import type { Environment } from "../../process/environment.ts";
import type { AgentEvent } from "../agent.ts";
import type { FileAccess } from "../file-access.ts";
import type { TakenPlugin } from "../given/plugins.ts";
import { findLanguage, type RunningServer, type ServerPlace, startServer } from "./language-server.ts";

export interface ServersContext extends ServerPlace {
  files: Pick<FileAccess, "reading">;
  onEvent(event: AgentEvent): void;
}

const fileBytesMax = 1_024 * 1_024;

/** Why a plugin's language servers cannot be started in this sandbox; null if they can. */
export function findMissingCommand({ folder, parts }: TakenPlugin, env: Environment): string | null {
  const missing = parts.lspServers.find((server) => whereIs(getCommand(server, folder), env) === null);
  if (missing === undefined) return null;
  return `Its language server ${missing.name} needs the command ${missing.command}, which is not in this sandbox.`;
}

/**
 * Creates the language servers of plugins without starting them. The returned function reports the
 * errors in a changed file; null for none.
 */
export function createLanguageServers(
  plugins: readonly TakenPlugin[],
  context: ServersContext,
): (path: string) => Promise<string | null> {
  const servers = plugins.flatMap(({ folder, parts }) =>
    parts.lspServers.map((server) => startable(server, folder, context)).filter((one) => one !== null),
  );

  async function listErrors(one: Startable, path: string): Promise<string[]> {
    try {
      const content = await context.files.reading(path, async (file) =>
        (await file.stat()).size > fileBytesMax ? null : await file.readFile("utf8"),
      );
      if (content === null) return [];
      return await (await one.running()).errorsIn(path, content);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      context.onEvent({ type: "log", line: `language server ${one.server.name}: ${reason}` });
      return [];
    }
  }

  return async (given) => {
    const path = resolve(context.cwd, given);
    const asked = servers.filter(({ server }) => findLanguage(server, path) !== null);
    if (asked.length === 0) return null;
    const inTime = sleep(languageServerMs, [], { ref: false });
    const told = await Promise.all(
      asked.map(async (one) => ({ one, errors: await Promise.race([listErrors(one, path), inTime]) })),
    );
    const shown = relative(context.cwd, path);
    const texts = told
      .filter(({ errors }) => errors.length > 0)
      .map(
        ({ one, errors }) => `${one.server.name} finds errors:\n${errors.map((line) => `${shown}:${line}`).join("\n")}`,
      );
    return texts.length === 0 ? null : texts.join("\n");
  };
}

interface Startable {
  server: LanguageServer;
  /** Starts the server at the first call. It is never restarted in this turn. */
  running(): Promise<RunningServer>;
}

/** Null if the server's command is missing. */
function startable(server: LanguageServer, folder: string, { cwd, env, family }: ServersContext): Startable | null {
  const command = whereIs(getCommand(server, folder), env);
  if (command === null) return null;
  const args = server.args.map((arg) => inFolder(arg, folder));
  const place = { cwd, family, env: { ...env, ...server.env, CLAUDE_PLUGIN_ROOT: folder, CLAUDE_PROJECT_DIR: cwd } };
  let starting: Promise<RunningServer> | null = null;
  return {
    server,
    running: () => {
      starting ??= startServer({ ...server, command, args }, place);
      return starting;
    },
  };
}

const getCommand = ({ command }: LanguageServer, folder: string) => inFolder(command, folder);

// biome-ignore lint/suspicious/noTemplateCurlyInString: manifests contain it literally
const inFolder = (text: string, folder: string) => text.replaceAll("${CLAUDE_PLUGIN_ROOT}", () => folder);

/** The path of a command; null if it is missing or not executable. */
function whereIs(command: string, { PATH = "" }: Environment): string | null {
  const paths = command.includes("/")
    ? isAbsolute(command)
      ? [command]
      : []
    : PATH.split(delimiter).map((folder) => join(folder, command));
  return paths.find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
