// Deletes a workspace. A person types its name first.
import { type FormEvent, useState } from "react";
import { service } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field, TextInput } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { useAct } from "../ui/use-act.ts";
import { useGoAway } from "./leave-button.tsx";
import type { Workspace } from "./queries.ts";

export function DeleteWorkspace({ workspace }: { workspace: Workspace }) {
  const goAway = useGoAway();
  const { act, error, isBusy } = useAct();
  const [isOpen, setIsOpen] = useState(false);
  const [typed, setTyped] = useState("");

  function remove(event: FormEvent): void {
    event.preventDefault();
    act(async () => {
      const path = { workspaceId: workspace.id };
      await service.request("DELETE /api/organizations/{workspaceId}", { path, body: { name: typed } });
      await goAway();
    });
  }

  return (
    <>
      <Button kind="danger" onClick={() => setIsOpen(true)}>
        Delete the workspace
      </Button>
      <Dialog title={`Delete “${workspace.name}”?`} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <form onSubmit={remove} className="mt-2 space-y-4">
          <p className="text-quiet">
            Its turns and sandboxes are stopped. Its projects, sessions, artifacts and credentials are deleted. Nobody
            can restore them.
          </p>
          <Field label={`Type “${workspace.name}” to delete it`}>
            <TextInput
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
              autoComplete="off"
              spellCheck={false}
              dir="auto"
            />
          </Field>
          {error !== null && <Refusal error={error} />}
          <div className="flex flex-wrap justify-end gap-2">
            <Button kind="bare" onClick={() => setIsOpen(false)}>
              Cancel
            </Button>
            <Button type="submit" kind="danger" disabled={isBusy || typed !== workspace.name}>
              {isBusy ? "Deleting…" : "Delete"}
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
