// The overview of a project: its facts, its last Deploy, its main preview and its newest sessions.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePreview } from "../preview/queries.ts";
import { sessionsQuery } from "../session/queries.ts";
import { markSession } from "../session/reasons.ts";
import { toSessionFilter } from "../sessions/search.ts";
import { buttonClass } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { Ago } from "../ui/time.tsx";
import { Name } from "../ui/visible-text.tsx";
import { workspaceQuery } from "../workspace/queries.ts";
import { useProject } from "./current.ts";
import { DeployMark } from "./deploy-mark.tsx";
import { MainPreview, mainPreviewText } from "./main-preview.tsx";
import { deploysQuery } from "./queries.ts";

const sessionsMax = 5;

export function Overview() {
  const { id, orgId, repository, targetBranch, deployStatus, createdAt } = useProject();
  const { data: workspace } = useQuery(workspaceQuery(orgId));
  return (
    <>
      <section aria-label="Facts" className="mt-6 rounded-card border border-line bg-panel p-6 max-sm:p-4">
        <dl className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-3 gap-y-2">
          <Fact name="Repository">
            <Name className="font-mono text-code">{repository}</Name>
          </Fact>
          <Fact name="Target Branch">
            <Name className="font-mono text-code">{targetBranch}</Name>
          </Fact>
          <Fact name="Workspace">
            <Name>{workspace?.name ?? "…"}</Name>
          </Fact>
          <Fact name="Added">
            <Ago at={createdAt} />
          </Fact>
        </dl>
      </section>
      <LastDeploy />
      <Section title="Main preview" text={mainPreviewText}>
        {deployStatus === "idle" ? (
          <p className="text-quiet">There is no main sandbox yet. The first Deploy makes it.</p>
        ) : (
          <Preview of={{ projectId: id }} />
        )}
      </Section>
      <Sessions />
    </>
  );
}

/** It wakes only when somebody asks for it. */
function Preview({ of }: { of: { projectId: string } }) {
  return (
    <MainPreview of={of} preview={usePreview(of, false)}>
      <Link to="/p/$project/preview" params={{ project: of.projectId }} className={buttonClass("bare")}>
        Preview and services
      </Link>
    </MainPreview>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-quiet">{name}</dt>
      <dd className="m-0 min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}

function LastDeploy() {
  const { id, deployStatus } = useProject();
  const { data: deploys, error } = useQuery(deploysQuery(id, 1));
  const last = deploys?.[0];
  return (
    <Section
      title="Deploy"
      text="A Deploy sets up the main sandbox: the deploy agent writes the settings and checks them."
    >
      {error && !deploys ? (
        <Refusal error={error} />
      ) : (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <DeployMark status={last?.status ?? deployStatus} />
          {last && (
            <span className="text-meta text-quiet">
              {last.trigger === "system" && "started by the service "}
              <Ago at={last.startedAt ?? last.createdAt} />
            </span>
          )}
        </p>
      )}
      {last?.error && <p className="mt-2 text-red-ink [overflow-wrap:anywhere]">{last.error}</p>}
      <Link to="/p/$project/deploy" params={{ project: id }} className={`${buttonClass()} mt-4`}>
        {deployStatus === "idle" ? "Deploy it" : "Deploys and their chat"}
      </Link>
    </Section>
  );
}

function Sessions() {
  const { id } = useProject();
  const filter = { ...toSessionFilter({ project: id }), pageSize: sessionsMax };
  const { data: sessions, error } = useQuery(sessionsQuery(filter));
  return (
    <Section title="Sessions" text="The sessions of this project that have not ended, most recently changed first.">
      {error && <Refusal error={error} />}
      {sessions && sessions.length > 0 && (
        <ul className="-mx-2 mb-4">
          {sessions.map((session) => (
            <li key={session.id}>
              <Link
                to="/s/$session"
                params={{ session: session.id }}
                data-row
                className="flex min-h-9 items-center gap-2 rounded-control px-2 hover:bg-sunk pointer-coarse:min-h-11"
              >
                <StateMark mark={markSession(session)} hasWord={false} />
                <Name className="min-w-0 flex-1 truncate">{session.title}</Name>
                <span className="text-meta text-quiet">
                  <Ago at={session.updatedAt} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {sessions?.length === 0 && <p className="mb-4 text-quiet">There are no open sessions.</p>}
      <div className="flex flex-wrap gap-2">
        <Link to="/sessions" search={{ project: id }} className={buttonClass()}>
          All sessions of this project
        </Link>
        <Link to="/" hash="new" search={{ project: id }} className={buttonClass("bare")}>
          New session
        </Link>
      </div>
    </Section>
  );
}
