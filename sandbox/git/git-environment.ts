// The environment of git: of the program's own commands, and what every git in the sandbox has, the agent's too.
import type { Folders } from "../folders.ts";
import type { Environment } from "../process/environment.ts";
import { type GatewayRemote, gatewayEnvironment } from "./gateway-remote.ts";

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
export function quietGit(folders: Folders): Environment {
  return {
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "true",
    // A project without a repository is not taken for a part of one that the sandbox's folder may lie in.
    GIT_CEILING_DIRECTORIES: folders.root,
  };
}
