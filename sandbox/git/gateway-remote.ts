// How the program's own git reaches the git gateway, and nothing but it. The checkout's configuration is the agent's to write and may lead a
// remote anywhere: to another address, through a proxy, without a look at certificates. So each command has a remote of its own, whose name
// nobody knows beforehand, and settings for its address that no others of git outweigh.
import type { Environment } from "../process/environment.ts";

/** What the git gateway lets a command do: the token rides in the environment and is never written down. */
export interface GitAccess {
  remoteUrl: string;
  token: string;
}

export interface GatewayRemote extends GitAccess {
  /** What the command calls the remote by. */
  name: string;
}

/** A remote for one command; the branches that it brings or pushes are seen where `origin` has them. */
export function gatewayRemote({ remoteUrl, token }: GitAccess): GatewayRemote {
  return { remoteUrl, token, name: `gateway-${crypto.randomUUID()}` };
}

/** The settings of a command that uses the remote. */
export function gatewayEnvironment({ name, remoteUrl, token }: GatewayRemote): Environment {
  return configEnvironment([
    [`remote.${name}.url`, name],
    [`remote.${name}.fetch`, "+refs/heads/*:refs/remotes/origin/*"],
    // The longest rule for an address counts, and only this one knows all of it.
    [`url.${remoteUrl}.insteadOf`, name],
    [`url.${remoteUrl}.pushInsteadOf`, name],
    // Nothing that is set for the same address or for a part of it counts after these.
    [`http.${remoteUrl}.proxy`, ""],
    [`http.${remoteUrl}.curloptResolve`, ""],
    [`http.${remoteUrl}.sslVerify`, "true"],
    [`http.${remoteUrl}.extraHeader`, ""],
    ...tokenSettings({ remoteUrl, token }),
  ]);
}

/** What a git of the agent needs to be let through. */
export function tokenEnvironment(access: GitAccess): Environment {
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
