// The skills of a workspace: the list of them, or one of them by the address of the page.

import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { queryClient, service } from "../api.ts";
import { useTitle } from "../shell/title.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { useAct } from "../ui/use-act.ts";
import { VisibleText } from "../ui/visible-text.tsx";
import { CheckBox } from "./check-box.tsx";
import { skillsQuery } from "./queries.ts";
import { SkillPage } from "./skill-page.tsx";
import { useWorkspace } from "./use-workspace.ts";

export function SkillsPage() {
  const { workspace, may } = useWorkspace();
  const { skill } = useSearch({ from: "/w/$workspace/skills" });
  useTitle(`Skills · ${workspace.name}`);
  const mayChange = may("admin");
  if (skill !== undefined) return <SkillPage key={skill} skillId={skill} />;
  return (
    <Section
      title="Skills"
      text={
        mayChange
          ? "Instructions that every session of the workspace can run by name."
          : "Instructions that every session of the workspace can run by name. Owners and admins write them."
      }
    >
      <SkillList workspaceId={workspace.id} mayChange={mayChange} />
    </Section>
  );
}

function SkillList({ workspaceId, mayChange }: { workspaceId: string; mayChange: boolean }) {
  const query = skillsQuery(workspaceId);
  const { data: skills, error: unread } = useQuery(query);
  const { act, error, isBusy } = useAct();
  const [deleting, setDeleting] = useState<{ id: string; name: string } | null>(null);

  function change(make: () => Promise<unknown>): void {
    setDeleting(null);
    act(async () => {
      await make();
      await queryClient.invalidateQueries({ queryKey: query.queryKey });
    });
  }

  const toggle = (skillId: string, enabled: boolean) =>
    change(() =>
      service.request("PATCH /api/organizations/{workspaceId}/skills/{skillId}", {
        path: { workspaceId, skillId },
        body: { enabled },
      }),
    );
  const remove = (skillId: string) =>
    change(() =>
      service.request("DELETE /api/organizations/{workspaceId}/skills/{skillId}", { path: { workspaceId, skillId } }),
    );

  return (
    <>
      {[unread, error].map(
        (one, index) =>
          one !== null && (
            // biome-ignore lint/suspicious/noArrayIndexKey: there are always these two.
            <div key={index} className="mb-4">
              <Refusal error={one} />
            </div>
          ),
      )}
      {skills?.length === 0 && (
        <p className="text-quiet">
          There are no skills.{" "}
          {mayChange && "Write one for what your team explains again and again, such as how a release is made."}
        </p>
      )}
      <ul className="divide-y divide-line">
        {skills?.map(({ id, name, description, enabled, fileCount }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-3">
            <span className="min-w-48 flex-1">
              <Link
                to="/w/$workspace/skills"
                params={{ workspace: workspaceId }}
                search={{ skill: id }}
                className="font-medium font-mono text-code [overflow-wrap:anywhere] hover:text-accent"
              >
                /{name}
              </Link>
              <span className="line-clamp-2 text-quiet [overflow-wrap:anywhere]" dir="auto">
                <VisibleText>{description}</VisibleText>
              </span>
              <span className="text-meta text-quiet">
                {fileCount === 1 ? "1 file" : `${fileCount} files`}
                {!mayChange && !enabled && " · off"}
              </span>
            </span>
            {mayChange && (
              <>
                <CheckBox isChecked={enabled} isDisabled={isBusy} onChange={(isOn) => toggle(id, isOn)}>
                  <span aria-hidden="true">On</span>
                  <span className="sr-only">{name} is on</span>
                </CheckBox>
                <Button kind="bare" disabled={isBusy} onClick={() => setDeleting({ id, name })}>
                  Delete<span className="sr-only"> {name}</span>
                </Button>
              </>
            )}
          </li>
        ))}
      </ul>
      {mayChange && (
        <Link
          to="/w/$workspace/skills"
          params={{ workspace: workspaceId }}
          search={{ skill: "new" }}
          className={`${buttonClass()} mt-4`}
        >
          <Plus className="size-4" aria-hidden="true" /> New skill
        </Link>
      )}
      <Confirm
        isOpen={deleting !== null}
        title={`Delete “${deleting?.name}”?`}
        word="Delete"
        kind="danger"
        onConfirm={() => deleting && remove(deleting.id)}
        onClose={() => setDeleting(null)}
      >
        Sessions drop it at their next turn. Nobody can restore its files.
      </Confirm>
    </>
  );
}
