// The rules of the network's form: hosts as a text, what is sent, and the words.
import type { Schemas } from "@switchyard/client";

export type Network = Schemas["Network"];
export type Mode = Network["mode"];
type Preset = Network["presets"][number];

export const modes: [mode: Mode, word: string, text: string][] = [
  ["open", "Open", "Sandboxes reach the whole internet."],
  ["hosts", "Listed hosts", "Sandboxes reach the service and the hosts below, by HTTP and HTTPS."],
  ["closed", "Closed", "Sandboxes reach the service only: models, git and tools work."],
];

export const presets: [preset: Preset, word: string][] = [
  ["npm", "npm"],
  ["pypi", "PyPI"],
  ["debian", "Debian"],
  ["ubuntu", "Ubuntu"],
  ["github", "GitHub"],
  ["go", "Go"],
  ["crates", "crates.io"],
  ["maven", "Maven"],
  ["rubygems", "RubyGems"],
  ["packagist", "Packagist"],
  ["nuget", "NuGet"],
  ["playwright", "Playwright"],
  ["docker", "Docker"],
];

/** A network while it is edited: one host a line. */
export interface EditedNetwork {
  mode: Mode;
  presets: readonly Preset[];
  hosts: string;
  strict: boolean;
}

export const toEdited = ({ mode, presets: chosen, hosts, strict }: Network): EditedNetwork => ({
  mode,
  presets: chosen,
  hosts: hosts.join("\n"),
  strict,
});

/** The hosts in a text, each once. Spaces, commas and lines are between them. */
export function readHosts(text: string): string[] {
  // A pasted address becomes its host.
  const hosts = text.split(/[\s,]+/).map((host) => /^https?:\/\/([^/]*)/i.exec(host)?.[1] ?? host);
  return [...new Set(hosts.filter((host) => host !== ""))];
}

/** The network as it is sent: lists belong to the mode `hosts` only. */
export function toNetwork({ mode, presets: chosen, hosts, strict }: EditedNetwork): Network {
  if (mode !== "hosts") return { mode, presets: [], hosts: [], strict: false };
  const known = presets.map(([preset]) => preset).filter((preset) => chosen.includes(preset));
  return { mode, presets: known, hosts: readHosts(hosts), strict };
}

/** True if two networks are the same, in whatever order their presets are. */
export function isSameNetwork(one: Network, other: Network): boolean {
  const [a, b] = [one, other].map((network) => JSON.stringify(toNetwork(toEdited(network))));
  return a === b;
}

/** The text with a host added at its end, once. */
export function withHost(text: string, host: string): string {
  const hosts = readHosts(text);
  return hosts.includes(host) ? text : [...hosts, host].join("\n");
}

/** A network as lines, for people. */
export function describeNetwork({ mode, presets: chosen, hosts, strict }: Network): string[] {
  const word = modes.find(([one]) => one === mode)?.[1] ?? mode;
  if (mode !== "hosts") return [word];
  const names = presets.filter(([preset]) => chosen.includes(preset)).map(([, name]) => name);
  return [
    strict ? `${word}, strict` : word,
    ...(names.length > 0 ? [`Presets: ${names.join(", ")}`] : []),
    ...(hosts.length > 0 ? hosts : names.length > 0 ? [] : ["No hosts"]),
  ];
}

/** A host that was asked for as a list takes it; port 443 and 80 need no mention. */
export const toPattern = ({ host, port }: { host: string; port: number }): string =>
  port === 443 || port === 80 ? host : `${host}:${port}`;

const visible = /^[!-~]{8,4096}$/;

/** Why a secret cannot be set; null where it can. */
export function findSecretMistake({
  name,
  value,
  onlyTo,
}: {
  name: string;
  value: string;
  onlyTo: string[];
}): string | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return "A name has letters, digits and _, and begins with no digit.";
  if (!visible.test(value)) return "A value has 8 to 4,096 visible characters.";
  if (onlyTo.length === 0) return "Name at least one host that may receive it.";
  return onlyTo.length > 10 ? "At most 10 hosts may receive it." : null;
}

/** What is wrong with the hosts of a form, by the service's answer, which counts them. */
export function describeHostMistakes(
  details: readonly { path: string; message: string }[],
  hosts: readonly string[],
): string[] {
  return details.map(({ path, message }) => {
    const [, at] = /^hosts\.(\d+)$/.exec(path) ?? [];
    return at === undefined ? `${path} ${message}` : `“${hosts[Number(at)]}” ${message}`;
  });
}
