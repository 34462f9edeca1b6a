// What a shell can complete: the commands, their flags, the values of a flag or an argument that
// has few, and the names of sessions and projects.
import type { Argument, CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { Switchyard } from "@switchyard/client";
import { findHostQuietly } from "./config.ts";
import { toShortId } from "./print/session.ts";
import { fetchTraced } from "./trace.ts";
import { version } from "./version.ts";

interface Line {
  command: CommandUnknownOpts;
  options: readonly Option[];
  last: string;
  /** The flag or the argument whose value the last word is. */
  valued: Option | Argument | undefined;
}

function readLine(program: CommandUnknownOpts, words: readonly string[]): Line {
  const last = words.at(-1) ?? "";
  let command = program;
  let options = program.options;
  let flag: Option | undefined;
  let place = 0;
  for (const word of words.slice(0, -1)) {
    const isValue = flag !== undefined;
    flag = undefined;
    const next = isValue ? undefined : command.commands.find((one) => one.name() === word);
    if (next) [command, options, place] = [next, [...next.options, ...program.options], 0];
    else if (word.startsWith("-"))
      flag = options.find(({ long, short, required }) => required && [long, short].includes(word));
    else if (!isValue) place += 1;
  }
  return { command, options, last, valued: flag ?? command.registeredArguments[place] };
}

/** What the last word of a line can become. */
export function listCandidates(program: CommandUnknownOpts, words: readonly string[]): string[] {
  const { command, options, last, valued } = readLine(program, words);
  const names = command.commands.map((one) => one.name()).filter((name) => name !== "complete");
  const flags = options.flatMap(({ long }) => long ?? []);
  const candidates = valued?.argChoices ?? (last.startsWith("-") ? flags : names);
  return candidates.filter((one) => one.startsWith(last)).sort();
}

/** What the last word names, if only the service knows its names. */
export function findNamedKind(program: CommandUnknownOpts, words: readonly string[]): "session" | "project" | null {
  const { last, valued } = readLine(program, words);
  if (valued === undefined || last.startsWith("-")) return null;
  if (valued.name() === "project") return "project";
  return valued.name() === "id" && !("long" in valued) ? "session" : null;
}

const askingMs = 2_000;
const sessionsShown = 30;

/** The names that the last word can become, of sessions those that changed last. */
export async function listNames(kind: "session" | "project", last: string): Promise<string[]> {
  const host = await findHostQuietly();
  if (host === null) return [];
  const settings = { fetch: fetchTraced, retries: 0, timeoutMs: askingMs, client: `cli/${version}` };
  const sy = new Switchyard({ baseUrl: host.url, apiKey: host.apiKey, ...settings });
  const names =
    kind === "project"
      ? (await sy.request("GET /api/projects", { query: { pageSize: 100 } })).map(({ repository }) => repository)
      : (await sy.request("GET /api/chat-sessions", { query: { sort: "updated", pageSize: sessionsShown } })).flatMap(
          // Where nothing is typed, one name of each is enough, and a branch says what it is.
          ({ id, branch }) => (branch === null || last !== "" ? [toShortId(id), branch ?? []].flat() : [branch]),
        );
  return names.filter((one) => one.startsWith(last));
}

/** The scripts of the shells. Each asks the program, so that an update needs no new script. */
export const shellScripts = {
  bash: `_sy() {
  local IFS=$'\\n'
  COMPREPLY=($(sy complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null))
}
complete -o default -F _sy sy
`,
  zsh: `#compdef sy
_sy() {
  local -a found
  found=(\${(f)"$(sy complete -- "\${(@)words[2,CURRENT]}" 2> /dev/null)"})
  if (( \${#found} )); then compadd -a found; else _files; fi
}
compdef _sy sy
`,
  fish: `complete -c sy -a '(sy complete -- (commandline -opc)[2..-1] (commandline -ct) 2> /dev/null)'
`,
} as const;
