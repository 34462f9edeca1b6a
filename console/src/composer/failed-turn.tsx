// After a failed turn: why it failed, and the one step that helps.
import { Button, buttonClass } from "../ui/button.tsx";
import type { DraftBox } from "./draft-box.ts";
import { findFailedStep } from "./send-rules.ts";
import type { TurnNow } from "./use-turn.ts";

export function FailedTurn({ turn: { job, message }, box }: { turn: TurnNow; box: DraftBox }) {
  if (job?.status !== "failed") return null;
  const step = findFailedStep(job.errorCode);
  return (
    <div className="mb-2 flex flex-wrap items-center gap-2 rounded-block bg-red-tint px-4 py-2 text-red-ink text-ui">
      <p className="min-w-0 flex-1 basis-60 [overflow-wrap:anywhere]">
        {step === "fresh" ? "The conversation is too long for the model." : (job.error ?? "The turn failed.")}
      </p>
      {step === "fresh" && (
        <Button onClick={() => box.sendApart({ content: message, retryFailedJobId: job.id })}>
          Start fresh with the conversation
        </Button>
      )}
      {step === "account" && (
        <a href="/account" className={buttonClass()}>
          Check your logins
        </a>
      )}
      {step !== "fresh" && message !== "" && <Button onClick={() => box.addText(message)}>Send again…</Button>}
    </div>
  );
}
