// The button for the model of the session. What it opens is loaded when it is first wanted.

import { useQuery } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { Suspense, useRef, useState } from "react";
import type { Session } from "../session/queries.ts";
import { buttonClass } from "../ui/button.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { Name } from "../ui/visible-text.tsx";
import { shortLabel } from "./models.ts";
import { modelsQuery } from "./queries.ts";

const loadPopover = () => import("./model-popover.tsx");
/** Loads the popover ahead. What fails is loaded when it is opened. */
const prepare = () => void loadPopover().catch(() => {});
const ModelPopover = lazyPart(loadPopover, "ModelPopover");

export function ModelMenu({ session, isBusy }: { session: Session; isBusy: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  const [wasOpened, setWasOpened] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const { data: models = [] } = useQuery(modelsQuery);
  const button = useRef<HTMLButtonElement>(null);
  const value = chosen ?? session.model;
  const current = models.find((one) => one.value === value);

  return (
    <>
      <button
        ref={button}
        type="button"
        className={`${buttonClass("bare")} min-w-0 max-w-full px-2 font-normal!`}
        aria-label={`Model of the session: ${current ? shortLabel(current) : (value ?? "Default model")}`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onPointerEnter={prepare}
        onFocus={prepare}
        onClick={() => {
          setWasOpened(true);
          setIsOpen(!isOpen);
        }}
      >
        <Name className="min-w-0 truncate">{current ? shortLabel(current) : (value ?? "Default model")}</Name>
        <ChevronDown className="size-3.5 shrink-0" aria-hidden="true" />
      </button>
      {wasOpened && (
        <Suspense fallback={null}>
          <ModelPopover
            session={session}
            models={models}
            value={value}
            isBusy={isBusy}
            isOpen={isOpen}
            button={button}
            onOpen={setIsOpen}
            onChosen={setChosen}
          />
        </Suspense>
      )}
    </>
  );
}
