// How a run went, for its creator and admins: what ended it, its phases, its numbers and its log.

import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { formatCost, formatCount, formatTokens } from "../conversation/foot.ts";
import { Well } from "../conversation/well.tsx";
import { Button } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { formatDuration } from "../ui/time.tsx";
import { Name } from "../ui/visible-text.tsx";
import { Fact } from "./facts.tsx";
import { diagnosticsQuery, type RunPath } from "./queries.ts";
import { adviseRun, describeStop } from "./run-words.ts";

type Diagnostics = Schemas["CronRunDiagnostics"];

const phaseWords: [phase: keyof Diagnostics["phases"], word: string][] = [
  ["mainWokenAt", "Main sandbox woken"],
  ["credentialsReadyAt", "Credentials ready"],
  ["agentRequestedAt", "Agent requested"],
  ["firstEventAt", "First event of the agent"],
  ["doneAt", "Ended"],
];

export function RunDiagnostics({ path }: { path: RunPath }) {
  const { data, error, refetch } = useQuery(diagnosticsQuery(path));
  return (
    <Section title="Diagnostics" text="How the run went. Only the creator of the cron and admins see this.">
      {error && (
        <Refusal error={error}>
          <Button onClick={() => refetch()}>Try again</Button>
        </Refusal>
      )}
      {data && <Known diagnostics={data} />}
    </Section>
  );
}

function Known({ diagnostics }: { diagnostics: Diagnostics }) {
  const { errorCode, stopSource, stoppedBy, sandboxKey, agentVersion, phases, donePayload, log } = diagnostics;
  const advice = adviseRun(errorCode);
  const startedAt = Date.parse(phases.queuedAt);
  return (
    <>
      {advice && <p className="mb-4 rounded-block bg-amber-tint px-4 py-3 text-amber-ink">{advice}</p>}
      <dl className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-6 gap-y-2">
        {stopSource && (
          <Fact word="Ended because">
            {describeStop(stopSource)} {stoppedBy && <Name>{`(${stoppedBy.name})`}</Name>}
          </Fact>
        )}
        {errorCode && (
          <Fact word="Error code">
            <code className="font-mono text-code">{errorCode}</code>
          </Fact>
        )}
        {donePayload && (
          <Fact word="Work">
            {[
              formatCount(donePayload.modelTurns, "answer"),
              formatCount(donePayload.toolCalls, "tool call"),
              formatTokens({ ...donePayload, payer: "workspace" }),
              ...(donePayload.costUsd === null ? [] : [formatCost(donePayload.costUsd)]),
            ].join(", ")}
          </Fact>
        )}
      </dl>
      <details className="mt-4">
        <summary className="cursor-pointer text-quiet pointer-coarse:min-h-11">Steps and log</summary>
        <dl className="mt-3 grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-6 gap-y-2">
          {phaseWords.map(([phase, word]) => {
            const at = phases[phase];
            return (
              at !== null && (
                <Fact key={phase} word={word}>
                  after {formatDuration(Date.parse(at) - startedAt)}
                </Fact>
              )
            );
          })}
          {sandboxKey && (
            <Fact word="Main sandbox">
              <code className="font-mono text-code">{sandboxKey}</code>
            </Fact>
          )}
          {agentVersion && <Fact word="Agent">{agentVersion}</Fact>}
        </dl>
        <div className="mt-3">
          {log === null ? (
            <p className="text-quiet">The log is kept for 30 days.</p>
          ) : (
            log !== "" && <Well label="Log" text={log} isEnd />
          )}
        </div>
      </details>
    </>
  );
}
