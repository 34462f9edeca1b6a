// The pull request of a session: its state, and the messages that open, sync and ship it.
import type { Schemas, Session } from "@switchyard/client";
import { useMutation } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { useState } from "react";
import { messageKey } from "../composer/queries.ts";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Field, fieldClass } from "../ui/field.tsx";
import { useKeptText } from "../ui/kept-text.ts";
import { Refusal } from "../ui/refusal.tsx";
import { useFocusKept } from "../ui/use-focus-kept.ts";
import { Name } from "../ui/visible-text.tsx";
import { EvidenceInput, ReviewersInput } from "./choices.tsx";
import { useUpdateSession } from "./queries.ts";
import {
  isWorkedOn,
  listPullRequestActions,
  type PullRequestForm,
  writeOpenPullRequest,
  writeSkill,
} from "./skill-message.ts";

const states = {
  draft: ["○ draft", "bg-sunk text-quiet"],
  open: ["● open", "bg-green-tint text-green-ink"],
  merged: ["✓ merged", "bg-accent-tint text-accent"],
  closed: ["✕ closed", "bg-red-tint text-red-ink"],
} as const;

interface PullRequestProps {
  session: Session;
  data: Schemas["Session"];
  isRunning: boolean;
  /** True while the turn that runs ships it. */
  isShipTurn: boolean;
}

const empty: PullRequestForm = { isDraft: false, reviewers: "", evidence: "", text: "" };

export function PullRequest({ session, data, isRunning, isShipTurn }: PullRequestProps) {
  const { prUrl, prNumber, prState, status, model, targetBranch, isBehind } = data;
  const [isFormOpen, setIsFormOpen] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const [kept, keep] = useKeptText(`pull-request:${session.id}`);
  const form: PullRequestForm = kept === "" ? empty : JSON.parse(kept);
  const send = useMutation({
    mutationKey: messageKey(session.id),
    // It waits for the connection, and the chat says so.
    networkMode: "online",
    mutationFn: (text: string) => session.send(text),
  });
  const update = useUpdateSession(session);
  const error = send.error ?? update.error;
  const focus = useFocusKept("form", (box) => box.querySelector<HTMLElement>("button:enabled, a"));
  const shipMessage = writeSkill("ship", model);
  // The agent may make it a draft again, until its checks pass.
  const isBeingShipped = isShipTurn || (send.isPending && send.variables === shipMessage);
  const can = listPullRequestActions(prState, status, isBeingShipped);
  const change = (fields: Partial<PullRequestForm>) => {
    const next = JSON.stringify({ ...form, ...fields });
    keep(next === JSON.stringify(empty) ? "" : next);
  };
  const settle = () =>
    keep((now) => {
      // What was typed meanwhile stays in the form.
      if (now !== kept) return now;
      setIsFormOpen(false);
      return "";
    });
  // The form is settled also where the panel is left before the answer comes.
  const submit = () => send.mutateAsync(writeOpenPullRequest(form, model)).then(settle, () => {});
  const said = send.data && (send.data.delivery === "job" ? "The agent is working on it." : "It waits in Up next.");

  return (
    <section {...focus} aria-label="Pull request" className="rounded-card border border-line p-4">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="font-bold text-title">Pull request</h2>
        {prState && (
          <span className={`rounded-control px-2 py-0.5 text-meta ${states[prState][1]}`}>{states[prState][0]}</span>
        )}
        {isBehind && (
          <span className="rounded-control bg-amber-tint px-2 py-0.5 text-amber-ink text-meta">
            ⇅ behind <Name>{targetBranch}</Name>
          </span>
        )}
        <span className="flex-1" />
        {prUrl && (
          <a
            href={prUrl}
            target="_blank"
            rel="noopener"
            className="inline-flex min-h-8 items-center gap-1 text-accent text-ui hover:underline pointer-coarse:min-h-11"
          >
            #{prNumber} <ExternalLink className="size-3.5" aria-hidden="true" />
          </a>
        )}
      </div>
      {!prUrl && !isWorkedOn(status) && <p className="mt-1 text-quiet text-ui">The session has none.</p>}
      {!prUrl && isWorkedOn(status) && !isFormOpen && (
        <p className="mt-1 text-quiet text-ui">
          None yet. The agent commits, pushes, and writes its title and description, against <Name>{targetBranch}</Name>
          .
        </p>
      )}
      {isBeingShipped && <p className="mt-1 text-quiet text-ui">The agent ships it once its checks pass.</p>}
      {isFormOpen && (
        <form
          className="mt-3 flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            if (!send.isPending) submit();
          }}
        >
          <ReviewersInput
            projectId={data.projectId}
            value={form.reviewers}
            onValue={(reviewers) => change({ reviewers })}
          />
          <EvidenceInput session={session} value={form.evidence} onValue={(evidence) => change({ evidence })} />
          <Field label="What the description should say">
            <textarea
              rows={3}
              value={form.text}
              onChange={(event) => change({ text: event.target.value })}
              className={`${fieldClass} field-sizing-content max-h-60 resize-y py-2`}
            />
          </Field>
          {!prUrl && (
            <label className="flex min-h-8 items-center gap-2 text-ui pointer-coarse:min-h-11">
              <input
                type="checkbox"
                checked={form.isDraft}
                onChange={(event) => change({ isDraft: event.target.checked })}
                className="size-4 accent-accent"
              />
              As a draft: the session stays active
            </label>
          )}
          <div className="flex gap-2">
            <Button kind="main" type="submit" disabled={send.isPending}>
              {send.isPending ? "Sending…" : prUrl ? "Update it" : "Open it"}
            </Button>
            <Button kind="bare" onClick={() => setIsFormOpen(false)}>
              Cancel
            </Button>
          </div>
        </form>
      )}
      {can.ready && (
        <p className="mt-1 text-quiet text-ui">A draft is not shipped. Mark it as ready, and the review begins.</p>
      )}
      {!isFormOpen && (can.open || can.ship) && (
        <div className="mt-3 flex flex-wrap gap-2">
          {can.open && (
            <Button kind={prUrl ? "quiet" : "main"} disabled={send.isPending} onClick={() => setIsFormOpen(true)}>
              {prUrl ? "Update" : "Open pull request"}
            </Button>
          )}
          {can.ready && (
            <Button kind="main" disabled={update.isPending} onClick={() => update.mutate({ status: "under-review" })}>
              Mark as ready
            </Button>
          )}
          {can.sync && (
            <Button disabled={send.isPending} onClick={() => send.mutate(writeSkill("sync-branch", model))}>
              Sync with <Name>{targetBranch}</Name>
            </Button>
          )}
          {can.ship && (
            // It stays enabled while it sends, so that the closed question gives it the focus back.
            <Button kind="main" onClick={() => send.isPending || setIsAsking(true)}>
              Ship
            </Button>
          )}
        </div>
      )}
      {error ? (
        <div className="mt-3">
          <Refusal error={error} />
        </div>
      ) : null}
      <p role="status" className="mt-2 text-meta text-quiet empty:hidden">
        {isRunning ? (said ?? "A turn runs: what you ask for waits in Up next.") : ""}
      </p>
      <Confirm
        isOpen={isAsking}
        title={`Ship #${prNumber}?`}
        word="Ship"
        onClose={() => setIsAsking(false)}
        onConfirm={() => {
          setIsAsking(false);
          send.mutate(shipMessage);
        }}
      >
        The agent merges it into <Name className="font-mono text-ink">{targetBranch}</Name> once its checks pass.
      </Confirm>
    </section>
  );
}
