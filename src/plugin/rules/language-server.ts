// A language server of a plugin: a command that reads files with certain extensions, and reports
// errors in them.
import { pluginTextCharactersMax } from "../../rules/limits.ts";
import { commandCharactersMax, toFields } from "./manifest-values.ts";

export interface LanguageServer {
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  /** The language of each extension, such as `.go`. */
  languages: Record<string, string>;
  initializationOptions: unknown;
  settings: unknown;
}

/**
 * Parses the language servers in a value of a manifest or a file, by name. A message if one cannot
 * be started as declared.
 */
export function parseLanguageServers(value: unknown): LanguageServer[] | string {
  const servers: LanguageServer[] = [];
  for (const [name, fields] of Object.entries(toFields(value))) {
    const { command, args = [], env, extensionToLanguage, transport = "stdio", ...more } = toFields(fields);
    const languages = toTexts(extensionToLanguage);
    const words = Array.isArray(args) ? [command, ...args] : [null];
    if (!words.every(isWord) || command === "" || name.length > pluginTextCharactersMax || /\p{Cc}/u.test(name))
      return "it has a language server without a command";
    if (transport !== "stdio") return `it has a language server that is not reached by stdio: ${name}`;
    if (!Object.keys(languages).every((ending) => /^\.[^/\\\p{Cc}]+$/u.test(ending)) || isEmpty(languages))
      return `it has a language server without the endings of its files: ${name}`;
    const [program = "", ...rest] = words;
    servers.push({
      ...{ name, command: program, args: rest, env: toTexts(env), languages },
      initializationOptions: more.initializationOptions,
      settings: more.settings,
    });
  }
  return servers;
}

const isEmpty = (value: object) => Object.keys(value).length === 0;

function isWord(value: unknown): value is string {
  return typeof value === "string" && value.length <= commandCharactersMax && !value.includes("\0");
}

function toTexts(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(toFields(value)).filter((one): one is [string, string] => isWord(one[1])));
}
