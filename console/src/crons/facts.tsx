// The facts of a cron: its prompt, schedule and model, and its projects with what paused them.

import type { ReactNode } from "react";
import { MessageText } from "../conversation/message.tsx";
import { useModelLabel } from "../conversation/use-model-label.ts";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/section.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { Ago, useNow } from "../ui/time.tsx";
import { Name } from "../ui/visible-text.tsx";
import type { Cron } from "./queries.ts";
import { formatSchedule, formatSlot, formatWait, markRun } from "./run-words.ts";

interface FactsProps {
  cron: Cron;
  mayChange: boolean;
  /** What the page does now. */
  busy: string | null;
  onResume: (projectId: string) => void;
  onRun: (projectId: string) => void;
}

export function Facts({ cron, mayChange, busy, onResume, onRun }: FactsProps) {
  const { prompt, enabled, disabledReason, nextRunAt, timezone, lastRunAt, lastRunStatus, projects } = cron;
  const model = useModelLabel(cron.model);
  const now = useNow(30_000);
  return (
    <>
      <Section title="Schedule" text={formatSchedule(cron)}>
        {disabledReason !== null && (
          <p className="mb-4 rounded-block bg-amber-tint px-4 py-3 text-amber-ink [overflow-wrap:anywhere]">
            The cron has disabled itself. {disabledReason}
          </p>
        )}
        <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
          <Fact word="Next fire">
            {!enabled && "None: it is paused"}
            {enabled && nextRunAt !== null && (
              <>
                {formatSlot(nextRunAt, timezone)}, {formatWait(Date.parse(nextRunAt) - now)}
              </>
            )}
          </Fact>
          <Fact word="Last run">
            {lastRunAt === null ? (
              "Never"
            ) : (
              <span className="flex flex-wrap gap-x-2">
                {lastRunStatus && <StateMark mark={markRun(lastRunStatus)} />} <Ago at={lastRunAt} />
              </span>
            )}
          </Fact>
          <Fact word="Model">{model ?? "The workspace's default"}</Fact>
          <Fact word="Made by">
            <Name>{cron.createdByName || "A former member"}</Name>, <Ago at={cron.createdAt} />
          </Fact>
        </dl>
      </Section>
      <Section title="Prompt" text="Each fire sends it to the Cron Agent as it is.">
        <MessageText text={prompt} />
      </Section>
      <Section title="Projects" text="Five failed runs in a row pause the cron in a project.">
        {projects.length === 0 && <p className="text-quiet">No projects are left. Edit the cron to choose some.</p>}
        <ul className="divide-y divide-line">
          {projects.map(({ id, name, baseBranch, pausedAt, pausedReason, lastRunStatus: status }) => (
            <li key={id} className="py-3 first:pt-0 last:pb-0">
              <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
                <span className="min-w-0 flex-1 basis-40">
                  <Name className="block truncate font-medium" title={name}>
                    {name}
                  </Name>
                  <Name className="block truncate font-mono text-meta text-quiet">{baseBranch}</Name>
                </span>
                {status && <StateMark mark={markRun(status)} />}
                {mayChange && pausedAt !== null && (
                  <Button disabled={busy !== null} onClick={() => onResume(id)}>
                    {busy === `resume ${id}` ? "Resuming…" : "Resume"}
                    <span className="sr-only"> in {name}</span>
                  </Button>
                )}
                {mayChange && (projects.length > 1 || pausedAt !== null) && (
                  <Button kind="bare" disabled={busy !== null} onClick={() => onRun(id)}>
                    {busy === `run ${id}` ? "Starting…" : "Run once"}
                    <span className="sr-only"> in {name}</span>
                  </Button>
                )}
              </div>
              {pausedAt !== null && (
                <p className="mt-2 rounded-block bg-amber-tint px-3 py-2 text-amber-ink [overflow-wrap:anywhere]">
                  Paused <Ago at={pausedAt} /> after five failed runs. {pausedReason}
                </p>
              )}
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}

export function Fact({ word, children }: { word: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-quiet">{word}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}
