// The general settings of a workspace: its names, time zone, default model and logo, and how a
// person leaves or deletes it.
import { Link } from "@tanstack/react-router";
import { useTitle } from "../shell/title.ts";
import { buttonClass } from "../ui/button.tsx";
import { Section } from "../ui/section.tsx";
import { DeleteWorkspace } from "./delete-workspace.tsx";
import { GeneralForm } from "./general-form.tsx";
import { LeaveButton } from "./leave-button.tsx";
import { LogoForm } from "./logo-form.tsx";
import { useWorkspace } from "./use-workspace.ts";

export function GeneralPage() {
  const { workspace, may } = useWorkspace();
  useTitle(workspace.name);
  return (
    <>
      <Section
        title="General"
        text={
          may("admin")
            ? "The workspace's name, and the defaults of its sessions."
            : "Owners and admins change these settings."
        }
      >
        <GeneralForm key={workspace.id} workspace={workspace} isReadOnly={!may("admin")} />
      </Section>
      {may("admin") && (
        <Section title="Logo" text="A square picture is best: PNG, JPEG or WebP, up to 1 MiB.">
          <LogoForm workspace={workspace} />
        </Section>
      )}
      {workspace.role === "owner" ? (
        <Section title="Leave" text="The owner cannot leave. Make another member the owner first.">
          <Link to="/w/$workspace/members" params={{ workspace: workspace.id }} className={buttonClass()}>
            Choose a member
          </Link>
        </Section>
      ) : (
        <Section title="Leave" text="You lose access with your next request. What you made stays in the workspace.">
          <LeaveButton workspace={workspace} />
        </Section>
      )}
      {may("owner") && (
        <Section
          title="Delete"
          text="Deletes the workspace with its projects and sessions, for everybody. Nobody can restore it."
        >
          <DeleteWorkspace workspace={workspace} />
        </Section>
      )}
    </>
  );
}
