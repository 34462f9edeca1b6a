// Why a session takes no message now, and the way out where there is one.
import { useState } from "react";
import type { Session } from "../session/queries.ts";
import { startSession } from "../sessions/changes.ts";
import { Button } from "../ui/button.tsx";
import { findClosedReason } from "./send-rules.ts";
import { StepRefusal } from "./step-refusal.tsx";

export function ClosedNote({ session }: { session: Session }) {
  const [isStarting, setIsStarting] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const reason = findClosedReason(session.status);
  if (!reason) return null;

  async function start(): Promise<void> {
    setIsStarting(true);
    setError(null);
    await startSession(session).catch(setError);
    setIsStarting(false);
  }

  return (
    <div className="mb-2 flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2 rounded-block border border-line bg-panel px-4 py-2 text-quiet text-ui">
        <p className="min-w-0 flex-1 basis-60">{reason}</p>
        {session.status === "backlog" && (
          <Button kind="main" disabled={isStarting} onClick={start}>
            {isStarting ? "Starting…" : "Start"}
          </Button>
        )}
      </div>
      {error !== null && <StepRefusal error={error} onAgain={start} onClose={() => setError(null)} />}
    </div>
  );
}
