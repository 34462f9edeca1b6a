// Info: the facts of a session, what of them can be changed, and its pull request.
import type { Schemas, Session } from "@switchyard/client";
import { Link } from "@tanstack/react-router";
import { type KeyboardEvent, type ReactNode, useId } from "react";
import { useTurn } from "../composer/use-turn.ts";
import { useModelLabel } from "../conversation/use-model-label.ts";
import type { LiveSession } from "../session/live-session.ts";
import { isTurnRunning } from "../session/turn-state.ts";
import { priorityWords } from "../sessions/moves.ts";
import { statusWords } from "../sessions/search.ts";
import { Button } from "../ui/button.tsx";
import { Select, TextInput } from "../ui/field.tsx";
import { isText, useKeptChanges } from "../ui/kept-changes.ts";
import { Refusal } from "../ui/refusal.tsx";
import { renameField } from "../ui/sentence.ts";
import { Ago } from "../ui/time.tsx";
import { Name } from "../ui/visible-text.tsx";
import { parseLimit } from "../usage/amounts.ts";
import { BranchInput } from "./choices.tsx";
import { EndSession } from "./end-session.tsx";
import { PullRequest } from "./pull-request.tsx";
import { useMembers, useSessionUsage, useUpdateSession } from "./queries.ts";
import { Review } from "./review.tsx";
import { isShipMessage } from "./skill-message.ts";

export function Info({ live }: { live: LiveSession }) {
  const data = live.state?.session ?? live.session?.data ?? null;
  const { message } = useTurn(live);
  const isRunning = isTurnRunning(live);
  if (live.session === null || data === null) return <div aria-busy="true" className="h-full" />;
  return (
    <div className="h-full overflow-y-auto">
      <div className="flex flex-col gap-4 p-4">
        <PullRequest
          session={live.session}
          data={data}
          isRunning={isRunning}
          isShipTurn={isRunning && isShipMessage(message ?? "")}
        />
        <Review live={live} />
        <Facts key={data.id} session={live.session} data={data} />
        <EndSession session={live.session} data={data} />
      </div>
    </div>
  );
}

const filers = { cron: "a cron", session: "another session", relay: "a relay", trigger: "a trigger" };
const dollars = new Intl.NumberFormat("en", { style: "currency", currency: "USD" });
const count = new Intl.NumberFormat("en", { notation: "compact" });

function Facts({ session, data }: { session: Session; data: Schemas["Session"] }) {
  const update = useUpdateSession(session);
  const members = useMembers(data.projectId);
  const usage = useSessionUsage(data);
  const model = useModelLabel(data.model);
  const isOver = data.status === "completed" || data.status === "archived";
  const assigneeId = data.assignee?.kind === "member" ? data.assignee.userId : "";
  const creator = members.find(({ userId }) => userId === data.createdBy)?.name ?? data.createdBy;
  const { filedBy } = data;
  const author = filedBy ? filers[filedBy.kind] : creator;
  const refuse = (field: keyof NonNullable<typeof update.variables>, label: string) =>
    update.error !== null &&
    Object.hasOwn(update.variables ?? {}, field) && (
      <div className="basis-full">
        <Refusal error={update.error} reword={(sentence) => renameField(sentence, field, label)} />
      </div>
    );
  const clear = () => {
    if (update.error !== null) update.reset();
  };
  return (
    <section aria-label="Facts" className="rounded-card border border-line p-4">
      <dl className="grid grid-cols-[7rem_minmax(0,1fr)] items-center gap-x-3 gap-y-2 text-ui">
        <Fact name="Title">
          <Saved
            sessionId={data.id}
            label="Title"
            value={data.title}
            isSaving={update.isPending}
            onChange={clear}
            onSave={(title, onSuccess) => update.mutate({ title }, { onSuccess })}
          />
          {refuse("title", "The title")}
        </Fact>
        <Fact name="Status">{statusWords[data.status]}</Fact>
        <Fact name="Priority">
          <Select
            aria-label="Priority"
            value={data.priority}
            disabled={update.isPending}
            onChange={(event) => update.mutate({ priority: event.target.value as Schemas["Priority"] })}
          >
            {Object.entries(priorityWords).map(([value, word]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </Select>
          {refuse("priority", "The priority")}
        </Fact>
        <Fact name="Assignee">
          <Select
            aria-label="Assignee"
            value={assigneeId}
            disabled={update.isPending || isOver}
            onChange={(event) => update.mutate({ assigneeId: event.target.value || null })}
          >
            <option value="">{data.assignee?.kind === "service" ? "The service" : "Nobody"}</option>
            {data.assignee?.kind === "member" && !members.some(({ userId }) => userId === assigneeId) && (
              <option value={assigneeId}>{data.assignee.name}</option>
            )}
            {members.map(({ userId, name }) => (
              <option key={userId} value={userId}>
                {name}
              </option>
            ))}
          </Select>
          {refuse("assigneeId", "The assignee")}
        </Fact>
        {data.branch && (
          <Fact name="Branch">
            <Name className="block truncate font-mono text-code" title={data.branch}>
              {data.branch}
            </Name>
          </Fact>
        )}
        <Fact name="Target Branch">
          <Saved
            sessionId={data.id}
            label="Target Branch"
            value={data.targetBranch}
            branchesOf={data.projectId}
            isSaving={update.isPending}
            onChange={clear}
            onSave={(targetBranch, onSuccess) => update.mutate({ targetBranch }, { onSuccess })}
          />
          {refuse("targetBranch", "The target branch")}
        </Fact>
        <Fact name="Model">{model ? <Name>{model}</Name> : "The assignee's default"}</Fact>
        <Fact name="Spend limit">
          <Saved
            sessionId={data.id}
            label="Spend limit in US dollars"
            value={data.spendLimitUsd === null ? "" : String(data.spendLimitUsd)}
            placeholder="No limit, in US dollars"
            mayBeEmpty
            findProblem={(text) => {
              const limit = readLimit(text);
              return typeof limit === "string" ? limit : null;
            }}
            isSaving={update.isPending}
            onChange={clear}
            onSave={(text, onSuccess) => {
              const spendLimitUsd = readLimit(text);
              if (typeof spendLimitUsd !== "string") update.mutate({ spendLimitUsd }, { onSuccess });
            }}
          />
          {refuse("spendLimitUsd", "The spend limit")}
        </Fact>
        {usage && (
          <Fact name={usage.isOfAll ? "Used" : "Used by you"}>
            <span className="tabular-nums">
              {usage.costUsd === null ? "on a subscription" : dollars.format(usage.costUsd)} · {usage.jobs}{" "}
              {usage.jobs === 1 ? "turn" : "turns"} · {count.format(usage.inputTokens + usage.cachedTokens)} in,{" "}
              {count.format(usage.outputTokens)} out
            </span>
            {!usage.isOfAll && <span className="text-quiet">The owner and admins see everybody's turns.</span>}
          </Fact>
        )}
        <Fact name="Created">
          <Ago at={data.createdAt} />
          {author && (
            <>
              {" by "}
              {filedBy?.kind === "cron" ? (
                <Link
                  to="/crons/$cron/runs/$run"
                  params={{ cron: filedBy.cronId, run: filedBy.runId }}
                  className="text-accent underline underline-offset-2"
                >
                  {author}
                </Link>
              ) : (
                <Name>{author}</Name>
              )}
            </>
          )}
        </Fact>
        <Fact name="Changed">
          <Ago at={data.updatedAt} />
        </Fact>
      </dl>
    </section>
  );
}

/** The limit in a field: null if it is empty, a sentence if it holds no amount. */
const readLimit = (text: string) => (text === "" ? null : parseLimit(text));

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-quiet">{name}</dt>
      <dd className="m-0 flex min-h-8 min-w-0 flex-wrap items-center gap-x-1">{children}</dd>
    </>
  );
}

interface SavedProps {
  sessionId: string;
  label: string;
  value: string;
  placeholder?: string;
  /** The project whose branches are offered. */
  branchesOf?: string;
  mayBeEmpty?: boolean;
  /** Says why a text cannot be saved; null if it can. */
  findProblem?: (text: string) => string | null;
  isSaving: boolean;
  onChange: () => void;
  onSave: (value: string, onSuccess: () => void) => void;
}

const checks = { text: isText };

/** A field with a button that is there as soon as something is to be saved. */
function Saved(props: SavedProps) {
  const { sessionId, label, value, placeholder, branchesOf, mayBeEmpty, findProblem, isSaving, onChange, onSave } =
    props;
  const { changes, change: keep, forget } = useKeptChanges(`session:${sessionId}:${label}`, checks, { text: value });
  const shown = changes.text ?? value;
  const isDirty = shown.trim() !== value;
  const problemId = useId();
  const problem = isDirty ? (findProblem?.(shown.trim()) ?? null) : null;
  const mark = problem === null ? {} : { "aria-invalid": true, "aria-describedby": problemId };
  const canSave = isDirty && (mayBeEmpty || shown.trim() !== "") && problem === null;
  const change = (text: string) => {
    keep({ text });
    onChange();
  };
  const leave = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !isDirty) return;
    event.preventDefault();
    forget();
    onChange();
  };
  return (
    <>
      <form
        className="flex min-w-0 flex-1 gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (canSave) onSave(shown.trim(), forget);
        }}
      >
        {branchesOf === undefined ? (
          <TextInput
            aria-label={label}
            dir="auto"
            value={shown}
            placeholder={placeholder}
            onChange={(event) => change(event.target.value)}
            onKeyDown={leave}
            {...mark}
          />
        ) : (
          <BranchInput aria-label={label} projectId={branchesOf} value={shown} onValue={change} onKeyDown={leave} />
        )}
        {isDirty && (
          <Button type="submit" kind="main" disabled={!canSave || isSaving}>
            Save
          </Button>
        )}
      </form>
      {problem !== null && (
        <p id={problemId} role="status" className="basis-full text-meta text-red-ink">
          {problem}
        </p>
      )}
    </>
  );
}
