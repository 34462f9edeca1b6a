// A text that a person edits in `$EDITOR`.
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UsageError } from "./exit.ts";

/** Has a person edit a text. The file stays, so that nothing that was written is lost. */
export async function readEditedText(text: string): Promise<{ text: string; file: string }> {
  const editor = process.env.VISUAL || process.env.EDITOR;
  if (!editor || !process.stdin.isTTY || process.env.CI)
    throw new UsageError("Give the text, or `-` to read it from stdin, or set EDITOR in a terminal.");
  const file = join(await mkdtemp(join(tmpdir(), "sy-")), "message.md");
  await writeFile(file, text, { mode: 0o600 });
  // As git does, so that an editor may have options, such as `code --wait`.
  const { status } = spawnSync(`${editor} "${file}"`, { shell: true, stdio: "inherit" });
  if (status !== 0) throw new UsageError(`${editor} ended with ${status}. Your text is in ${file}`);
  return { text: (await readFile(file, "utf8")).trim(), file };
}
