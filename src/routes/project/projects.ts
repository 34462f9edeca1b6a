// Reading a project.
import { ok } from "../../http/answer.ts";
import { endpoint } from "../../http/endpoint.ts";
import { projectOnWire, projectSchema } from "../../resources/workspace.ts";

const read = endpoint({
  method: "GET",
  path: "/api/projects/{projectId}",
  operation: "readProject",
  summary: "Read a project.",
  tag: "Projects",
  access: "project.read",
  noun: "project",
  with: ["projectRecord"],
  answers: { status: 200, data: projectSchema },
  async handle({ found }) {
    return ok(projectOnWire({ ...found.project, ...found.projectRecord }));
  },
});

export const projectRoutes = [read];
