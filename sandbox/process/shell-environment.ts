// The environment of what runs inside the sandbox: a closed list, so that nothing the program itself knows can leak into a command.
import type { TurnStart } from "../../src/sandbox/protocol.ts";
import type { Folders } from "../folders.ts";
import { type GitAccess, tokenEnvironment } from "../git/gateway-remote.ts";
import { quietGit } from "../git/git-environment.ts";
import type { Environment } from "./environment.ts";

/** The environment of a command that a person or the agent wrote. */
export function shellEnvironment(folders: Folders, project: Environment, git: GitAccess | null): Environment {
  return {
    PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
    LANG: process.env.LANG ?? "C.UTF-8",
    TERM: "dumb",
    PAGER: "cat",
    ...project,
    HOME: folders.home,
    TMPDIR: folders.tmp,
    ...quietGit(folders),
    ...(git ? tokenEnvironment(git) : {}),
  };
}

/** How a command of the agent reaches the service's API. */
export function apiEnvironment(api: TurnStart["api"]): Environment {
  return {
    SWITCHYARD_API_URL: api.url,
    SWITCHYARD_API_TOKEN: api.token,
    SWITCHYARD_PROJECT_ID: api.projectId,
  };
}
