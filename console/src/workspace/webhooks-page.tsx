// The webhooks of a workspace: the list of them, or one of them by the address of the page.
import { useSearch } from "@tanstack/react-router";
import { useTitle } from "../shell/title.ts";
import { Section } from "../ui/section.tsx";
import { ForAdmins } from "./for-admins.tsx";
import { useWorkspace } from "./use-workspace.ts";
import { WebhookDetail } from "./webhook-detail.tsx";
import { WebhookList } from "./webhook-list.tsx";

const text = "An address of yours gets a signed request for everything that happens here.";

export function WebhooksPage() {
  const { workspace, may } = useWorkspace();
  const { webhook } = useSearch({ from: "/w/$workspace/webhooks" });
  useTitle(`Webhooks · ${workspace.name}`);
  if (may("admin") && webhook !== undefined)
    return <WebhookDetail key={webhook} workspaceId={workspace.id} webhookId={webhook} />;
  return (
    <Section title="Webhooks" text={text}>
      <ForAdmins>
        <WebhookList workspaceId={workspace.id} />
      </ForAdmins>
    </Section>
  );
}
