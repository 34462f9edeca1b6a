// What a month may cost the workspace: what is spent of it, and its change by those who may.

import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Field, TextInput } from "../ui/field.tsx";
import { isText, useKeptChanges } from "../ui/kept-changes.ts";
import { Meter } from "../ui/meter.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { formatLimit, formatUsd, parseLimit } from "./amounts.ts";
import { monthQuery, setSpendLimit } from "./queries.ts";

interface SpendLimitProps {
  workspace: Schemas["WorkspaceRecord"];
  /** True for the owner and admins. */
  mayChange: boolean;
}

export function SpendLimit({ workspace, mayChange }: SpendLimitProps) {
  const { id, spendLimitUsd: limit } = workspace;
  const { data: month, error } = useQuery({ ...monthQuery(id), enabled: mayChange });
  const spent = month === undefined ? null : (month.total.costUsd ?? 0);
  return (
    <>
      {mayChange ? (
        <div className="mb-4 min-h-10">
          {error !== null && <Refusal error={error} />}
          {spent !== null && limit !== null && (
            <>
              <p className="mb-2 tabular-nums">
                <span className="font-medium">{formatUsd(spent)}</span> of {formatUsd(limit)} is spent this month
                {spent >= limit && <span className="font-medium text-red-ink">: the limit is reached</span>}.
              </p>
              <Meter value={spent} max={limit} />
            </>
          )}
          {spent !== null && limit === null && (
            <p className="tabular-nums">
              <span className="font-medium">{formatUsd(spent)}</span> is spent this month. There is no limit.
            </p>
          )}
        </div>
      ) : (
        <p>
          {limit === null ? "There is no limit." : `The limit is ${formatUsd(limit)} a month.`} The owner and admins see
          what is spent, and change it.
        </p>
      )}
      {mayChange && spent !== null && <LimitForm workspaceId={id} limit={limit} spent={spent} />}
    </>
  );
}

interface LimitFormProps {
  workspaceId: string;
  limit: number | null;
  spent: number;
}

const limitChecks = { text: isText };

function LimitForm({ workspaceId, limit, spent }: LimitFormProps) {
  const saved = { text: limit === null ? "" : formatLimit(limit) };
  const { changes, change, forget } = useKeptChanges(`spend-limit:${workspaceId}`, limitChecks, saved);
  const [isSaved, setIsSaved] = useState(false);
  const { text } = { ...saved, ...changes };
  const [asking, setAsking] = useState<{ usd: number | null } | null>(null);
  const [refusal, setRefusal] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const parsed = text.trim() === "" ? null : parseLimit(text);
  const problem = typeof parsed === "string" ? parsed : null;

  async function save(usd: number | null): Promise<void> {
    setAsking(null);
    setRefusal(null);
    setIsSaved(false);
    setIsBusy(true);
    try {
      await setSpendLimit(workspaceId, usd);
      forget();
      setIsSaved(true);
    } catch (error) {
      setRefusal(error);
    }
    setIsBusy(false);
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (typeof parsed !== "number") return;
    if (parsed <= spent) setAsking({ usd: parsed });
    else save(parsed);
  }

  return (
    <form onSubmit={submit}>
      <div className="flex flex-wrap items-end gap-2">
        <div className="w-40">
          <Field label="US dollars per month">
            <TextInput
              value={text}
              onChange={({ target }) => {
                change({ text: target.value });
                setIsSaved(false);
              }}
              inputMode="decimal"
              autoComplete="off"
              placeholder="No limit"
              aria-invalid={problem !== null}
              aria-describedby="limit-problem"
            />
          </Field>
        </div>
        <Button type="submit" className="min-h-9" disabled={isBusy || typeof parsed !== "number" || parsed === limit}>
          {isBusy ? "Saving…" : limit === null ? "Set the limit" : "Change the limit"}
        </Button>
        {limit !== null && (
          <Button kind="bare" className="min-h-9" disabled={isBusy} onClick={() => setAsking({ usd: null })}>
            Remove the limit
          </Button>
        )}
        <span role="status" className="self-center text-quiet">
          {isSaved && changes.text === undefined ? "Saved" : ""}
        </span>
      </div>
      <p id="limit-problem" role="status" className="mt-1 text-meta text-red-ink">
        {problem}
      </p>
      {refusal !== null && <Refusal error={refusal} />}
      <Confirm
        isOpen={asking !== null}
        title={asking?.usd == null ? "Remove the limit?" : `Set the limit to ${formatUsd(asking.usd)}?`}
        word={asking?.usd == null ? "Remove" : "Set it"}
        kind="danger"
        onConfirm={() => asking && save(asking.usd)}
        onClose={() => setAsking(null)}
      >
        {asking?.usd == null
          ? "Then nothing limits what turns cost the workspace."
          : `${formatUsd(spent)} is spent this month already. Turns that the workspace pays for stop, and no new ones start this month.`}
      </Confirm>
    </form>
  );
}
