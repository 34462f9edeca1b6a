// The project whose page is shown, and what the person is in its workspace.
import { useQuery } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { workspaceQuery } from "../workspace/queries.ts";
import { isAtLeast } from "../workspace/roles.ts";
import type { Project } from "./queries.ts";

export const CurrentProject = createContext<Project | null>(null);

export function useProject(): Project {
  const project = useContext(CurrentProject);
  if (project === null) throw new Error("This part is shown on the page of a project only.");
  return project;
}

/** True for owners and admins of the project's workspace; null until it is known. */
export function useIsAdmin(): boolean | null {
  const { data } = useQuery(workspaceQuery(useProject().orgId));
  return data ? isAtLeast(data.role, "admin") : null;
}
