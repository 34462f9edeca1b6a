// A refusal with its next step: what the person can do about it, as a button.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { projectsQuery, sessionQuery } from "../session/queries.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { workspaceQuery } from "../workspace/queries.ts";
import { isAtLeast } from "../workspace/roles.ts";
import { findNextStep, isAtLimit } from "./send-rules.ts";

/** The id of the workspace of the session that the page shows; undefined while it is not known. */
export function useSessionWorkspaceId(): string | undefined {
  const { session = "" } = useParams({ strict: false });
  const { data } = useQuery({ ...sessionQuery(session), enabled: false });
  return useQuery(projectsQuery).data?.find((project) => project.id === data?.projectId)?.orgId;
}

interface StepRefusalProps {
  error: unknown;
  /** The workspace of what was refused; left out on the page of a session, which has one. */
  workspaceId?: string | undefined;
  /** The words of the button that does it again, where they are not the step's. */
  againLabel?: string;
  /** Does again what was refused; left out where that needs another choice. */
  onAgain?: (() => void) | undefined;
  onClose: () => void;
}

export function StepRefusal({ error, workspaceId, againLabel, onAgain, onClose }: StepRefusalProps) {
  const ofSession = useSessionWorkspaceId();
  const id = workspaceId ?? ofSession;
  const isWanted = isAtLimit(error) && id !== undefined;
  const { data: workspace } = useQuery({ ...workspaceQuery(id ?? ""), enabled: isWanted });
  const { step, label, hint } = findNextStep(error, isAtLeast(workspace?.role ?? null, "admin"));
  return (
    <Refusal error={error}>
      {hint && <p className="w-full text-ink">{hint}</p>}
      {step === "again" && onAgain && <Button onClick={onAgain}>{againLabel ?? label}</Button>}
      {step === "sandboxes" && id !== undefined && (
        <Link to="/w/$workspace/sandboxes" params={{ workspace: id }} className={buttonClass()}>
          {label}
        </Link>
      )}
      {step === "usage" && workspace && (
        <Link to="/w/$workspace/usage" params={{ workspace: workspace.id }} className={buttonClass()}>
          {label}
        </Link>
      )}
      {step === "info" && (
        <Link to="." search={(before) => ({ ...before, panel: "info" })} className={buttonClass()}>
          {label}
        </Link>
      )}
      {step === "sign-in" && (
        <a
          className={buttonClass()}
          href={`/api/auth/github/connect?returnTo=${encodeURIComponent(location.pathname + location.search)}`}
        >
          {label}
        </a>
      )}
      <Button kind="bare" onClick={onClose}>
        Close
      </Button>
    </Refusal>
  );
}
