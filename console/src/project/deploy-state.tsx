// The state of the newest Deploy: its steps as they are done, and what starts and stops one.
import type { Schemas } from "@switchyard/client";
import { CircleStop, Rocket } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field, fieldClass } from "../ui/field.tsx";
import { useKeptText, withoutSent } from "../ui/kept-text.ts";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { cancelDeploy } from "./deploy-calls.ts";
import { DeployMark } from "./deploy-mark.tsx";
import { deploySteps, isDeployOpen, placeSteps, type StepState } from "./deploy-words.ts";
import { useSealedSend } from "./use-sealed-send.ts";

interface DeployStateProps {
  projectId: string;
  chat: Schemas["DeployChat"];
  /** The message that is being written, and what changes it. */
  draft: ReturnType<typeof useKeptText>;
}

export function DeployState({ projectId, chat: { status, error }, draft: [, setDraft] }: DeployStateProps) {
  const [asked, setAsked] = useState<"deploy" | "stop" | null>(null);
  const [refusal, setRefusal] = useState<unknown>(null);
  const [isStopping, setIsStopping] = useState(false);
  const isOpen = isDeployOpen(status);
  const steps = isOpen ? placeSteps(status) : null;

  async function stop(): Promise<void> {
    setAsked(null);
    setRefusal(null);
    setIsStopping(true);
    try {
      const texts = await cancelDeploy(projectId);
      // The service keeps none of them.
      if (texts.length > 0) setDraft((now) => [now, ...texts].filter((text) => text !== "").join("\n\n"));
    } catch (failure) {
      setRefusal(failure);
    }
    setIsStopping(false);
  }

  return (
    <Section
      title="Deploy"
      text="A Deploy sets up a fresh main sandbox. The deploy agent reads the repository, writes the settings and checks that the services answer. The main preview stays until the new one is live."
    >
      <div className="flex flex-wrap items-center gap-3">
        <p role="status" className="font-medium">
          <DeployMark status={status} />
        </p>
        <span className="flex-1" />
        {isOpen && (
          <Button disabled={isStopping} onClick={() => setAsked("stop")}>
            <CircleStop className="size-4" aria-hidden="true" /> {isStopping ? "Stopping…" : "Cancel"}
          </Button>
        )}
        <Button kind={isOpen ? "bare" : "main"} disabled={isStopping} onClick={() => setAsked("deploy")}>
          <Rocket className="size-4" aria-hidden="true" /> {isOpen ? "Start over" : "Deploy"}
        </Button>
      </div>
      {steps && <Steps steps={steps} />}
      {error !== null && (
        <p className="mt-4 rounded-block bg-red-tint px-4 py-3 text-red-ink [overflow-wrap:anywhere]">{error}</p>
      )}
      {refusal !== null && (
        <div className="mt-4">
          <Refusal error={refusal} />
        </div>
      )}
      <Start
        key={String(asked === "deploy")}
        projectId={projectId}
        isRunning={isOpen}
        isAsked={asked === "deploy"}
        onClose={() => setAsked(null)}
      />
      <Confirm
        isOpen={asked === "stop"}
        title="Stop the Deploy?"
        word="Stop it"
        kind="danger"
        onConfirm={stop}
        onClose={() => setAsked(null)}
      >
        A project that is live stays live. Messages that wait for the agent come back into the field.
      </Confirm>
    </Section>
  );
}

const marks: Record<StepState, [glyph: string, tone: string, word: string]> = {
  done: ["✓", "text-green-ink", "done"],
  now: ["●", "text-accent", "now"],
  later: ["○", "text-quiet", "to do"],
};

function Steps({ steps }: { steps: readonly StepState[] }) {
  return (
    <ol aria-label="Steps of the Deploy" className="mt-4 grid gap-1">
      {deploySteps.map(([step, word], at) => {
        const state = steps[at] ?? "later";
        const [glyph, tone, said] = marks[state];
        return (
          <li key={step} aria-current={state === "now" ? "step" : undefined} className="flex items-baseline gap-2">
            <span aria-hidden="true" className={`w-4 text-center text-meta ${tone} ${state === "now" ? "lamp" : ""}`}>
              {glyph}
            </span>
            <span className={state === "now" ? "font-medium" : "text-quiet"}>{word}</span>
            <span className="sr-only">{said}</span>
          </li>
        );
      })}
    </ol>
  );
}

interface StartProps {
  projectId: string;
  isRunning: boolean;
  isAsked: boolean;
  onClose: () => void;
}

function Start({ projectId, isRunning, isAsked, onClose }: StartProps) {
  const [text, setText] = useKeptText(`deploy-instructions-${projectId}`);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const sendSealed = useSealedSend(projectId);
  const instructions = isRunning ? "" : text.trim();

  async function start(event: FormEvent): Promise<void> {
    event.preventDefault();
    setError(null);
    setIsBusy(true);
    try {
      const body = instructions === "" ? undefined : { userResponse: instructions, freshDeploy: true };
      await sendSealed(instructions, body ? { body } : {});
      if (instructions !== "") setText((now) => withoutSent(now, text));
      onClose();
    } catch (refusal) {
      setError(refusal);
    }
    setIsBusy(false);
  }

  return (
    <Dialog title={isRunning ? "Start over?" : "Deploy"} isOpen={isAsked} onClose={onClose}>
      <form onSubmit={start}>
        <p className="mt-1 mb-4 text-quiet">
          {isRunning
            ? "The Deploy that runs is stopped, and a new one starts from the repository."
            : "A fresh sandbox is built from the Target Branch. It goes live when its services answer."}
        </p>
        {!isRunning && (
          <Field label="Instructions for the deploy agent" hint="Optional. What it should know or do differently.">
            <textarea
              value={text}
              onChange={({ target }) => setText(target.value)}
              rows={3}
              dir="auto"
              className={`${fieldClass} field-sizing-content max-h-60 min-h-20 resize-none py-2`}
            />
          </Field>
        )}
        {error !== null && (
          <div className="mt-4">
            <Refusal error={error} />
          </div>
        )}
        <div className="mt-4 flex flex-wrap justify-end gap-2">
          <Button kind="bare" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind={isRunning ? "danger" : "main"} disabled={isBusy}>
            {isBusy ? "Starting…" : isRunning ? "Stop and start over" : "Start the Deploy"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
