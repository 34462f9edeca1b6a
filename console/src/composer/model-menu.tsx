// The model of the session: family by provider, effort and speed. It changes between turns.
import { Popover } from "@base-ui/react/popover";
import { useQuery } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { queryClient, service } from "../service.ts";
import type { Session } from "../session/queries.ts";
import { buttonClass } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { ModelChoice } from "./model-choice.tsx";
import { shortLabel } from "./models.ts";
import { accessQuery, modelsQuery } from "./queries.ts";

export function ModelMenu({ session, isBusy }: { session: Session; isBusy: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const { data: models = [] } = useQuery(modelsQuery);
  const { data: access } = useQuery({ ...accessQuery(session.projectId), enabled: isOpen });
  const value = chosen ?? session.model;
  const current = models.find((one) => one.value === value);

  async function choose(model: string): Promise<void> {
    setChosen(model);
    setError(null);
    const path = { projectId: session.projectId, sessionId: session.id };
    try {
      const operation = "PUT /api/projects/{projectId}/chat-sessions/{sessionId}";
      const answer = await service.request(operation, { path, body: { model } });
      queryClient.setQueryData(["session", session.id], answer.session);
    } catch (refused) {
      setError(refused);
    }
    setChosen(null);
  }

  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Trigger
        className={`${buttonClass("bare")} min-w-0 max-w-full px-2 font-normal!`}
        aria-label="Model of the session"
      >
        <bdi className="min-w-0 truncate">{current ? shortLabel(current) : (value ?? "Default model")}</bdi>
        <ChevronDown className="size-3.5 shrink-0" aria-hidden="true" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner side="top" align="start" sideOffset={8} className="z-30">
          <Popover.Popup className="max-h-[min(70vh,460px)] flex w-100 max-w-[calc(100vw-32px)] flex-col rounded-card border border-line bg-panel p-2 text-ui shadow-lg outline-none">
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
