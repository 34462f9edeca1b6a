// A skill: what it does, whether it is on, its editor, and its end.

import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { service } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Switch } from "../ui/switch.tsx";
import { Name, VisibleText } from "../ui/visible-text.tsx";
import { refreshSkills, skillQuery } from "./queries.ts";
import { SkillEditor } from "./skill-editor.tsx";
import type { SkillFile } from "./skill-files.ts";

export function SkillRow({ skill }: { skill: Schemas["PersonalSkill"] }) {
  const { id, name, description, enabled, fileCount, replaces } = skill;
  const [isEditing, setIsEditing] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [refusal, setRefusal] = useState<unknown>(null);
  const path = { skillId: id };

  async function act(doIt: () => Promise<unknown>): Promise<void> {
    setIsAsking(false);
    setRefusal(null);
    setIsBusy(true);
    await doIt().catch(setRefusal);
    await refreshSkills();
    setIsBusy(false);
  }

  async function save(files: SkillFile[]): Promise<void> {
    await service.request("PATCH /api/user/skills/{skillId}", { path, body: { files } });
    await refreshSkills();
    setIsEditing(false);
  }

  return (
    <li className="py-3">
      <div className="flex flex-wrap items-start justify-end gap-x-2">
        <div className="min-w-0 flex-1 basis-56">
          <p className="font-medium font-mono text-code [overflow-wrap:anywhere]">/{name}</p>
          <p className="[overflow-wrap:anywhere]" dir="auto">
            <VisibleText>{description}</VisibleText>
          </p>
          <p className="flex flex-wrap gap-x-2 text-meta text-quiet">
            <span>{fileCount === 1 ? "1 file" : `${fileCount} files`}</span>
            {replaces.length > 0 && (
              <span>
                in place of the skill of <Name>{replaces.map(({ workspaceName }) => workspaceName).join(", ")}</Name>
              </span>
            )}
          </p>
        </div>
        <div className="flex flex-wrap items-center justify-end">
          <Switch
            label={`${name} is on`}
            isOn={enabled}
            disabled={isBusy}
            onChange={(isOn) =>
              act(() => service.request("PATCH /api/user/skills/{skillId}", { path, body: { enabled: isOn } }))
            }
          />
          <Button kind="bare" disabled={isEditing} onClick={() => setIsEditing(true)}>
            Edit<span className="sr-only"> {name}</span>
          </Button>
          <Button kind="bare" disabled={isBusy} onClick={() => setIsAsking(true)}>
            Delete<span className="sr-only"> {name}</span>
          </Button>
        </div>
      </div>
      {refusal !== null && (
        <div className="mt-2">
          <Refusal error={refusal} />
        </div>
      )}
      {isEditing && <OpenedSkill id={id} onSave={save} onClose={() => setIsEditing(false)} />}
      <Confirm
        isOpen={isAsking}
        title={`Delete “${name}”?`}
        word="Delete"
        kind="danger"
        onConfirm={() => act(() => service.request("DELETE /api/user/skills/{skillId}", { path }))}
        onClose={() => setIsAsking(false)}
      >
        Its files are deleted. Sessions drop it at their next turn.
      </Confirm>
    </li>
  );
}

interface OpenedSkillProps {
  id: string;
  onSave: (files: SkillFile[]) => Promise<void>;
  onClose: () => void;
}

function OpenedSkill({ id, onSave, onClose }: OpenedSkillProps) {
  const { data: skill, error, refetch } = useQuery(skillQuery(id));
  if (error !== null && !skill)
    return (
      <div className="mt-2">
        <Refusal error={error}>
          <Button onClick={() => refetch()}>Try again</Button>
        </Refusal>
      </div>
    );
  return (
    <div className="mt-3 min-h-96">
      {skill && (
        <SkillEditor
          keptAs={`skill ${id}`}
          files={skill.files}
          word="Save the changes"
          onSave={onSave}
          onClose={onClose}
        />
      )}
    </div>
  );
}
