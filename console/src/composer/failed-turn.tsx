// After a failed turn: the one step that helps.
import { Link } from "@tanstack/react-router";
import { Button, buttonClass } from "../ui/button.tsx";
import { ConnectModel } from "./connect-model.tsx";
import type { DraftBox } from "./draft-box.ts";
import { findFailedStep } from "./send-rules.ts";
import { useSessionWorkspaceId } from "./step-refusal.tsx";
import type { TurnNow } from "./use-turn.ts";

/** The turn's card says why; this says what helps. */
const hints = {
  fresh: "The conversation is too long for the model.",
  models: "It has no model.",
  account: "A login at the provider needs you.",
  again: "Its message can be sent again.",
};

export function FailedTurn({ turn: { job, message }, box }: { turn: TurnNow; box: DraftBox }) {
  const workspaceId = useSessionWorkspaceId();
  // While a message is on its way, the next step was taken.
  if (job?.status !== "failed" || box.get().outgoing.some(({ lines }) => !lines)) return null;
  const step = findFailedStep(job.errorCode);
  return (
    <div className="mb-2 flex flex-wrap items-center gap-2 rounded-block border border-line bg-panel px-4 py-2 text-ui">
      <p className="min-w-0 flex-1 basis-40">
        <span className="text-red-ink">
          <span aria-hidden="true">✕ </span>The turn failed.
        </span>{" "}
        <span className="text-quiet">{hints[step]}</span>
      </p>
      {step === "fresh" && (
        <Button
          disabled={message === null}
          onClick={() => box.sendApart({ content: message || "Continue.", retryFailedJobId: job.id })}
        >
          Start fresh with the conversation
        </Button>
      )}
      {step === "models" && workspaceId && <ConnectModel workspaceId={workspaceId} />}
      {step === "account" && (
        <Link to="/account/subscriptions" className={buttonClass()}>
          Check your logins
        </Link>
      )}
      {step !== "fresh" && message && <Button onClick={() => box.addText(message)}>Send again…</Button>}
    </div>
  );
}
