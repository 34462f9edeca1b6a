// Where no model provider is connected: who can connect one, and the way there.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ButtonKind, buttonClass } from "../ui/button.tsx";
import { accessQuery, workspaceQuery } from "../workspace/queries.ts";
import { isAtLeast } from "../workspace/roles.ts";
import { findModelStep } from "./send-rules.ts";

interface ConnectModelProps {
  workspaceId: string;
  kind?: ButtonKind;
}

export function ConnectModel({ workspaceId, kind = "quiet" }: ConnectModelProps) {
  const { data: workspace } = useQuery(workspaceQuery(workspaceId));
  const { data: access } = useQuery(accessQuery(workspaceId));
  if (!workspace) return null;
  const { hint, label, to } = findModelStep(isAtLeast(workspace.role, "admin"), access);
  return (
    <>
      <p className="min-w-0 flex-1 basis-60 text-quiet">{hint}</p>
      <Link to={to} params={{ workspace: workspaceId }} className={buttonClass(kind)}>
        {label}
      </Link>
    </>
  );
}
