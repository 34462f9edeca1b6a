// The model of the session: family by provider, effort and speed. It changes between turns.
import { Popover } from "@base-ui/react/popover";
import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useState } from "react";
import { queryClient, service } from "../api.ts";
import type { Session } from "../session/queries.ts";
import { Refusal } from "../ui/refusal.tsx";
import { ModelChoice } from "./model-choice.tsx";
import { accessQuery } from "./queries.ts";

interface ModelPopoverProps {
  session: Session;
  models: readonly Schemas["Model"][];
  value: string | null;
  isBusy: boolean;
  isOpen: boolean;
  button: RefObject<HTMLButtonElement | null>;
  onOpen: (isOpen: boolean) => void;
  /** A choice that the service has not made yet; null after its answer. */
  onChosen: (value: string | null) => void;
}

export function ModelPopover({ session, models, value, isBusy, isOpen, button, onOpen, onChosen }: ModelPopoverProps) {
  const [error, setError] = useState<unknown>(null);
  const { data: access } = useQuery(accessQuery(session.projectId));

  async function choose(model: string): Promise<void> {
    onChosen(model);
    setError(null);
    const path = { projectId: session.projectId, sessionId: session.id };
    try {
      const operation = "PUT /api/projects/{projectId}/chat-sessions/{sessionId}";
      const answer = await service.request(operation, { path, body: { model } });
      queryClient.setQueryData(["session", session.id], answer.session);
    } catch (refused) {
      setError(refused);
    }
    onChosen(null);
  }

  return (
    <Popover.Root
      open={isOpen}
      onOpenChange={(next, { event }) => {
        // The button closes it by itself.
        if (!next && event.target instanceof Node && button.current?.contains(event.target)) return;
        onOpen(next);
      }}
    >
      <Popover.Portal>
        <Popover.Positioner anchor={button} side="top" align="start" sideOffset={8} className="z-30">
          <Popover.Popup
            finalFocus={button}
            className="flex max-h-[min(70vh,460px)] w-100 max-w-[calc(100vw-32px)] flex-col rounded-card border border-line bg-panel p-2 text-ui shadow-lg outline-none"
          >
            <Popover.Title className="sr-only">Model</Popover.Title>
            {isBusy && (
              <p className="px-2 pt-1 pb-2 text-meta text-quiet">
                A turn runs. The model can change when it has ended.
              </p>
            )}
            {error !== null && <Refusal error={error} />}
            <ModelChoice models={models} access={access} value={value} isLocked={isBusy} onChoose={choose} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
