// A patch, as people read it: with colours, and by their pager.
import { spawn } from "node:child_process";
import type { Schemas } from "@switchyard/client";
import { type Style, toPrinted, toStyled } from "./text.ts";

/** The lines of a patch, and whether files were left out of it. */
export function listPatchLines({ patch, isCut }: Schemas["Diff"]): string[] {
  const lines = patch === "" ? [] : toPrinted(patch).replace(/\n$/, "").split("\n").map(toPatchLine);
  return isCut ? [...lines, toStyled("yellow", "Some files were too long. Ask for them by their paths.")] : lines;
}

const styles: Record<string, Style> = { "+": "green", "-": "red", "@": "cyan" };

function toPatchLine(line: string): string {
  if (/^(diff |index |--- |\+\+\+ )/.test(line)) return toStyled("bold", line);
  const style = styles[line[0] ?? ""];
  return style === undefined ? line : toStyled(style, line);
}

/** Prints lines by `$PAGER` where a person reads them, else as they are. Ends with the pager. */
export async function writeByPager(lines: readonly string[]): Promise<void> {
  const text = lines.map((line) => `${line}\n`).join("");
  const { PAGER, LESS } = process.env;
  if (!PAGER || !process.stdout.isTTY) return void process.stdout.write(text);
  // By these, less passes colours on, and ends by itself where all fits on a screen.
  const env = { ...process.env, LESS: LESS ?? "FRX" };
  const pager = spawn(PAGER, { shell: true, stdio: ["pipe", "inherit", "inherit"], env });
  // A pager that is left early has seen enough.
  pager.stdin.on("error", () => {});
  pager.stdin.end(text);
  await new Promise((resolve) => pager.once("close", resolve));
}
