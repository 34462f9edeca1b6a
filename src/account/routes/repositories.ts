// The repositories at the code host from which a person chooses one for a new project.
import * as z from "zod";
import { checkWorkspaces, findReach } from "../../access/rules/reachable-workspaces.ts";
import { findApp } from "../../code-host/code-host.ts";
import { createGithubCall, noAccess } from "../../code-host/github/call.ts";
import { listReachableRepositories } from "../../code-host/github/reachable.ts";
import { readOwnAccount } from "../../code-host/own-account.ts";
import type { Env } from "../../env.ts";
import { endpoint } from "../../http/endpoint.ts";
import { ok } from "../../http/response.ts";
import { exampleTimes, formatTimeOrNull, timestamp } from "../../lib/wire.ts";
import { listProjects } from "../../project/queries.ts";
import { searchField } from "../../project/routes/choices.ts";
import { listRepositoryChoices, type ReachableRepository } from "../../project/rules/choices.ts";
import { cannotList, notConnected } from "../../project/rules/repository.ts";
import { projectsPerWorkspace } from "../../rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import { signInClient } from "../code-host-sign-in.ts";
import { findIdentity } from "../queries.ts";
import { createUserCredential } from "../user-credential.ts";

/** Of all calls for one list. */
const waitMs = 10_000;

const example = {
  ...{ repository: "demo/departures", defaultBranch: "main", isPrivate: true, mayPush: true },
  ...{ pushedAt: exampleTimes.started, projectId: null },
};

const repositorySchema = z
  .object({
    repository: z.string().describe("`owner/name`."),
    defaultBranch: z.string().describe("Its default branch."),
    isPrivate: z.boolean().describe("True for a private one."),
    mayPush: z.boolean().describe("False if you may only read it."),
    pushedAt: timestamp.nullable().describe("The newest push."),
    projectId: z.string().nullable().describe("A project of it in the workspace."),
  })
  .meta({
    id: "CodeHostRepository",
    description: "A repository that you and the app reach.",
    examples: [example],
  });

const choicesSchema = z
  .object({
    repositories: z.array(repositorySchema).describe("Those that the search finds."),
    total: z.int().describe("The number of those without the search, up to 2,000."),
    installUrl: z.string().nullable().describe("The page on which the app gets more repositories."),
  })
  .meta({
    id: "CodeHostRepositories",
    description: "Your repositories.",
    examples: [
      {
        ...{ repositories: [example], total: 1 },
        installUrl: "https://github.com/apps/switchyard/installations/new",
      },
    ],
  });

const list = endpoint({
  method: "GET",
  path: "/api/user/code-host/repositories",
  operation: "listCodeHostRepositories",
  summary: "List the repositories that you and the app reach, newest push first.",
  tag: "Account",
  access: "code-host.connect",
  noun: "none",
  query: z.strictObject({
    workspace: z.string().describe("The id of the workspace of the new project."),
    search: searchField,
  }),
  response: { status: 200, data: choicesSchema },
  refusals: ["BAD_REQUEST", "NOT_FOUND", "SERVICE_UNAVAILABLE"],
  async handle({ env, now, caller, query: { workspace, search } }) {
    const reach = findReach(caller);
    if (!caller.user || !reach) return refuse("FORBIDDEN");
    const asked = { reach, workspaceIds: [workspace], page: 1, pageSize: projectsPerWorkspace };
    const { facts, projects } = await listProjects(env.DB, asked);
    const refusal = checkWorkspaces([workspace], facts);
    if (refusal) return refusal;
    const [all, own] = await Promise.all([readRepositories(env, caller.user.id), readOwnAccount(env, now)]);
    if (isRefusal(all)) return all;
    const used = new Map(projects.map(({ id, repository }) => [repository.toLowerCase(), id]));
    const repositories = listRepositoryChoices(all, search).map(({ pushedAt, ...one }) => ({
      ...one,
      pushedAt: formatTimeOrNull(pushedAt),
      projectId: used.get(one.repository.toLowerCase()) ?? null,
    }));
    return ok({ repositories, total: all.length, installUrl: own && !isRefusal(own) ? own.installUrl : null });
  },
});

async function readRepositories(env: Env, userId: string): Promise<ReachableRepository[] | Refusal> {
  const identity = await findIdentity(env.DB, userId);
  if (!identity) return notConnected;
  const client = signInClient(env);
  if (isRefusal(client)) return client;
  if (!findApp(env)) return cannotList;
  const call = createGithubCall({ apiUrl: client.apiUrl, credential: createUserCredential(env, client, identity) });
  const found = await listReachableRepositories(call, AbortSignal.timeout(waitMs));
  return found === noAccess ? cannotList : found;
}

export const codeHostRepositoryRoutes = [list];
