// One cron: its facts, what can be done with it, its runs and its artifacts.

import { SwitchyardError } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Pause, Pencil, Play, Trash2, Zap } from "lucide-react";
import { useRef, useState } from "react";
import { service } from "../api.ts";
import { useUserId } from "../shell/profile.ts";
import { useTitle } from "../shell/title.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { useKeptChanges } from "../ui/kept-changes.ts";
import { Refusal } from "../ui/refusal.tsx";
import { RetryOrHome } from "../ui/retry-or-home.tsx";
import { Section } from "../ui/section.tsx";
import { Name } from "../ui/visible-text.tsx";
import { CronArtifacts } from "./artifact-list.tsx";
import { CronForm } from "./cron-form.tsx";
import { type CronChanges, type CronFields, cronChecks, listChanged, toFields } from "./draft.ts";
import { Facts } from "./facts.tsx";
import { type Fired, FiredRuns } from "./fired-runs.tsx";
import { dropCron, takeCron } from "./live.ts";
import { type Cron, cronQuery, isOutOfReach } from "./queries.ts";
import { Runs } from "./runs.tsx";
import { deleteCron, enableCron, resumeProject, runNow, useAction, useMayChange } from "./writes.ts";

export function CronPage() {
  const { cron: cronId } = useParams({ from: "/crons/$cron" });
  const { workspace, page = 1 } = useSearch({ from: "/crons/$cron" });
  const { data, error, dataUpdatedAt, isPlaceholderData, refetch } = useQuery(cronQuery(cronId, workspace));
  useTitle(data?.cron.name ?? null);
  const isGone = error instanceof SwitchyardError && error.status === 404;
  return (
    <main className="h-full overflow-y-auto" aria-busy={!data && !error}>
      <div className="mx-auto max-w-3xl px-4 pt-6 pb-12">
        <Link to="/crons" className="text-meta text-quiet hover:text-ink">
          Crons
        </Link>
        {error && (
          <div className="mb-3">
            {!data && (
              <h1 className="mb-3 font-bold text-heading">
                {isGone && dataUpdatedAt > 0 ? "This cron was deleted" : "You cannot open this cron"}
              </h1>
            )}
            <Refusal error={error}>
              <Link to="/crons" className={buttonClass()}>
                To your crons
              </Link>
              <RetryOrHome isClosed={isOutOfReach(error)} onRetry={refetch} />
            </Refusal>
          </div>
        )}
        {data && <Known workspaceId={data.workspaceId} cron={data.cron} isWhole={!isPlaceholderData} page={page} />}
      </div>
    </main>
  );
}

interface KnownProps {
  workspaceId: string;
  cron: Cron;
  /** False while only the list's record is known, which cuts a long prompt. */
  isWhole: boolean;
  page: number;
}

function Known({ workspaceId, cron, isWhole, page }: KnownProps) {
  const navigate = useNavigate();
  const userId = useUserId();
  const mayChange = useMayChange(workspaceId, cron.createdBy);
  const [isDeleting, setIsDeleting] = useState(false);
  const [fired, setFired] = useState<Fired[]>([]);
  const typed = useKeptChanges(`cron:${cron.id}`, cronChecks, toFields(cron));
  // An edit that was left half typed is open again.
  const [wantsEdit, setWantsEdit] = useState(() => Object.keys(listChanged(toFields(cron), typed.changes)).length > 0);
  const isEditing = wantsEdit && isWhole && mayChange === true;
  const editButton = useRef<HTMLButtonElement>(null);
  const { busy, error, act } = useAction();
  const path = { workspaceId, cronId: cron.id };
  const canRun = cron.projects.some(({ pausedAt }) => pausedAt === null);
  const fire = (projectId?: string) =>
    act(`run ${projectId ?? ""}`, async () => {
      setFired([]);
      setFired(await runNow(path, projectId));
    });

  async function save(_: CronFields, { projectIds, ...changed }: CronChanges): Promise<void> {
    const body = { ...changed, ...(projectIds && { projectIds: [...projectIds] }) };
    const operation = "PATCH /api/organizations/{workspaceId}/crons/{cronId}";
    takeCron(workspaceId, await service.request(operation, { path, body }));
    closeEdit();
  }

  function closeEdit(): void {
    setWantsEdit(false);
    // The focus was in the form.
    setTimeout(() => editButton.current?.focus());
  }

  return (
    <>
      <h1 className="font-bold text-heading [overflow-wrap:anywhere]">
        <Name>{cron.name}</Name>
      </h1>
      {mayChange && (
        <div className="mt-3 flex flex-wrap gap-2">
          <Button kind="main" disabled={busy !== null || !canRun} onClick={() => fire()}>
            <Zap className="size-4" aria-hidden="true" /> {busy === "run " ? "Starting…" : "Run now"}
          </Button>
          <Button
            disabled={busy !== null || (!cron.enabled && cron.projects.length === 0)}
            onClick={() => act("enable", () => enableCron(workspaceId, cron, !cron.enabled))}
          >
            {cron.enabled ? (
              <Pause className="size-4" aria-hidden="true" />
            ) : (
              <Play className="size-4" aria-hidden="true" />
            )}
            {cron.enabled ? "Pause" : "Resume"}
          </Button>
          <button
            ref={editButton}
            type="button"
            disabled={!isWhole || isEditing}
            onClick={() => setWantsEdit(true)}
            className={buttonClass()}
          >
            <Pencil className="size-4" aria-hidden="true" /> Edit
          </button>
          <Button kind="danger" disabled={busy !== null} onClick={() => setIsDeleting(true)}>
            <Trash2 className="size-4" aria-hidden="true" /> Delete
          </Button>
        </div>
      )}
      {mayChange === false && (
        <p className="mt-1 text-quiet [overflow-wrap:anywhere]">
          Only <Name>{cron.createdByName || "its creator"}</Name>, who made it, and admins of the workspace change or
          run this cron.
        </p>
      )}
      {error !== null && (
        <div className="mt-4">
          <Refusal error={error} />
        </div>
      )}
      <FiredRuns path={path} fired={fired} projects={cron.projects} />
      {isEditing ? (
        <Section title="Edit" text="Changes apply from the next fire.">
          <CronForm
            workspaceId={workspaceId}
            saved={toFields(cron)}
            typed={typed}
            word="Save"
            onSave={save}
            onCancel={closeEdit}
          >
            <EditNotes cron={cron} isOwn={cron.createdBy === userId} />
          </CronForm>
        </Section>
      ) : (
        <Facts
          cron={cron}
          mayChange={mayChange === true}
          busy={busy}
          onResume={(projectId) => act(`resume ${projectId}`, () => resumeProject(path, projectId))}
          onRun={fire}
        />
      )}
      <Runs path={path} page={page} mayChange={mayChange === true} />
      <CronArtifacts path={path} />
      <Confirm
        isOpen={isDeleting}
        title={`Delete “${cron.name}”?`}
        word="Delete"
        kind="danger"
        onClose={() => setIsDeleting(false)}
        onConfirm={() => {
          setIsDeleting(false);
          act("delete", async () => {
            await deleteCron(path);
            await navigate({ to: "/crons" });
            dropCron(workspaceId, cron.id);
          });
        }}
      >
        A running run is stopped. All runs with their transcripts and artifacts are deleted. The sessions that they
        filed stay.
      </Confirm>
    </>
  );
}

/** What saving a change does besides. */
function EditNotes({ cron, isOwn }: { cron: Cron; isOwn: boolean }) {
  if (isOwn && cron.pausedProjectCount === 0) return null;
  return (
    <ul className="space-y-1 rounded-block bg-amber-tint px-4 py-3 text-amber-ink text-ui [overflow-wrap:anywhere]">
      {cron.pausedProjectCount > 0 && <li>Any change resumes the projects that are paused after failures.</li>}
      {!isOwn && (
        <li>
          After you change the prompt, the projects or the model, runs use nothing of the account of{" "}
          <Name>{cron.createdByName || "the creator"}</Name>, and have the lesser of your two roles.
        </li>
      )}
    </ul>
  );
}
