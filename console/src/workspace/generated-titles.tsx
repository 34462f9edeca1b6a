// Whether a model writes the titles of sessions, and the switch of those who may change it.
import { useState } from "react";
import { service } from "../api.ts";
import { Refusal } from "../ui/refusal.tsx";
import { CheckBox } from "./check-box.tsx";
import { takeWorkspace, type Workspace } from "./queries.ts";

interface GeneratedTitlesProps {
  workspace: Workspace;
  isReadOnly: boolean;
}

export function GeneratedTitles({ workspace, isReadOnly }: GeneratedTitlesProps) {
  const [isBusy, setIsBusy] = useState(false);
  const [refusal, setRefusal] = useState<unknown>(null);

  async function change(generatedTitles: boolean): Promise<void> {
    setIsBusy(true);
    setRefusal(null);
    try {
      const path = { workspaceId: workspace.id };
      takeWorkspace(
        await service.request("PATCH /api/organizations/{workspaceId}", { path, body: { generatedTitles } }),
      );
    } catch (error) {
      setRefusal(error);
    }
    setIsBusy(false);
  }

  return (
    <>
      <CheckBox isChecked={workspace.generatedTitles} isDisabled={isReadOnly || isBusy} onChange={change}>
        A model writes the titles of new sessions
      </CheckBox>
      {refusal !== null && <Refusal error={refusal} />}
    </>
  );
}
