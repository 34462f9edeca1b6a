// One webhook: its state, its deliveries, its fields, its secret, and its deletion.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useState } from "react";
import { queryClient, service } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { Ago } from "../ui/time.tsx";
import { useAct } from "../ui/use-act.ts";
import { Deliveries } from "./deliveries.tsx";
import { deliveryKey, webhooksQuery } from "./queries.ts";
import { StateDot } from "./state-dot.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import { describePatterns, describeState, describeWaiting, type WebhookFields } from "./webhook-rules.ts";
import { WebhookSecret } from "./webhook-secret.tsx";

export function WebhookDetail({ workspaceId, webhookId }: { workspaceId: string; webhookId: string }) {
  const query = webhooksQuery(workspaceId);
  const { data: webhooks, error: unread } = useQuery(query);
  const webhook = webhooks?.find(({ id }) => id === webhookId);
  const navigate = useNavigate();
  const { act, error, isBusy } = useAct();
  const [isAsking, setIsAsking] = useState(false);
  const path = { workspaceId, webhookId };
  const refresh = () => {
    queryClient.invalidateQueries({ queryKey: deliveryKey(webhookId) });
    return queryClient.invalidateQueries({ queryKey: query.queryKey });
  };

  async function change(body: Partial<WebhookFields> & { enabled?: boolean }): Promise<void> {
    await service.request("PATCH /api/organizations/{workspaceId}/webhooks/{webhookId}", { path, body });
    await refresh();
  }

  function remove(): void {
    setIsAsking(false);
    act(async () => {
      await service.request("DELETE /api/organizations/{workspaceId}/webhooks/{webhookId}", { path });
      await refresh();
      await navigate({ to: "/w/$workspace/webhooks", params: { workspace: workspaceId }, search: {} });
    });
  }

  const back = (
    <Link
      to="/w/$workspace/webhooks"
      params={{ workspace: workspaceId }}
      search={{}}
      className="-mb-2 mt-6 inline-flex min-h-8 items-center gap-1.5 text-quiet hover:text-ink pointer-coarse:min-h-11"
    >
      <ArrowLeft className="size-4" aria-hidden="true" /> All webhooks
    </Link>
  );
  if (!webhook)
    return (
      <>
        {back}
        <Section title="Webhook" text={webhooks ? "There is no such webhook. It may have been deleted." : "Reading…"}>
          {unread && <Refusal error={unread} />}
        </Section>
      </>
    );
  const isOff = webhook.status === "disabled";
  const name = webhook.name || new URL(webhook.url).host;
  return (
    <>
      {back}
      <Section
        title={name}
        text={
          <>
            <StateDot {...describeState(webhook)} />
            {webhook.lastDeliveredAt && (
              <>
                {" "}
                · last success <Ago at={webhook.lastDeliveredAt} />
              </>
            )}
            {webhook.lastFailedAt && (
              <>
                {" "}
                · last failure <Ago at={webhook.lastFailedAt} />
              </>
            )}
            {webhook.waiting > 0 && <> · {describeWaiting(webhook.waiting)}</>}
          </>
        }
      >
        <p className="text-quiet [overflow-wrap:anywhere]">{webhook.url}</p>
        <p className="mb-4 text-quiet">{describePatterns(webhook.events)}</p>
        <div className="flex flex-wrap gap-2">
          <Button disabled={isBusy} onClick={() => act(() => change({ enabled: isOff }))}>
            {isOff ? "Enable" : "Disable"}
          </Button>
          <Button kind="danger" disabled={isBusy} onClick={() => setIsAsking(true)}>
            Delete
          </Button>
        </div>
        {error !== null && (
          <div className="mt-4">
            <Refusal error={error} />
          </div>
        )}
      </Section>
      <Deliveries path={path} isOff={isOff} />
      <Section title="Settings" text="A change applies from the next event.">
        <WebhookForm
          keptAs={`webhook:${webhookId}`}
          workspaceId={workspaceId}
          saved={webhook}
          word="Save"
          onSave={(_, changed) => change(changed)}
        />
      </Section>
      <WebhookSecret path={path} />
      <Confirm
        isOpen={isAsking}
        title={`Delete “${name}”?`}
        word="Delete"
        kind="danger"
        onConfirm={remove}
        onClose={() => setIsAsking(false)}
      >
        Its log is deleted, too. Waiting deliveries are not sent.
      </Confirm>
    </>
  );
}
