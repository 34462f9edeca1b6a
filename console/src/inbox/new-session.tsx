// The composer of a new session: what should be done, in which project, on which model.

import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouterState, useSearch } from "@tanstack/react-router";
import { ArrowUp, GitBranch } from "lucide-react";
import { type FormEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { queryClient, service } from "../api.ts";
import { DropArea, FileButton } from "../composer/drop-area.tsx";
import { FileChips } from "../composer/file-chips.tsx";
import { findFileProblem } from "../composer/files.ts";
import { ModelOptions } from "../composer/model-options.tsx";
import { canRunAny, findChoiceProblem } from "../composer/models.ts";
import { modelsQuery } from "../composer/queries.ts";
import { StepRefusal } from "../composer/step-refusal.tsx";
import { BranchInput } from "../pull-request/choices.tsx";
import { earlyKeys } from "../shell/early-keys.ts";
import { takeSession } from "../shell/live-lists.ts";
import { Button } from "../ui/button.tsx";
import { NamedOptions, Select } from "../ui/field.tsx";
import { withoutSent } from "../ui/kept-text.ts";
import { Name } from "../ui/visible-text.tsx";
import { accessQuery } from "../workspace/queries.ts";
import { ProjectStep } from "./first-steps.tsx";
import { emptyDraft, isUnsure, keepDraft, type NewDraft, readDraft, sealDraft, watchDraft } from "./new-draft.ts";
import { useNewFiles } from "./use-new-files.ts";

const waitForModelMs = 10_000;

interface NewSessionProps {
  userId: string;
  projects: Schemas["Project"][];
}

export function NewSession({ userId, projects }: NewSessionProps) {
  const [draft, setDraft] = useState(() => readDraft(userId));
  useEffect(() => watchDraft(userId, setDraft), [userId]);
  const [error, setError] = useState<unknown>(null);
  const [isSending, setIsSending] = useState(false);
  const { data: models = [] } = useQuery(modelsQuery);
  const navigate = useNavigate();
  const field = useRef<HTMLTextAreaElement>(null);
  const hash = useRouterState({ select: ({ location }) => `${location.hash}#${location.state.key}` });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each way here.
  useLayoutEffect(() => {
    if (!hash.startsWith("new#")) return;
    field.current?.focus();
    const early = earlyKeys.take();
    if (early !== "") change({ text: draft.text + early });
  }, [hash]);

  const { project: wanted } = useSearch({ from: "/" });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each link to a project.
  useEffect(() => {
    if (wanted === undefined) return;
    if (wanted !== draft.projectId && projects.some(({ id }) => id === wanted))
      change({ projectId: wanted, targetBranch: "" });
    navigate({ to: "/", hash: "new", search: ({ who }) => (who ? { who } : {}), replace: true });
  }, [wanted]);

  const { files, addFiles, removeFile, dropFiles } = useNewFiles(userId);
  const project = projects.find(({ id }) => id === draft.projectId) ?? projects[0];
  const { data: access } = useQuery({
    ...accessQuery(project?.orgId ?? ""),
    enabled: project !== undefined,
    // Somebody else may be the one who connects a model.
    refetchInterval: ({ state }) => (canRunAny(state.data) ? false : waitForModelMs),
  });
  const hasModel = canRunAny(access);
  // The service would run the session on another model.
  const modelProblem = hasModel ? findChoiceProblem(models, draft.model, access) : null;
  const problem = findFileProblem(files) ?? modelProblem;
  const canStart = !isSending && project !== undefined && draft.text.trim() !== "" && problem === null && hasModel;
  const change = (changed: Partial<NewDraft>) => {
    const next = { ...draft, ...changed };
    setDraft(next);
    keepDraft(userId, next);
  };

  async function start(event?: FormEvent): Promise<void> {
    event?.preventDefault();
    if (!canStart || !project) return;
    const sealed = sealDraft({ ...draft, projectId: project.id }, () => crypto.randomUUID(), files);
    change(sealed);
    setError(null);
    setIsSending(true);
    try {
      const { data: session } = await service.sessions.create({
        project: project.id,
        content: sealed.text.trim(),
        ...(sealed.targetBranch === "" ? {} : { targetBranch: sealed.targetBranch }),
        ...(sealed.model === null ? {} : { model: sealed.model }),
        attachments: files,
        idempotencyKey: sealed.sent.key,
      });
      const text = withoutSent(readDraft(userId).text, sealed.text);
      const next = { ...emptyDraft, text, projectId: project.id, model: sealed.model };
      keepDraft(userId, next);
      setDraft(next);
      dropFiles(files);
      queryClient.setQueryData(["session", session.id], session);
      takeSession(session);
      // Who has left the inbox meanwhile stays where they are.
      if (field.current) await navigate({ to: "/s/$session", params: { session: session.id } });
    } catch (refusal) {
      setError(refusal);
    } finally {
      setIsSending(false);
    }
  }

  return (
    <form onSubmit={start} aria-label="New session">
      {project && <ProjectStep project={project} hasModel={hasModel} />}
      <DropArea onFiles={addFiles}>
        {files.length > 0 && (
          <div className="px-3 pt-3">
            <FileChips files={files} onRemove={removeFile} />
          </div>
        )}
        <textarea
          ref={field}
          value={draft.text}
          onChange={({ target }) => change({ text: target.value })}
          onKeyDown={(event) => {
            const isEnter = event.key === "Enter" && !event.nativeEvent.isComposing;
            if (isEnter && !event.shiftKey && matchMedia("(pointer: fine)").matches) start(event);
          }}
          onPaste={(event) => {
            const pasted = [...event.clipboardData.files];
            if (pasted.length === 0) return;
            event.preventDefault();
            addFiles(pasted);
          }}
          dir="auto"
          rows={2}
          placeholder="What should be done?"
          aria-label="What should be done?"
          enterKeyHint="enter"
          className="field-sizing-content block max-h-[40dvh] min-h-18 w-full resize-none bg-transparent px-4 pt-3 text-prose outline-none placeholder:text-quiet pointer-coarse:text-title"
        />
        {problem && (
          <p role="status" className="px-4 pb-1 text-amber-ink text-ui">
            <Name>{problem}</Name>
          </p>
        )}
        <div className="flex items-center gap-2 px-3 pt-1 pb-3 max-sm:flex-wrap">
          <FileButton onFiles={addFiles} />
          <Select
            aria-label="Project"
            className="max-w-56 max-sm:flex-1 max-sm:basis-2/5"
            value={project?.id ?? ""}
            onChange={({ target }) => change({ projectId: target.value, targetBranch: "" })}
          >
            <NamedOptions items={projects} />
          </Select>
          <Select
            aria-label="Model"
            className="max-w-48 max-sm:flex-1 max-sm:basis-2/5"
            value={draft.model ?? ""}
            onChange={({ target }) => change({ model: target.value || null })}
          >
            <option value="">Default model</option>
            <ModelOptions models={models} chosen={draft.model} access={access} />
          </Select>
          {project && (
            <span className="relative max-w-44 max-sm:flex-1 max-sm:basis-2/5" title="Target Branch">
              <GitBranch
                className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-quiet"
                aria-hidden="true"
              />
              <BranchInput
                key={project.id}
                aria-label="Target Branch"
                projectId={project.id}
                placeholder={project.targetBranch}
                value={draft.targetBranch}
                onValue={(targetBranch) => change({ targetBranch: targetBranch.trim() })}
                className="w-full pl-8!"
              />
            </span>
          )}
          <Button type="submit" kind="main" className="ml-auto" disabled={!canStart}>
            {isSending ? "Starting…" : "Start"} <ArrowUp className="size-4" aria-hidden="true" />
          </Button>
        </div>
        {error !== null && (
          <div className="px-3 pb-3">
            <StepRefusal
              error={error}
              workspaceId={project?.orgId}
              againLabel={isUnsure(draft, files) ? "Send the same again" : "Send"}
              onAgain={() => start()}
              onClose={() => setError(null)}
            />
            <p className="mt-2 text-meta text-quiet">
              Your text stays here. Sent again unchanged, it can create only one session.
            </p>
          </div>
        )}
      </DropArea>
    </form>
  );
}
