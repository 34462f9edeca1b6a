// Sets or deletes the logo of a workspace.
import { type ChangeEvent, useRef, useState } from "react";
import { service } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { useAct } from "../ui/use-act.ts";
import { Logo } from "./logo.tsx";
import { takeWorkspace, type Workspace } from "./queries.ts";

const bytesMax = 1_048_576;

export function LogoForm({ workspace }: { workspace: Workspace }) {
  const { act, error, isBusy } = useAct();
  const [isAsking, setIsAsking] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const path = { workspaceId: workspace.id };

  function choose({ target }: ChangeEvent<HTMLInputElement>): void {
    const [file] = target.files ?? [];
    // The same file can be chosen again after a refusal.
    target.value = "";
    if (!file) return;
    act(async () => {
      if (file.size > bytesMax) throw new Error(`${file.name} is larger than 1 MiB. Choose a smaller picture.`);
      const { logo } = await service.request("PUT /api/organizations/{workspaceId}/logo", { path, body: file });
      takeWorkspace({ ...workspace, logo });
    });
  }

  function remove(): void {
    setIsAsking(false);
    act(async () => {
      await service.request("DELETE /api/organizations/{workspaceId}/logo", { path });
      takeWorkspace({ ...workspace, logo: null });
    });
  }

  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <Logo workspace={workspace} size="size-16 text-heading" />
        <input
          ref={input}
          type="file"
          accept="image/png,image/jpeg,image/webp"
          aria-label="A picture for the logo"
          className="sr-only"
          tabIndex={-1}
          onChange={choose}
        />
        <Button disabled={isBusy} onClick={() => input.current?.click()}>
          {workspace.logo === null ? "Choose a picture" : "Choose another picture"}
        </Button>
        {workspace.logo !== null && (
          <Button kind="bare" disabled={isBusy} onClick={() => setIsAsking(true)}>
            Delete the logo
          </Button>
        )}
      </div>
      {error !== null && (
        <div className="mt-4">
          <Refusal error={error} />
        </div>
      )}
      <Confirm
        isOpen={isAsking}
        title="Delete the logo?"
        word="Delete"
        kind="danger"
        onConfirm={remove}
        onClose={() => setIsAsking(false)}
      >
        The first letter of the name is shown in its place.
      </Confirm>
    </>
  );
}
