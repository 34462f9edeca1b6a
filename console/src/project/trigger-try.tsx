// Tries the triggers with a sample or a pasted event: which of them match, and why others do not.

import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { codeHostQuery } from "../account/queries.ts";
import { Button } from "../ui/button.tsx";
import { Field, fieldClass, Select } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { useAct } from "../ui/use-act.ts";
import { Name } from "../ui/visible-text.tsx";
import { useProject } from "./current.ts";
import { tryTriggers } from "./trigger-calls.ts";
import type { Trigger } from "./trigger-form.ts";
import { createSample, describeTrial, parsePayload, type TrialEvent, trialEvents } from "./trigger-trial.ts";

export function TriggerTry({ triggers }: { triggers: readonly Trigger[] }) {
  const { id: projectId, repository } = useProject();
  const { data: account } = useQuery(codeHostQuery);
  const [event, setEvent] = useState<TrialEvent>("issues");
  // Null while the text is the sample.
  const [typed, setTyped] = useState<string | null>(null);
  const [trials, setTrials] = useState<Awaited<ReturnType<typeof tryTriggers>> | null>(null);
  const { act, error, isBusy } = useAct();
  const text = typed ?? JSON.stringify(createSample(event, { repository, account }), null, 2);
  const parsed = parsePayload(text);

  function submit(submitted: FormEvent) {
    submitted.preventDefault();
    setTrials(null);
    if (parsed) void act(async () => setTrials(await tryTriggers(projectId, event, parsed.payload)));
  }

  return (
    <Section
      title="Try it"
      text="What each trigger would do with an event. Nothing is sent, started or recorded. GitHub lists what it has sent in the settings of the app, under Advanced."
    >
      <form onSubmit={submit} className="space-y-4">
        <Field label="Event">
          <Select
            className="w-full"
            value={event}
            onChange={({ target }) => {
              setEvent(target.value as TrialEvent);
              setTyped(null);
              setTrials(null);
            }}
          >
            {trialEvents.map(([name, word]) => (
              <option key={name} value={name}>
                {name === "http" ? word : `${word} (${name})`}
              </option>
            ))}
          </Select>
        </Field>
        <Field label="Payload" hint="Change the sample, or paste what was sent.">
          <textarea
            value={text}
            rows={8}
            spellCheck={false}
            onChange={({ target }) => setTyped(target.value)}
            className={`${fieldClass} field-sizing-content max-h-80 resize-none py-2 font-mono text-code!`}
          />
        </Field>
        {parsed === null && <p role="alert">The payload is not JSON.</p>}
        <Button type="submit" disabled={isBusy || parsed === null}>
          Try the triggers
        </Button>
      </form>
      {error !== null && (
        <div className="mt-3">
          <Refusal error={error} />
        </div>
      )}
      {trials !== null && (
        <ul aria-label="What the triggers would do" className="mt-4 divide-y divide-line">
          {trials.map((trial) => {
            const { glyph, tone, word, why } = describeTrial(trial);
            return (
              <li key={trial.triggerId} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-2">
                <Name className="min-w-0 flex-1 basis-40 [overflow-wrap:anywhere]">
                  {triggers.find(({ id }) => id === trial.triggerId)?.name ?? trial.triggerId}
                </Name>
                <span className="min-w-0 flex-1 basis-60">
                  <span className={tone}>
                    <span aria-hidden="true">{glyph}</span> {word}
                  </span>
                  {why !== null && <span className="block text-meta text-quiet">{why}</span>}
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </Section>
  );
}
