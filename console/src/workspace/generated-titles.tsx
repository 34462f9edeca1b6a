// Whether a model writes the titles of sessions, and the switch of those who may change it.
import { service } from "../api.ts";
import { Refusal } from "../ui/refusal.tsx";
import { useAct } from "../ui/use-act.ts";
import { CheckBox } from "./check-box.tsx";
import { takeWorkspace, type Workspace } from "./queries.ts";

interface GeneratedTitlesProps {
  workspace: Workspace;
  isReadOnly: boolean;
}

export function GeneratedTitles({ workspace, isReadOnly }: GeneratedTitlesProps) {
  const { act, error, isBusy } = useAct();

  const change = (generatedTitles: boolean) =>
    act(async () => {
      const path = { workspaceId: workspace.id };
      const body = { generatedTitles };
      takeWorkspace(await service.request("PATCH /api/organizations/{workspaceId}", { path, body }));
    });

  return (
    <>
      <CheckBox isChecked={workspace.generatedTitles} isDisabled={isReadOnly || isBusy} onChange={change}>
        A model writes the titles of new sessions
      </CheckBox>
      {error !== null && <Refusal error={error} />}
    </>
  );
}
