// The settings of the person's workspaces in the palette, such as "acme: members".
import { useQueries, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { listParts } from "../workspace/parts.ts";
import { workspaceQuery } from "../workspace/queries.ts";
import { workspacesQuery } from "./profile.ts";

/** What the palette shows, what else finds it, and what it does. */
export type PaletteAction = [word: string, also: string, act: () => void];

/** Of how many workspaces the palette reads the role of the person. */
const readMax = 20;

/** Lists the parts that the person's role reads. Nothing is read before it is wanted. */
export function useWorkspaceActions(isWanted: boolean): PaletteAction[] {
  const navigate = useNavigate();
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const open = workspaces.filter(({ suspendedAt }) => suspendedAt === null).slice(0, readMax);
  const records = useQueries({ queries: open.map(({ id }) => ({ ...workspaceQuery(id), enabled: isWanted })) });
  return open.flatMap(({ id, name }, index) =>
    listParts(records[index]?.data?.role ?? null).map(({ to, title }): PaletteAction => {
      const act = () => navigate({ to, params: { workspace: id } });
      return [`${name}: ${title.toLowerCase()}`, `workspace settings ${id}`, act];
    }),
  );
}
