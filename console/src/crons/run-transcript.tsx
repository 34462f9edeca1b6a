// The transcript of a run: one turn, which grows while the agent works.
import type { Schemas } from "@switchyard/client";
import { useMemo } from "react";
import { TurnCard } from "../conversation/turn-card.tsx";
import { Conversation } from "../conversation/use-conversation.ts";
import { useModelLabel } from "../conversation/use-model-label.ts";
import { Button } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import type { RunPath } from "./queries.ts";
import { toJob } from "./run-words.ts";
import { useRunMessages } from "./use-run-messages.ts";

interface RunTranscriptProps {
  path: RunPath;
  run: Schemas["CronRun"];
  onOpenArtifact: (artifactId: string) => void;
}

export function RunTranscript({ path, run, onOpenArtifact }: RunTranscriptProps) {
  const { messages, error, hasEarlier, readEarlier } = useRunMessages(path);
  const model = useModelLabel(run.model);
  const context = useMemo(
    () => ({ session: null, readOutput: null, holdPlace() {}, kept: new Map<string, unknown>(), onOpenArtifact }),
    [onOpenArtifact],
  );
  return (
    <section aria-label="Transcript" aria-busy={messages === null && error === null} className="mt-6">
      <h2 className="mb-2 px-1 font-bold text-title">Transcript</h2>
      {error !== null && <Refusal error={error} />}
      {hasEarlier && (
        <div className="mb-2 text-center">
          <Button kind="bare" onClick={readEarlier}>
            Earlier steps
          </Button>
        </div>
      )}
      {messages?.length === 0 && <p className="px-1 text-quiet">This run never started, so it has no transcript.</p>}
      {messages && messages.length > 0 && (
        <Conversation value={context}>
          <div role="feed" aria-label="Steps of the run">
            <TurnCard
              turn={{ jobId: run.id, messages }}
              job={toJob(run)}
              model={model}
              isNewest
              isOpen
              position={1}
              setSize={1}
              onToggle={() => {}}
            />
          </div>
        </Conversation>
      )}
    </section>
  );
}
