// A network secret: a value that no sandbox contains. In a sandbox, its variable has a placeholder.
// On the way to the hosts that the secret names, over https, the value takes its place.
import { networkSecretHostsMax, networkSecretMaxCharacters, networkSecretMinCharacters } from "../../rules/limits.ts";
import { type Mistake, type Refusal, refuseMistakes } from "../../rules/refusal.ts";
import { formatPattern, parsePattern } from "./pattern.ts";

/** Where a request has the secret: in any header, in the password of Basic, or in its query. */
export const secretPlaces = ["header", "basic", "query"] as const;
export type SecretPlace = (typeof secretPlaces)[number];

export interface NetworkSecret {
  /** The name of the variable. */
  name: string;
  /** Hosts in their compared form. */
  onlyTo: string[];
  as: SecretPlace;
  /** The value of the variable in sandboxes. */
  placeholder: string;
}

/** A secret as people see it. */
export interface ShownSecret extends NetworkSecret {
  createdAt: number;
  updatedAt: number;
}

/** A secret with its value. */
export interface OpenSecret extends NetworkSecret {
  value: string;
}

/** Refuses a secret that a person sets, with every wrong field in the details. */
export function checkNetworkSecret({ value, onlyTo }: { value: string; onlyTo: readonly string[] }): Refusal | null {
  return refuseMistakes([...listValueMistakes(value), ...listHostMistakes(onlyTo)]);
}

/** A value ends up in a header, which takes no line break. */
const headerCharacters = /^[!-~]([ -~]*[!-~])?$/;

function listValueMistakes(value: string): Mistake[] {
  if (value.length < networkSecretMinCharacters || value.length > networkSecretMaxCharacters) {
    const range = `${networkSecretMinCharacters} to ${networkSecretMaxCharacters.toLocaleString("en-US")}`;
    return [{ path: "value", message: `must have ${range} characters` }];
  }
  if (headerCharacters.test(value)) return [];
  return [{ path: "value", message: "must be visible ASCII in one line, without spaces at its ends" }];
}

function listHostMistakes(onlyTo: readonly string[]): Mistake[] {
  if (onlyTo.length === 0) return [{ path: "onlyTo", message: "must name a host" }];
  if (onlyTo.length > networkSecretHostsMax)
    return [{ path: "onlyTo", message: `must have at most ${networkSecretHostsMax} items` }];
  return onlyTo.flatMap((text, at): Mistake[] => {
    const pattern = parsePattern(text);
    const path = `onlyTo.${at}`;
    if ("mistake" in pattern) return [{ path, message: pattern.mistake }];
    // Anybody who controls a name below the wildcard would get the value.
    if (pattern.isWildcard) return [{ path, message: "must be one host, not a wildcard" }];
    return pattern.port === null ? [] : [{ path, message: "must have no port: the value is sent only over https" }];
  });
}

/** The hosts of a checked secret in their compared form, sorted. */
export function toSecretHosts(onlyTo: readonly string[]): string[] {
  const patterns = onlyTo.map(parsePattern);
  const hosts = patterns.flatMap((pattern) => ("mistake" in pattern ? [] : [formatPattern(pattern)]));
  return [...new Set(hosts)].toSorted();
}

/** How well-known keys begin. Their clients refuse a key that begins otherwise. */
const wellKnownStart =
  /^(sk-ant-(api03-)?|sk-proj-|sk-|[srp]k_(live|test)_|gh[opsu]_|github_pat_|glpat-|xox[abp]-|npm_|pypi-|hf_)/;

/** A placeholder for a value. It begins as the value does if clients look for that. */
export function createPlaceholder(value: string, random: string): string {
  return `${wellKnownStart.exec(value)?.[0] ?? ""}svc_held_${random}`;
}

/** The parts of a request that a secret may be in. */
export interface SecretCarrier {
  url: string;
  headers: [name: string, value: string][];
}

/** The request with values in the places of their placeholders. */
export function withSecretValues(
  { url, headers }: SecretCarrier,
  secrets: readonly OpenSecret[],
): SecretCarrier & { shownAs: string[] } {
  const shownAs: string[] = [];
  const [path = "", ...queries] = url.split("?");
  let query = queries.join("?");
  let changed = headers;
  for (const { as, placeholder, value } of secrets) {
    switch (as) {
      case "header":
        changed = changed.map(([name, text]) => [name, text.replaceAll(placeholder, () => value)]);
        break;
      case "query":
        query = query.replaceAll(placeholder, encodeURIComponent(value));
        break;
      case "basic":
        changed = changed.map(([name, text]) => {
          const token = name.toLowerCase() === "authorization" ? toBasicToken(text, { placeholder, value }) : null;
          if (token === null) return [name, text];
          shownAs.push(token);
          return [name, `Basic ${token}`];
        });
    }
  }
  return { url: query === "" ? url : `${path}?${query}`, headers: changed, shownAs };
}

/** The Basic token with the value; null if it is another scheme or has no placeholder. */
function toBasicToken(header: string, { placeholder, value }: Pick<OpenSecret, "placeholder" | "value">) {
  const [, token = ""] = /^basic +([\w+/=-]+)$/i.exec(header) ?? [];
  try {
    const text = atob(token);
    return text.includes(placeholder) ? btoa(text.replaceAll(placeholder, () => value)) : null;
  } catch {
    return null;
  }
}

/** The texts in which a host may send the values back. */
export function listEchoes(secrets: readonly OpenSecret[], shownAs: readonly string[]): string[] {
  return [...secrets.flatMap(({ value }) => [value, encodeURIComponent(value), toJsonText(value)]), ...shownAs];
}

const toJsonText = (value: string) => JSON.stringify(value).slice(1, -1);
