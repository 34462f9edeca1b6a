// Connects the program's own git to the git gateway and to nothing else. The agent can write the
// checkout's configuration, which may redirect a remote to another address, through a proxy, or
// without certificate checks. So each command gets a remote with a random name, and settings for
// its address that take precedence over all others.
import type { Environment } from "../process/environment.ts";

/**
 * The credential of one command for the git gateway. The token is passed in the environment and
 * never written to disk.
 */
export interface GitAccess {
  remoteUrl: string;
  token: string;
}

export interface GatewayRemote extends GitAccess {
  /** The name of the remote in the command. */
  name: string;
}

/** A remote for one command. Its branches are tracked under `origin`. */
export function createGatewayRemote({ remoteUrl, token }: GitAccess): GatewayRemote {
  return { remoteUrl, token, name: `gateway-${crypto.randomUUID()}` };
}

/** The environment of a command that uses the remote. */
export function getGatewayEnvironment({ name, remoteUrl, token }: GatewayRemote): Environment {
  return configEnvironment([
    [`remote.${name}.url`, name],
    [`remote.${name}.fetch`, "+refs/heads/*:refs/remotes/origin/*"],
    // git applies the longest matching rule. Only this rule contains the whole random name.
    [`url.${remoteUrl}.insteadOf`, name],
    [`url.${remoteUrl}.pushInsteadOf`, name],
    // These override every setting for the same address or for a prefix of it.
    [`http.${remoteUrl}.proxy`, ""],
    [`http.${remoteUrl}.curloptResolve`, ""],
    [`http.${remoteUrl}.sslVerify`, "true"],
    [`http.${remoteUrl}.extraHeader`, ""],
    ...tokenSettings({ remoteUrl, token }),
  ]);
}

/** The environment that lets the agent's own git through the gateway. */
export function getTokenEnvironment(access: GitAccess): Environment {
  return configEnvironment(tokenSettings(access));
}

function tokenSettings({ remoteUrl, token }: GitAccess): [key: string, value: string][] {
  return [
    [`http.${remoteUrl}.extraHeader`, `Authorization: Bearer ${token}`],
    // A redirect would carry the token to wherever it points.
    [`http.${remoteUrl}.followRedirects`, "false"],
  ];
}

function configEnvironment(settings: [key: string, value: string][]): Environment {
  const numbered = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(numbered) };
}
