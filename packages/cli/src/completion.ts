// What a shell can complete: the commands, their flags, and the values of a flag that has few.
import type { CommandUnknownOpts } from "@commander-js/extra-typings";

/** What the last word of a line can become. */
export function listCandidates(program: CommandUnknownOpts, words: readonly string[]): string[] {
  const before = words.slice(0, -1);
  const last = words.at(-1) ?? "";
  let command = program;
  for (const word of before) command = command.commands.find((one) => one.name() === word) ?? command;
  const options = command === program ? program.options : [...command.options, ...program.options];
  const values = options.find(({ long, short }) => [long, short].includes(before.at(-1)))?.argChoices;
  const names = command.commands.map((one) => one.name()).filter((name) => name !== "complete");
  const flags = options.flatMap(({ long }) => long ?? []);
  return (values ?? (last.startsWith("-") ? flags : names)).filter((one) => one.startsWith(last)).sort();
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
