// Skills of your own, or of a workspace: folders of text files.
import { isUtf8 } from "node:buffer";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import type { Schemas, Switchyard } from "@switchyard/client";
import { createAction } from "../action.ts";
import type { Output } from "../command.ts";
import { UsageError } from "../exit.ts";
import { findWorkspace } from "../find.ts";
import { formatTable, toLine } from "../print/text.ts";

const workspaceFlag = ["-w, --workspace <name>", "those of this workspace, instead of your own"] as const;

/** Adds `skills`. */
export function addSkillsCommands(program: Command, output: () => Output): void {
  const skills = program.command("skills").description("manage your skills, or those of a workspace");
  const action = createAction(output);

  skills
    .command("ls")
    .description("list the skills")
    .option(...workspaceFlag)
    .action(
      action(async (sy, { workspace }) => {
        const data = await (await openShelf(sy, workspace)).list();
        const rows = data.map(({ name, enabled, description }) => [
          ...[toLine(name), enabled ? "on" : "off"],
          toLine(description).slice(0, 100),
        ]);
        return { data, lines: formatTable(rows) };
      }),
    );

  skills
    .command("push <folder>")
    .description("save a folder with a SKILL.md as a skill, or replace the one of its name")
    .option(...workspaceFlag)
    .action(
      action(async (sy, folder, { workspace }) => {
        const files = await readFiles(folder);
        const name = findName(files);
        const shelf = await openShelf(sy, workspace);
        const known = (await shelf.list()).find((skill) => skill.name === name);
        if (known) await shelf.replace(known.id, files);
        const id = known?.id ?? (await shelf.add(files));
        const done = known ? "is replaced" : "is saved";
        return {
          data: { id, name, files: files.length },
          lines: [`${name} ${done}, with ${files.length} ${files.length === 1 ? "file" : "files"}.`],
        };
      }),
    );
}

interface SkillFile {
  path: string;
  content: string;
}

interface Shelf {
  list(): Promise<Pick<Schemas["PersonalSkill"], "id" | "name" | "enabled" | "description">[]>;
  add(files: SkillFile[]): Promise<string>;
  replace(skillId: string, files: SkillFile[]): Promise<void>;
}

/** Where the skills are: a workspace's, or your own. */
async function openShelf(sy: Switchyard, workspace: string | undefined): Promise<Shelf> {
  if (workspace === undefined)
    return {
      list: () => sy.request("GET /api/user/skills"),
      add: async (files) => (await sy.request("POST /api/user/skills", { body: { files } })).id,
      replace: (skillId, files) =>
        sy.request("PATCH /api/user/skills/{skillId}", { path: { skillId }, body: { files } }),
    };
  const path = { workspaceId: (await findWorkspace(sy, workspace)).id };
  const operation = "/api/organizations/{workspaceId}/skills";
  return {
    list: () => sy.request(`GET ${operation}`, { path }),
    add: async (files) => (await sy.request(`POST ${operation}`, { path, body: { files } })).id,
    replace: (skillId, files) =>
      sy.request(`PATCH ${operation}/{skillId}`, { path: { ...path, skillId }, body: { files } }),
  };
}

/** The text files of a folder, without those whose names begin with a dot. */
async function readFiles(folder: string): Promise<SkillFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => null);
  if (entries === null) throw new UsageError(`${folder} is no folder.`);
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => !path.split("/").some((part) => part.startsWith(".")));
  return await Promise.all(
    paths.sort().map(async (path) => {
      const bytes = await readFile(join(folder, path));
      if (!isUtf8(bytes)) throw new UsageError(`${path} is no text. A skill has text files only.`);
      return { path, content: bytes.toString("utf8") };
    }),
  );
}

/** The name at the head of SKILL.md. */
function findName(files: readonly SkillFile[]): string {
  const head = files.find(({ path }) => path === "SKILL.md")?.content;
  if (head === undefined) throw new UsageError("The folder has no SKILL.md, which names and describes the skill.");
  const [, name] = /^---\r?\n[\s\S]*?^name:\s*["']?([^"'\r\n]+?)["']?\s*$/m.exec(head) ?? [];
  if (name === undefined) throw new UsageError("SKILL.md has no `name:` at its head.");
  return name;
}
