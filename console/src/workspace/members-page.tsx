// The members of a workspace, and the invitations to it.
import { useQuery } from "@tanstack/react-query";
import { profileQuery } from "../shell/profile.ts";
import { useTitle } from "../shell/title.ts";
import { Button } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { Invitations } from "./invitations.tsx";
import { MemberRow } from "./member-row.tsx";
import { membersQuery } from "./queries.ts";
import { useWorkspace } from "./use-workspace.ts";

export function MembersPage() {
  const { workspace, may } = useWorkspace();
  useTitle(`Members · ${workspace.name}`);
  const { data: me } = useQuery(profileQuery);
  const { data: members, error, refetch } = useQuery(membersQuery(workspace.id));
  return (
    <>
      <Section
        title="Members"
        text={
          may("admin")
            ? "Admins change settings, members, credentials and keys. Members work with sessions and projects; they change nothing of the workspace."
            : "Owners and admins invite people, and change roles."
        }
      >
        {error && (
          <Refusal error={error}>
            <Button onClick={() => refetch()}>Try again</Button>
          </Refusal>
        )}
        <ul className="divide-y divide-line">
          {me &&
            members?.map((member) => (
              <MemberRow
                key={member.userId}
                workspace={workspace}
                member={member}
                me={{ userId: me.id, role: workspace.role }}
              />
            ))}
        </ul>
      </Section>
      {may("admin") && (
        <Section
          title="Invitations"
          text="Nobody gets a mail: send the link yourself. Only the person with the address can accept it, within 7 days."
        >
          <Invitations workspace={workspace} />
        </Section>
      )}
    </>
  );
}
