// What a command means: the session, the project, the workspace or the cron of a name.
import type { Schemas, Session, Switchyard } from "@switchyard/client";
import { NotFoundError, UsageError } from "./exit.ts";
import { findFolderBranch, findFolderProject } from "./git/folder.ts";
import { toLine } from "./print/text.ts";
import { readRepositoryFile } from "./repository-file.ts";

type Project = Schemas["Project"];
type Workspace = Schemas["Workspace"];
type Cron = Schemas["Cron"];

/** The session of a name, or of the folder's branch if none is given. */
export async function findSession(sy: Switchyard, named: string | undefined): Promise<Session> {
  const ref = named ?? (await findFolderBranch());
  if (ref === null) throw new UsageError("Name a session: its id, its branch, `pr:12` or its address. → sy ls");
  const name = ref.startsWith("#") ? `pr:${ref.slice(1)}` : ref;
  return await findNamed(sy.sessions.get(name), "sy ls");
}

/** The flag that names a project. */
export const projectFlag = ["-p, --project <name>", "the project; that of the folder by default"] as const;

/** The name of a project: that of `-p`, of `.switchyard.json`, or of the folder. */
export async function findProjectName(named: string | undefined): Promise<string> {
  const found = named ?? (await readRepositoryFile()).project ?? (await findFolderProject());
  if (found === null)
    throw new UsageError("Name a project with -p: its name, `owner/name` of its repository, or its id. → sy projects");
  return found;
}

/** The project of `-p`, or of the folder. */
export async function findProject(sy: Switchyard, named: string | undefined): Promise<Project> {
  return await findNamed(sy.projects.find(await findProjectName(named)), "sy projects");
}

/** The workspaces of `-w`, by its name, slug or id; all of yours if none is given. */
export async function listWorkspaces(sy: Switchyard, named: string | undefined): Promise<Workspace[]> {
  const all = await sy.request("GET /api/organizations");
  if (named === undefined) return all;
  const found = all.filter(({ id, slug, name }) => [id, slug, name].includes(named));
  if (found.length === 1) return found;
  throw new NotFoundError(
    found.length === 0 ? `There is no workspace ${named}.` : `${named} means several workspaces.`,
    `one of: ${listNames(all)}`,
  );
}

/** The workspace of `-w`; without it, the only one, or that of the folder's project. */
export async function findWorkspace(sy: Switchyard, named: string | undefined): Promise<Workspace> {
  const workspaces = await listWorkspaces(sy, named);
  const [only] = workspaces;
  if (only && workspaces.length === 1) return only;
  const ofFolder = await findFolderProject();
  const project = ofFolder === null ? null : await sy.projects.find(ofFolder).catch(() => null);
  const found = workspaces.find(({ id }) => id === project?.orgId);
  if (found) return found;
  if (!only) throw new UsageError("You are a member of no workspace.");
  const names = listNames(workspaces);
  throw new UsageError(`Name a workspace with -w, one of: ${names}`, formatRepeat(["-w", only.slug]));
}

/** The command that was given, with further options, as a person types it in a shell. */
function formatRepeat(options: readonly string[]): string {
  const given = process.argv.slice(2);
  const end = given.indexOf("--");
  const words = given.toSpliced(end < 0 ? given.length : end, 0, ...options);
  const quoted = words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`));
  return toLine(["sy", ...quoted].join(" "));
}

const listNames = (workspaces: readonly Workspace[]): string => workspaces.map(({ slug }) => toLine(slug)).join(", ");

const cronPageSize = 100;

/** All crons of a workspace. */
export async function listCrons(sy: Switchyard, workspaceId: string): Promise<Cron[]> {
  const found: Cron[] = [];
  for (let page = 1; ; page += 1) {
    const query = { page, pageSize: cronPageSize };
    const { crons, total } = await sy.request("GET /api/organizations/{workspaceId}/crons", {
      path: { workspaceId },
      query,
    });
    found.push(...crons);
    if (crons.length === 0 || found.length >= total) return found;
  }
}

/** A cron by its name, its id or the end of its id, and where it is. */
export async function findCron(sy: Switchyard, named: string): Promise<{ cron: Cron; path: CronPath }> {
  const found: { cron: Cron; path: CronPath }[] = [];
  for (const { id: workspaceId } of await listWorkspaces(sy, undefined))
    for (const cron of await listCrons(sy, workspaceId))
      if (cron.name === named || (named.length >= 6 && cron.id.endsWith(named)))
        found.push({ cron, path: { workspaceId, cronId: cron.id } });
  const [one, ...others] = found;
  if (!one) throw new NotFoundError(`There is no cron ${named}.`, "sy cron ls");
  if (others.length === 0) return one;
  const ids = found.map(({ cron }) => cron.id.slice(-8)).join(", ");
  throw new NotFoundError(`${named} means several crons: ${ids}.`, "sy cron ls");
}

export type CronPath = { workspaceId: string; cronId: string };

/**
 * Waits for what a name means. Where nothing, or more than one thing, has it, the library throws a
 * range error, to which this adds the command that lists the names.
 */
export async function findNamed<Found>(finding: Promise<Found>, helps: string): Promise<Found> {
  try {
    return await finding;
  } catch (error) {
    throw error instanceof RangeError ? new NotFoundError(error.message, helps) : error;
  }
}
