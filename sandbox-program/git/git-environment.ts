// The environment of git: for the program's own commands, and for every git in the sandbox, the
// agent's included.
import type { Folders } from "../folders.ts";
import type { Environment } from "../process/environment.ts";
import { type GatewayRemote, getGatewayEnvironment } from "./gateway-remote.ts";

/** The environment of the program's own git commands. */
export function getGitEnvironment(folders: Folders, remote: GatewayRemote | null): Environment {
  return {
    PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: folders.home,
    TMPDIR: folders.tmp,
    LC_ALL: "C.UTF-8",
    GIT_CONFIG_GLOBAL: "/dev/null",
    // Without this, the checkout's configuration could turn a remote into a command.
    GIT_ALLOW_PROTOCOL: "http:https",
    ...getQuietGitEnvironment(folders),
    ...(remote ? getGatewayEnvironment(remote) : {}),
  };
}

/** Disables git's prompts, and the machine's configuration. */
export function getQuietGitEnvironment(folders: Folders): Environment {
  return {
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "true",
    // Without this, a project without a repository would use one in a parent of the sandbox's
    // folder.
    GIT_CEILING_DIRECTORIES: folders.root,
  };
}
