// The list of webhooks, and the form of a new one. Its secret is shown once.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChevronRight, Plus } from "lucide-react";
import { useRef, useState } from "react";
import { queryClient, service } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { readKeptText } from "../ui/kept-text.ts";
import { Refusal } from "../ui/refusal.tsx";
import { ShownOnce } from "../ui/shown-once.tsx";
import { Name } from "../ui/visible-text.tsx";
import { webhooksQuery } from "./queries.ts";
import { StateDot } from "./state-dot.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import { describePatterns, describeState, describeWaiting, type WebhookFields } from "./webhook-rules.ts";

const emptyWebhook: WebhookFields = { url: "", name: "", events: ["*"], projects: null, includeText: false };

export function WebhookList({ workspaceId }: { workspaceId: string }) {
  const query = webhooksQuery(workspaceId);
  const { data: webhooks, error } = useQuery(query);
  const keptAs = `new-webhook:${workspaceId}`;
  // A form that was left half typed is open again.
  const [isMaking, setIsMaking] = useState(() => readKeptText(keptAs) !== "");
  const [secret, setSecret] = useState<string | null>(null);
  const sent = useRef({ body: "", key: "" });

  async function make(body: WebhookFields): Promise<void> {
    // The same fields make one webhook only, also after a connection that broke.
    const text = JSON.stringify(body);
    if (sent.current.body !== text) sent.current = { body: text, key: crypto.randomUUID() };
    const made = await service.request("POST /api/organizations/{workspaceId}/webhooks", {
      path: { workspaceId },
      body,
      idempotencyKey: sent.current.key,
    });
    sent.current = { body: "", key: "" };
    setSecret(made.secret);
    setIsMaking(false);
    await queryClient.invalidateQueries({ queryKey: query.queryKey });
  }

  return (
    <>
      {error && <Refusal error={error} />}
      {secret !== null && <ShownOnce noun="secret" text={secret} onDone={() => setSecret(null)} />}
      {webhooks?.length === 0 && !isMaking && (
        <p className="text-quiet">There are no webhooks. Add one to get events in a program of yours.</p>
      )}
      <ul className="divide-y divide-line">
        {webhooks?.map((webhook) => (
          <li key={webhook.id}>
            <Link
              to="/w/$workspace/webhooks"
              params={{ workspace: workspaceId }}
              search={{ webhook: webhook.id }}
              className="flex items-center gap-3 py-3 hover:text-accent"
            >
              <span className="min-w-0 flex-1">
                <Name className="block truncate font-medium">{webhook.name || webhook.url}</Name>
                {webhook.name !== "" && <span className="block truncate text-meta text-quiet">{webhook.url}</span>}
                <span className="block truncate text-meta text-quiet">{describePatterns(webhook.events)}</span>
                <span className="block text-meta">
                  <StateDot {...describeState(webhook)} />
                  {webhook.waiting > 0 && <span className="text-quiet"> · {describeWaiting(webhook.waiting)}</span>}
                </span>
              </span>
              <ChevronRight className="size-4 shrink-0 text-quiet" aria-hidden="true" />
            </Link>
          </li>
        ))}
      </ul>
      {isMaking ? (
        <div className="mt-4">
          <WebhookForm
            keptAs={keptAs}
            workspaceId={workspaceId}
            saved={emptyWebhook}
            word="Add the webhook"
            onSave={make}
            onCancel={() => setIsMaking(false)}
          />
        </div>
      ) : (
        <Button className="mt-4" onClick={() => setIsMaking(true)}>
          <Plus className="size-4" aria-hidden="true" /> New webhook
        </Button>
      )}
    </>
  );
}
