// Projects: lists, and creating, reading, changing and deleting one.
import * as z from "zod";
import { checkWorkspaces, findReach } from "../../access/rules/reachable-workspaces.ts";
import { endpoint } from "../../http/endpoint.ts";
import { created, noContent, ok, paged, unchanged } from "../../http/response.ts";
import { pageQuery } from "../../lib/pagination.ts";
import { exampleIds, listParameter } from "../../lib/wire.ts";
import { projectNameCharactersMax } from "../../rules/limits.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { branchField } from "../../session/routes/fields.ts";
import { projectSchema, toWireProject } from "../../workspace/wire.ts";
import { createProject } from "../create.ts";
import { listProjects, listWorkspaceProjects } from "../queries.ts";
import { isRepositoryName } from "../rules/repository.ts";
import { deleteProject, updateProject } from "../update.ts";

const path = "/api/projects";
const tag = "Projects";

const projectName = z.string().trim().min(1).max(projectNameCharactersMax).describe("The name for people.");

const list = endpoint({
  method: "GET",
  path,
  operation: "listProjects",
  summary: "List the projects of your workspaces by name.",
  tag,
  access: "project.list",
  noun: "none",
  query: pageQuery.extend({ workspace: listParameter(z.string(), "Ids of workspaces") }),
  response: { status: 200, data: z.array(projectSchema), isPaged: true },
  refusals: ["BAD_REQUEST"],
  async handle({ env, caller, query: { workspace: workspaceIds, page, pageSize } }) {
    const reach = findReach(caller);
    if (!reach) return refuse("FORBIDDEN");
    const { facts, projects, total } = await listProjects(env.DB, { reach, workspaceIds, page, pageSize });
    return checkWorkspaces(workspaceIds, facts) ?? paged(projects.map(toWireProject), { page, pageSize, total });
  },
});

const listOfWorkspace = endpoint({
  method: "GET",
  path: "/api/organizations/{workspaceId}/projects",
  operation: "listWorkspaceProjects",
  summary: "List the projects of a workspace by name.",
  tag,
  access: "project.read",
  noun: "workspace",
  response: { status: 200, data: z.array(projectSchema) },
  async handle({ env, found }) {
    return ok((await listWorkspaceProjects(env.DB, found.workspace.id)).map(toWireProject));
  },
});

const create = endpoint({
  method: "POST",
  path,
  operation: "createProject",
  audit: { workspaceField: "orgId" },
  summary: "Create a project from a repository. Members.",
  tag,
  access: "project.create",
  noun: "inBody",
  body: {
    schema: z
      .strictObject({
        orgId: z.string().optional().describe("The id of its workspace. It or `workspaceId` is required."),
        workspaceId: z.string().optional().describe("The same as `orgId`."),
        name: projectName,
        repository: z
          .string()
          .refine(isRepositoryName, "must be `owner/name`, in letters, digits, `.`, `-` and `_`")
          .describe("Its repository at the code host, as `owner/name`. The service's app has to be installed for it."),
        targetBranch: branchField.optional().describe("The branch of pull requests; the default branch by default."),
      })
      .refine(({ orgId, workspaceId }) => (orgId ?? workspaceId) !== undefined, {
        path: ["orgId"],
        error: "is required",
      })
      .refine(({ orgId, workspaceId }) => (orgId ?? workspaceId) === (workspaceId ?? orgId), {
        path: ["workspaceId"],
        error: "must be the same as orgId, or left out",
      })
      .meta({ examples: [{ orgId: exampleIds.workspace, name: "departures", repository: "demo/departures" }] }),
  },
  isRepeatable: true,
  response: { status: 201, data: projectSchema },
  refusals: ["BAD_REQUEST", "NOT_FOUND", "SERVICE_UNAVAILABLE"],
  async handle({ env, now, caller, idempotency, body }) {
    const { orgId, workspaceId = orgId ?? "", name, repository, targetBranch } = body;
    const draft = { workspaceId, name, repository, targetBranch };
    const project = await createProject(env, { draft, caller, repeat: idempotency }, now);
    return isRefusal(project) ? project : created(toWireProject(project));
  },
});

const read = endpoint({
  method: "GET",
  path: `${path}/{projectId}`,
  operation: "readProject",
  summary: "Read a project.",
  tag,
  access: "project.read",
  noun: "project",
  with: ["projectRecord"],
  response: { status: 200, data: projectSchema },
  async handle({ found }) {
    return ok(toWireProject({ ...found.project, ...found.projectRecord }));
  },
});

const change = endpoint({
  method: "PATCH",
  path: `${path}/{projectId}`,
  operation: "changeProject",
  summary: "Change a project's name or Target Branch. Existing sessions keep their Target Branch.",
  tag,
  access: "project.change",
  noun: "project",
  body: {
    schema: z
      .strictObject({
        name: projectName.optional(),
        targetBranch: branchField.optional().describe("The branch of new pull requests."),
      })
      .meta({ examples: [{ name: "departures", targetBranch: "main" }] }),
  },
  response: { status: 200, data: projectSchema },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  async handle({ env, now, found, body }) {
    const project = await updateProject(env, found.project.id, body, now);
    if (isRefusal(project)) return project;
    const answer = ok(toWireProject(project));
    // A project that had these values already was changed earlier.
    return project.updatedAt === now ? answer : unchanged(answer);
  },
});

const remove = endpoint({
  method: "DELETE",
  path: `${path}/{projectId}`,
  operation: "deleteProject",
  summary:
    "Delete a project with its sessions. It disappears immediately for everybody, and cannot be restored; running turns are stopped. Its repository stays as it is.",
  tag,
  access: "project.delete",
  noun: "project",
  response: { status: 204 },
  async handle({ env, now, found }) {
    const named = { id: found.project.id, workspaceId: found.workspace.id };
    return (await deleteProject(env, named, now)) ?? noContent;
  },
});

export const projectRoutes = [list, create, listOfWorkspace, read, change, remove];
