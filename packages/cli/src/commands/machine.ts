// What concerns the command line on this machine: completion, its own version, and what is wrong.
import { chmod, readFile, realpath, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Argument, type Command } from "@commander-js/extra-typings";
import type { Output } from "../command.ts";
import { findNamedKind, listCandidates, listNames, shellScripts } from "../completion.ts";
import { findHost } from "../config.ts";
import { type Check, listChecks } from "../doctor.ts";
import { exitCodes, UsageError } from "../exit.ts";
import { formatTable, toLine, toStyled } from "../print/text.ts";
import { fetchTraced } from "../trace.ts";
import { version } from "../version.ts";

/** Adds `doctor`, `completion` and `update`. */
export function addMachineCommands(program: Command, output: () => Output): void {
  program
    .command("doctor")
    .description("check the service, your key, the clock, the stream of events and git")
    .action(async () => {
      const checks = await listChecks();
      const rows = checks.map((check) => [formatState(check), check.name, toLine(check.says)]);
      output().answer(checks, formatTable(rows));
      if (checks.some(({ isGood }) => !isGood)) process.exitCode = exitCodes.refused;
    });

  program
    .command("completion")
    .description("print the script of a shell, such as: source <(sy completion bash)")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"] as const))
    .action((shell) => {
      const script = shellScripts[shell];
      output().answer({ shell, script }, [script.trimEnd()]);
    });

  program
    .command("complete [words...]", { hidden: true })
    .description("used by the completion scripts")
    .action(async (words) => {
      const kind = findNamedKind(program, words);
      // A line that is typed is no place for an error.
      const names = kind === null ? [] : await listNames(kind, words.at(-1) ?? "").catch(() => []);
      const candidates = [...listCandidates(program, words), ...names];
      if (candidates.length > 0) output().answer(candidates, candidates);
    });

  program
    .command("update")
    .description("install the version that the service serves")
    .action(async () => {
      const { url } = await findHost();
      const own = await realpath(process.argv[1] ?? "");
      if (own.includes("node_modules"))
        throw new UsageError(`${own} belongs to npm. Install beside it: curl -fsS ${url}/cli | sh`);
      const response = await fetchTraced(`${url}/cli/sy.js`);
      const served = await response.text();
      if (!response.ok || !served.startsWith("#!/usr/bin/env node\n"))
        throw new UsageError(`${url} does not serve the command line.`);
      if (served === (await readFile(own, "utf8")))
        return output().answer({ updated: false, version }, [`sy ${version} is what ${url} serves.`]);
      // Written beside and renamed, so that a program that runs never sees half of it.
      const next = join(dirname(own), ".sy.new");
      await writeFile(next, served);
      await chmod(next, 0o755);
      await rename(next, own);
      output().answer({ updated: true, file: own }, [`${own} is replaced by what ${url} serves.`]);
    });
}

function formatState({ isGood, isSkipped }: Check): string {
  if (isSkipped) return toStyled("yellow", "skipped");
  return isGood ? toStyled("green", "ok") : toStyled("red", "no");
}
