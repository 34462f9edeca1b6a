// What people choose from at the code host: the reviewers and the branches of a project.
import * as z from "zod";
import { createCodeHost } from "../../code-host/code-host.ts";
import { endpoint } from "../../http/endpoint.ts";
import { ok } from "../../http/response.ts";
import { choicesMax } from "../../rules/limits.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { branchCharacters } from "../../session/routes/fields.ts";
import { findProject } from "../queries.ts";
import { listBranchChoices, listChoices } from "../rules/choices.ts";

const path = "/api/projects/{projectId}";
const tag = "Projects";
export const searchField = z
  .string()
  .max(branchCharacters)
  .default("")
  .describe(`A part of the name. At most ${choicesMax} are answered, exact matches first.`);
const query = z.strictObject({ search: searchField });
const noProject = refuse("NOT_FOUND", "The project has been deleted.");

const candidateSchema = z
  .object({
    login: z.string().describe("The account at the code host."),
    name: z.string().nullable().describe("The person's name; null if unknown."),
    imageUrl: z.string().nullable().describe("Their picture at the code host; null without one."),
  })
  .meta({
    id: "ReviewerCandidate",
    description: "Somebody who can review pull requests of a project.",
    examples: [{ login: "grace-hopper", name: "Grace Hopper", imageUrl: null }],
  });

const branchSchema = z
  .object({
    name: z.string().describe("The branch."),
    isDefault: z.boolean().describe("True for the repository's default branch."),
  })
  .meta({ id: "Branch", description: "A branch of a repository.", examples: [{ name: "main", isDefault: true }] });

const listReviewers = endpoint({
  method: "GET",
  path: `${path}/reviewers`,
  operation: "listReviewers",
  summary: "List who can review pull requests of a project, by login.",
  tag,
  access: "project.read",
  noun: "project",
  query,
  response: { status: 200, data: z.array(candidateSchema) },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  async handle({ env, found, query: { search } }) {
    const project = await findProject(env.DB, found.project.id);
    if (project === null) return noProject;
    const all = await createCodeHost(env, project).listReviewerCandidates(project.repository);
    return isRefusal(all) ? all : ok(listChoices(all, search, ({ login, name }) => [login, name]));
  },
});

const listBranches = endpoint({
  method: "GET",
  path: `${path}/branches`,
  operation: "listBranches",
  summary: "List the repository's branches, the default branch first. It reads at most 2,000 branches.",
  tag,
  access: "project.read",
  noun: "project",
  query,
  response: { status: 200, data: z.array(branchSchema) },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  async handle({ env, found, query: { search } }) {
    const project = await findProject(env.DB, found.project.id);
    if (project === null) return noProject;
    const codeHost = createCodeHost(env, project);
    const [repository, names] = await Promise.all([
      codeHost.readRepository(project.repository),
      codeHost.listBranches(project.repository),
    ]);
    if (isRefusal(repository)) return repository;
    return isRefusal(names) ? names : ok(listBranchChoices(names, repository.defaultBranch, search));
  },
});

export const choiceRoutes = [listReviewers, listBranches];
