// Completes or archives a session, after a question. If work would be lost, it says so first.
import { type Schemas, type Session, SwitchyardError } from "@switchyard/client";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { useUpdateSession } from "./queries.ts";

type Ending = "completed" | "archived";

const words: Record<Ending, { action: string; title: string }> = {
  completed: { action: "Complete", title: "Complete this session?" },
  archived: { action: "Archive", title: "Archive this session?" },
};

export function EndSession({ session, data }: { session: Session; data: Schemas["Session"] }) {
  const [asked, setAsked] = useState<Ending | null>(null);
  const [tried, setTried] = useState<Ending>("completed");
  const update = useUpdateSession(session);
  if (data.status === "completed" || data.status === "archived")
    return (
      <p className="px-4 text-quiet text-ui">This session is over. It can be read, and nothing more is done in it.</p>
    );
  const isUnsaved = update.error instanceof SwitchyardError && update.error.failure.code === "CONFLICT";
  const { action, title } = words[asked ?? tried];
  return (
    <section aria-label="End the session">
      <div className="flex flex-wrap gap-2">
        <Button disabled={update.isPending} onClick={() => setAsked("completed")}>
          Complete
        </Button>
        <Button kind="danger" disabled={update.isPending} onClick={() => setAsked("archived")}>
          Archive
        </Button>
      </div>
      {update.error ? (
        <div className="mt-3">
          <Refusal error={update.error}>
            {isUnsaved && (
              <Button kind="danger" onClick={() => update.mutate({ status: tried })}>
                {words[tried].action} all the same
              </Button>
            )}
          </Refusal>
        </div>
      ) : null}
      <Confirm
        isOpen={asked !== null}
        title={title}
        word={action}
        kind={asked === "archived" ? "danger" : "main"}
        onClose={() => setAsked(null)}
        onConfirm={() => {
          if (asked === null) return;
          setTried(asked);
          setAsked(null);
          update.mutate({ status: asked, ifClean: true });
        }}
      >
        Its sandbox is given up, and no more turns start. The conversation and the artifacts stay. If work is not
        pushed, you are asked again.
      </Confirm>
    </section>
  );
}
