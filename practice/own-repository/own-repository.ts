// The user's own repository (`npm start -- --repo`): reads it, and imports it into the stand-in
// code host.
import { resolve } from "node:path";
import type { Proposal } from "../../src/project/rules/proposal/proposal.ts";
import { findImportSource } from "../code-host/folder-import.ts";
import { getRepositoryFolder, type PracticeCodeHost } from "../code-host/practice-code-host.ts";
import { exists } from "../code-host/repository.ts";
import type { SeededProject } from "../seed.ts";
import { type OwnFolder, readOwnFolder } from "./folder.ts";
import { type GithubSettings, isHostedName, type OwnHosted, readOwnHosted } from "./hosted.ts";
import { proposeForBare, proposeForHosted } from "./proposal-source.ts";
import { addRemote, findRemote, formatRemoteCommand, formatShellWord } from "./remote.ts";

export type OwnRepository =
  | OwnHosted
  | (OwnFolder & { /** Whether it gets the remote `switchyard`. */ addsRemote: boolean });

/** The context in which `--repo` is resolved. */
export interface LookupContext {
  stateDir: string;
  /** The folder for relative paths. */
  from: string;
  addsRemote: boolean;
  github: GithubSettings;
}

/** The result of an import. */
export interface ImportResult {
  project: Omit<SeededProject, "settings">;
  /** Reads its files for a proposal of its settings. */
  propose(): Promise<Proposal>;
  /** Notes for the user, one line each. */
  notes: string[];
  /** Sends the service the webhooks for new commits. */
  announce(): Promise<void>;
}

/** The import failed. The message is the reason, in one line. */
export class ImportFailed extends Error {}

/**
 * Reads the repository of `--repo`. Returns a message that says what to do if it cannot be a
 * project.
 */
export async function readOwnRepository(
  named: string,
  { stateDir, from, addsRemote, github }: LookupContext,
): Promise<OwnRepository | string> {
  if (isHostedName(named) && !(await exists(resolve(from, named)))) {
    return addsRemote ? "--remote belongs to a folder: --repo PATH." : await readOwnHosted(named, github);
  }
  const folder = await readOwnFolder(named, from);
  if (typeof folder === "string") return folder;
  const before = await findImportSource(getRepositoryFolder(resolve(stateDir, "forge"), folder.repository));
  // The earlier folder no longer exists: it was moved to this path or deleted.
  if (before === null || before === folder.path || !(await exists(before))) return { ...folder, addsRemote };
  return (
    `The name ${folder.repository} is taken by ${before}. Rename one of the two folders, ` +
    "or start with a STATE_DIR of its own."
  );
}

/** Imports the repository into the stand-in code host; later, only what is new. */
export async function importOwnRepository(
  codeHost: PracticeCodeHost,
  own: OwnRepository,
  report: (line: string) => void,
): Promise<ImportResult> {
  const { name, repository, targetBranch } = own;
  const project = { name, repository, targetBranch };
  if (own.type === "hosted") {
    const notes = [
      `${repository} is on the code host. Sessions start from its branch ${targetBranch}, and push there.`,
    ];
    const propose = () => proposeForHosted(own.hosted, targetBranch);
    return { project, propose, notes, announce: async () => {} };
  }
  const { path, uncommittedFiles } = own;
  report(`Bringing in ${path} …`);
  const folderImport = { folder: path, defaultBranch: targetBranch, onProgress: oncePerSecond(report) };
  const { isNew, moved, apart, announce } = await codeHost
    .importFolder(repository, folderImport)
    .catch((error: unknown) => {
      throw new ImportFailed(`${path} could not be brought in: ${error instanceof Error ? error.message : error}`);
    });
  const place = codeHost.getFolder(repository);
  const unadded = own.addsRemote ? await addRemote(path, place) : null;
  const fetching = `git -C ${formatShellWord(path)} fetch switchyard`;
  const isRemote = (await findRemote(path)) === place;
  return {
    project,
    propose: () => proposeForBare(place, targetBranch),
    notes: [
      `${path} is ${repository} at the practice code host. Sessions start from its branch ${targetBranch}.`,
      ...(!isNew && moved.length > 0 ? [`Newer commits came in: ${moved.join(", ")}.`] : []),
      ...apart.map(
        (branch) =>
          `${branch} has commits here and others in your folder, so it stays as it is. Fetch it, merge, and start again.`,
      ),
      ...(uncommittedFiles > 0
        ? [`Sessions do not see what is in no commit: changes in ${counted(uncommittedFiles)}.`]
        : []),
      ...(unadded === null ? [] : [unadded]),
      `To fetch what sessions push:  ${isRemote ? fetching : `${formatRemoteCommand(path, place)} && ${fetching}`}`,
    ],
    announce,
  };
}

function counted(files: number): string {
  return files === 1 ? "1 file" : `${files} files`;
}

const progressEveryMs = 1_000;

/** Reports at most one line a second. */
function oncePerSecond(report: (line: string) => void): (line: string) => void {
  let last = Date.now();
  return (line) => {
    if (Date.now() - last < progressEveryMs) return;
    last = Date.now();
    report(`  ${line}`);
  };
}
