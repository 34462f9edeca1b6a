// Leaves a workspace, after a question.
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { queryClient, service } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { useAct } from "../ui/use-act.ts";
import type { Workspace } from "./queries.ts";

/** Goes to the inbox, and reads everything again, without a workspace that is gone. */
export function useGoAway() {
  const navigate = useNavigate();
  return async () => {
    await navigate({ to: "/" });
    queryClient.invalidateQueries();
  };
}

export function LeaveButton({ workspace }: { workspace: Workspace }) {
  const goAway = useGoAway();
  const { act, error, isBusy } = useAct();
  const [isAsking, setIsAsking] = useState(false);

  function leave(): void {
    setIsAsking(false);
    act(async () => {
      await service.request("POST /api/organizations/{workspaceId}/leave", { path: { workspaceId: workspace.id } });
      await goAway();
    });
  }

  return (
    <>
      <Button kind="danger" disabled={isBusy} onClick={() => setIsAsking(true)}>
        Leave
      </Button>
      {error !== null && (
        <div className="mt-4">
          <Refusal error={error} />
        </div>
      )}
      <Confirm
        isOpen={isAsking}
        title={`Leave “${workspace.name}”?`}
        word="Leave"
        kind="danger"
        onConfirm={leave}
        onClose={() => setIsAsking(false)}
      >
        You lose access to its sessions. To come back, you need an invitation.
      </Confirm>
    </>
  );
}
