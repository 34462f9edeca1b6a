// The environment of what runs inside the sandbox: a closed list, so that nothing the program itself knows can leak into a command.
import type { TurnStart } from "../../src/sandbox/protocol.ts";
import type { Folders } from "../folders.ts";
import { type GatewayRemote, gatewayEnvironment, passEnvironment } from "../git/gateway-remote.ts";

export type Environment = Record<string, string>;

/** What the git gateway lets a command do: the pass rides in the environment and is never written down. */
export interface GitAccess {
  remoteUrl: string;
  pass: string;
}

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
    ...(git ? passEnvironment(git) : {}),
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

/** The environment of the program's own git commands. */
export function gitEnvironment(folders: Folders, remote: GatewayRemote | null): Environment {
  return {
    PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: folders.home,
    TMPDIR: folders.tmp,
    LC_ALL: "C.UTF-8",
    GIT_CONFIG_GLOBAL: "/dev/null",
    // A remote that the checkout's configuration turns into a command is not asked.
    GIT_ALLOW_PROTOCOL: "http:https",
    ...quietGit(folders),
    ...(remote ? gatewayEnvironment(remote) : {}),
  };
}

/** Git asks nothing, and takes nothing from the machine. */
function quietGit(folders: Folders): Environment {
  return {
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "true",
    // A project without a repository is not taken for a part of one that the sandbox's folder may lie in.
    GIT_CEILING_DIRECTORIES: folders.root,
  };
}
