// The reads of a project, and what changes its record.
import type { Input, Schemas } from "@switchyard/client";
import { queryOptions } from "@tanstack/react-query";
import { queryClient, service } from "../api.ts";
import { projectsQuery } from "../session/queries.ts";

export type Project = Schemas["Project"];
export type ProjectSettings = Schemas["ProjectSettings"];

export const projectQuery = (projectId: string) =>
  queryOptions({
    queryKey: ["project", projectId],
    queryFn: ({ signal }) => service.request("GET /api/projects/{projectId}", { path: { projectId }, signal }),
    placeholderData: () => queryClient.getQueryData(projectsQuery.queryKey)?.find(({ id }) => id === projectId),
  });

/** How often settings on the page are read again. */
const lookEveryMs = 15_000;

export const settingsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ["project-settings", projectId],
    queryFn: ({ signal }) => service.request("GET /api/projects/{projectId}/settings", { path: { projectId }, signal }),
    // No event says that somebody else has changed them.
    refetchInterval: lookEveryMs,
    refetchOnWindowFocus: "always",
  });

const deploysPerPage = 20;

export const deploysQuery = (projectId: string, pageSize = deploysPerPage) =>
  queryOptions({
    queryKey: ["deploys", projectId, pageSize],
    queryFn: ({ signal }) =>
      service.request("GET /api/projects/{projectId}/deploys", { path: { projectId }, query: { pageSize }, signal }),
  });

/** Shows a project as it is now, here and in the lists. */
function keepProject(project: Project): void {
  queryClient.setQueryData(["project", project.id], project);
  queryClient.invalidateQueries({ queryKey: projectsQuery.queryKey });
}

/** The project as the service has it now. */
export async function readProject(projectId: string): Promise<Project> {
  const project = await service.request("GET /api/projects/{projectId}", { path: { projectId } });
  keepProject(project);
  return project;
}

type ProjectChange = Input<"PATCH /api/projects/{projectId}">["body"];

export async function changeProject(projectId: string, body: ProjectChange): Promise<Project> {
  const project = await service.request("PATCH /api/projects/{projectId}", { path: { projectId }, body });
  keepProject(project);
  return project;
}

export async function addProject(body: Input<"POST /api/projects">["body"]): Promise<Project> {
  const project = await service.request("POST /api/projects", { body });
  keepProject(project);
  await queryClient.refetchQueries({ queryKey: projectsQuery.queryKey });
  return project;
}

export async function deleteProject(projectId: string): Promise<void> {
  await service.request("DELETE /api/projects/{projectId}", { path: { projectId } });
  queryClient.setQueryData(projectsQuery.queryKey, (all) => all?.filter(({ id }) => id !== projectId));
  queryClient.removeQueries({ queryKey: ["project", projectId] });
  queryClient.invalidateQueries({ queryKey: ["sessions"] });
}

/** The settings as the service has them now. */
export async function readSettings(projectId: string): Promise<ProjectSettings> {
  const settings = await service.request("GET /api/projects/{projectId}/settings", { path: { projectId } });
  queryClient.setQueryData(settingsQuery(projectId).queryKey, settings);
  return settings;
}

export async function putSettings(projectId: string, body: ProjectSettings): Promise<ProjectSettings> {
  const settings = await service.request("PUT /api/projects/{projectId}/settings", { path: { projectId }, body });
  queryClient.setQueryData(settingsQuery(projectId).queryKey, settings);
  return settings;
}
