// One delivery: its kind and its result, and on demand its body and every answer.
import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryClient, service } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Ago, formatDuration } from "../ui/time.tsx";
import { useAct } from "../ui/use-act.ts";
import { deliveryKey } from "./queries.ts";
import { StateDot } from "./state-dot.tsx";
import { describeDelivery, formatBody } from "./webhook-rules.ts";

interface DeliveryRowProps {
  path: { workspaceId: string; webhookId: string };
  delivery: Schemas["WebhookDeliveryRow"];
}

export function DeliveryRow({ path, delivery }: DeliveryRowProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <li className="py-2">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex w-full flex-wrap items-baseline gap-x-3 rounded-control py-1 text-left hover:bg-sunk pointer-coarse:min-h-11"
      >
        <span className="min-w-44 font-mono text-code">{delivery.type}</span>
        <span className="min-w-40 flex-1 text-meta">
          <StateDot {...describeDelivery(delivery)} />
        </span>
        <span className="text-meta text-quiet">
          <Ago at={delivery.createdAt} />
        </span>
      </button>
      {isOpen && <Whole path={{ ...path, deliveryId: delivery.id }} delivery={delivery} />}
    </li>
  );
}

interface WholeProps {
  path: DeliveryRowProps["path"] & { deliveryId: string };
  delivery: Schemas["WebhookDeliveryRow"];
}

const pre =
  "max-h-64 overflow-auto whitespace-pre-wrap rounded-control bg-sunk p-3 font-mono text-code [overflow-wrap:anywhere]";

function Whole({ path, delivery: { status, attempts, nextAttemptAt } }: WholeProps) {
  const { act, error, isBusy } = useAct();
  const { data, error: unread } = useQuery({
    // A delivery that changed in the list is read again.
    queryKey: deliveryKey(path.webhookId, path.deliveryId, status, attempts),
    queryFn: ({ signal }) =>
      service.request("GET /api/organizations/{workspaceId}/webhooks/{webhookId}/deliveries/{deliveryId}", {
        path,
        signal,
      }),
  });
  const resend = () =>
    act(async () => {
      const operation = "POST /api/organizations/{workspaceId}/webhooks/{webhookId}/deliveries/{deliveryId}/resend";
      await service.request(operation, { path });
      await queryClient.invalidateQueries({ queryKey: deliveryKey(path.webhookId) });
    });

  return (
    <div className="mt-2 space-y-3">
      {(unread ?? error) !== null && <Refusal error={unread ?? error} />}
      {data?.tried.map(({ at, milliseconds, status: answerStatus, error: reason, answer }) => (
        <div key={at}>
          <p className="text-meta text-quiet">
            <Ago at={at} /> · {answerStatus === null ? "no answer" : `answer ${answerStatus}`} after{" "}
            {milliseconds < 1_000 ? `${milliseconds} ms` : formatDuration(milliseconds)}
            {reason && <span className="text-red-ink"> · {reason}</span>}
          </p>
          {answer && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls takes the keys.
            <pre className={`mt-1 ${pre}`} tabIndex={0}>
              {answer}
            </pre>
          )}
        </div>
      ))}
      {nextAttemptAt && (
        <p className="text-meta text-quiet">
          The next attempt is <Ago at={nextAttemptAt} />.
        </p>
      )}
      {data && (
        <div>
          <p className="text-meta text-quiet">The body of every attempt</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls takes the keys. */}
          <pre className={`mt-1 ${pre}`} tabIndex={0}>
            {formatBody(data.body)}
          </pre>
        </div>
      )}
      <Button disabled={isBusy} onClick={resend}>
        Send it again
      </Button>
    </div>
  );
}
