// The runs of the triggers in the last 90 days, with what each did and why it sent nothing.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ExternalLink } from "lucide-react";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { NamedOptions, Select } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { Ago } from "../ui/time.tsx";
import { Name } from "../ui/visible-text.tsx";
import { triggerRunsQuery } from "./trigger-calls.ts";
import { describeRun, type Trigger } from "./trigger-form.ts";

const shownAtFirst = 20;
const shownMax = 100;

export function TriggerRuns({ projectId, triggers }: { projectId: string; triggers: readonly Trigger[] }) {
  const [shown, setShown] = useState(shownAtFirst);
  const [triggerId, setTriggerId] = useState("");
  const { data: runs, error } = useQuery(triggerRunsQuery(projectId, shown, triggerId === "" ? null : triggerId));
  return (
    <Section title="Runs" text="What triggers did in the last 90 days, newest first.">
      {triggers.length > 1 && (
        <Select
          aria-label="Trigger"
          className="mb-3 max-w-full"
          value={triggerId}
          onChange={({ target }) => setTriggerId(target.value)}
        >
          <option value="">All triggers</option>
          <NamedOptions items={triggers} />
        </Select>
      )}
      {error && <Refusal error={error} />}
      {runs?.length === 0 && <p className="text-quiet">No trigger has run.</p>}
      <ul className="divide-y divide-line">
        {runs?.map(({ id, triggerName, sessionId, url, outcome, reason, createdAt }) => {
          const { glyph, tone, word, why } = describeRun({ outcome, reason });
          return (
            <li key={id} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-2">
              <span className={`w-20 shrink-0 text-meta ${tone}`}>
                <span aria-hidden="true">{glyph}</span> {word}
              </span>
              <span className="min-w-0 flex-1 basis-40">
                <Name className="[overflow-wrap:anywhere]">{triggerName}</Name>
                {why !== null && <span className="block text-meta text-quiet">{why}</span>}
              </span>
              {sessionId !== null && (
                <Link
                  to="/s/$session"
                  params={{ session: sessionId }}
                  className="text-meta underline underline-offset-2"
                >
                  Session
                </Link>
              )}
              {url !== null && (
                <a
                  href={url}
                  target="_blank"
                  rel="noopener noreferrer"
                  className="inline-flex items-center gap-1 text-meta underline underline-offset-2"
                >
                  Cause <ExternalLink className="size-3" aria-hidden="true" />
                </a>
              )}
              <span className="w-20 text-right text-meta text-quiet">
                <Ago at={createdAt} />
              </span>
            </li>
          );
        })}
      </ul>
      {shown < shownMax && runs?.length === shown && (
        <Button kind="bare" className="mt-2" onClick={() => setShown(shownMax)}>
          Older
        </Button>
      )}
    </Section>
  );
}
