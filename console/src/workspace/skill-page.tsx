// One skill with its files: a new one, one that is edited, or one that is read.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useState } from "react";
import { queryClient, service } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { useKeptText } from "../ui/kept-text.ts";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { useAct } from "../ui/use-act.ts";
import { skillQuery, skillsQuery } from "./queries.ts";
import { SkillFiles } from "./skill-files.tsx";
import { describeSkillRefusal, newSkill, parseFiles, type SkillFile } from "./skill-rules.ts";
import { useWorkspace } from "./use-workspace.ts";

export function SkillPage({ skillId }: { skillId: string }) {
  const { workspace, may } = useWorkspace();
  const isNew = skillId === "new";
  const { data: skill, error } = useQuery({ ...skillQuery(workspace.id, skillId), enabled: !isNew });
  const files = isNew ? newSkill : skill?.files;
  return (
    <>
      <Link
        to="/w/$workspace/skills"
        params={{ workspace: workspace.id }}
        search={{}}
        className="mt-6 -mb-2 inline-flex min-h-8 items-center gap-1.5 text-quiet hover:text-ink pointer-coarse:min-h-11"
      >
        <ArrowLeft className="size-4" aria-hidden="true" /> All skills
      </Link>
      <Section
        title={isNew ? "New skill" : (skill?.name ?? "Skill")}
        text={
          may("admin")
            ? "SKILL.md has its name and a description, by which agents choose it. Other files lie beside it."
            : "Owners and admins write the skills of the workspace."
        }
      >
        {error && <Refusal error={error} />}
        {files &&
          (may("admin") ? (
            <Editor workspaceId={workspace.id} skillId={isNew ? null : skillId} saved={files} />
          ) : (
            <SkillFiles files={files} onChange={null} />
          ))}
      </Section>
    </>
  );
}

interface EditorProps {
  workspaceId: string;
  /** Null for a new one. */
  skillId: string | null;
  saved: readonly SkillFile[];
}

function Editor({ workspaceId, skillId, saved }: EditorProps) {
  const [kept, keep] = useKeptText(`skill:${workspaceId}:${skillId ?? "new"}`);
  const { act, error, isBusy } = useAct();
  const navigate = useNavigate();
  const files = parseFiles(kept) ?? saved;
  const [sent, setSent] = useState(files);
  const isChanged = JSON.stringify(files) !== JSON.stringify(saved);

  function save(): void {
    setSent(files);
    act(async () => {
      const body = { files: [...files] };
      if (skillId === null)
        await service.request("POST /api/organizations/{workspaceId}/skills", { path: { workspaceId }, body });
      else {
        const path = { workspaceId, skillId };
        await service.request("PATCH /api/organizations/{workspaceId}/skills/{skillId}", { path, body });
        queryClient.removeQueries({ queryKey: skillQuery(workspaceId, skillId).queryKey });
      }
      keep("");
      queryClient.invalidateQueries({ queryKey: skillsQuery(workspaceId).queryKey });
      await navigate({ to: "/w/$workspace/skills", params: { workspace: workspaceId }, search: {} });
    });
  }

  return (
    <>
      <SkillFiles files={files} isSaving={isBusy} onChange={(next) => keep(JSON.stringify(next))} />
      {error !== null && (
        <div className="mt-4">
          <Refusal error={error} reword={(sentence) => describeSkillRefusal(sentence, sent)} />
        </div>
      )}
      <div className="mt-4 flex flex-wrap items-center gap-2">
        <Button kind="main" disabled={isBusy || !isChanged} onClick={save}>
          {isBusy ? "Saving…" : "Save the skill"}
        </Button>
        {isChanged && (
          <Button kind="bare" disabled={isBusy} onClick={() => keep("")}>
            Drop the changes
          </Button>
        )}
      </div>
    </>
  );
}
