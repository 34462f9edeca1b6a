// Projects: read one.
import { ok } from "../../http/answer.ts";
import { endpoint } from "../../http/endpoint.ts";
import { projectOnWire, projectSchema } from "../../resources/workspace.ts";
import { refuse } from "../../rules/refusal.ts";
import { findProject } from "../../storage/queries/projects.ts";

const read = endpoint({
  method: "GET",
  path: "/api/projects/{projectId}",
  summary: "Read a project.",
  tag: "Projects",
  access: "project.read",
  noun: "project",
  answers: { status: 200, data: projectSchema },
  async handle({ env, found }) {
    const project = await findProject(env.DB, found.project.id);
    return project ? ok(projectOnWire(project)) : refuse("NOT_FOUND", "There is no such project.");
  },
});

export const projectRoutes = [read];
