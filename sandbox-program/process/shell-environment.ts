// The environment of commands in the sandbox: an allow-list, so that no variable of the program can
// leak into a command.
import type { TurnStart } from "../../src/sandbox-protocol/protocol.ts";
import type { Folders } from "../folders.ts";
import { type GitAccess, getTokenEnvironment } from "../git/gateway-remote.ts";
import { getQuietGitEnvironment } from "../git/git-environment.ts";
import type { Environment } from "./environment.ts";

let shared: Environment = {};

/** Sets the variables that every command gets. */
export function shareWithCommands(env: Environment): void {
  shared = env;
}

/** The environment of a command of the project or the agent. */
export function getShellEnvironment(folders: Folders, project: Environment, git: GitAccess | null): Environment {
  return {
    PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
    LANG: process.env.LANG ?? "C.UTF-8",
    TERM: "dumb",
    PAGER: "cat",
    ...shared,
    ...project,
    HOME: folders.home,
    TMPDIR: folders.tmp,
    ...getQuietGitEnvironment(folders),
    ...(git ? getTokenEnvironment(git) : {}),
  };
}

/** The variables with which a command of the agent calls the service's API. */
export function getApiEnvironment(api: TurnStart["api"]): Environment {
  return {
    SWITCHYARD_API_URL: api.url,
    SWITCHYARD_API_TOKEN: api.token,
    SWITCHYARD_PROJECT_ID: api.projectId,
  };
}
