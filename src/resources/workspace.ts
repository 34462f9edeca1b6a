// Workspaces and projects on the wire, where a workspace is called an organization.
import * as z from "zod";
import type { Project } from "../storage/queries/projects.ts";
import type { Workspace } from "../storage/queries/workspaces.ts";
import { time, timestamp, uuid } from "./wire-values.ts";

export const workspaceItemSchema = z
  .object({ id: z.string(), name: z.string(), slug: z.string(), logo: z.string().nullable() })
  .meta({ description: "A workspace." });

export function workspaceItemOnWire({ id, name, slug, logo }: Workspace): z.infer<typeof workspaceItemSchema> {
  return { id, name, slug, logo };
}

export const projectSchema = z
  .object({
    id: uuid,
    orgId: z.string(),
    name: z.string(),
    repository: z.string(),
    targetBranch: z.string(),
    deployStatus: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ description: "A code repository of a workspace." });

export function projectOnWire(project: Omit<Project, "settings">): z.infer<typeof projectSchema> {
  const { id, workspaceId, name, repository, targetBranch, deployStatus, createdAt, updatedAt } = project;
  return {
    id,
    orgId: workspaceId,
    name,
    repository,
    targetBranch,
    deployStatus,
    createdAt: time(createdAt),
    updatedAt: time(updatedAt),
  };
}
