// Completes or archives a session, after a question. If work would be lost, it says so first.
import { type Schemas, type Session, SwitchyardError } from "@switchyard/client";
import { useState } from "react";
import { LossDialog } from "../sessions/loss-dialog.tsx";
import { describeLoss } from "../sessions/moves.ts";
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
    return <p className="px-4 text-quiet text-ui">This session has ended. You can still read it.</p>;
  const { error } = update;
  const loss =
    error instanceof SwitchyardError && error.failure.code === "CONFLICT" ? describeLoss(error.failure.details) : null;
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
      {error && loss === null ? (
        <div className="mt-3">
          <Refusal error={error} />
        </div>
      ) : null}
      <LossDialog
        title={data.title}
        ending={loss && { status: tried, loss }}
        onKeep={() => update.reset()}
        onEnd={() => update.mutate({ status: tried })}
      />
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
        Its sandbox is deleted, and no more turns start. The conversation and the artifacts stay. If work is not pushed,
        you are asked again.
      </Confirm>
    </section>
  );
}
