// What was sent to a webhook and what waits: a test, the log, and what failed sent again.
import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { queryClient, service } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Select } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { useAct } from "../ui/use-act.ts";
import { DeliveryRow } from "./delivery-row.tsx";
import { deliveryKey, webhooksQuery } from "./queries.ts";
import { usePages } from "./use-pages.ts";
import { describeDelivery, describeSentAgain } from "./webhook-rules.ts";

const statuses = ["waiting", "succeeded", "failed", "dropped"] as const;
type Status = (typeof statuses)[number];

const hourMs = 3_600_000;
const spans: [hours: string, word: string][] = [
  ["1", "of the last hour"],
  ["24", "of the last day"],
  ["72", "of the last 3 days"],
  ["720", "of the last 30 days"],
];

interface DeliveriesProps {
  path: { workspaceId: string; webhookId: string };
  isOff: boolean;
}

export function Deliveries({ path, isOff }: DeliveriesProps) {
  const [status, setStatus] = useState<Status | "">("");
  const [hours, setHours] = useState("24");
  const [said, setSaid] = useState<string | null>(null);
  const { act, error, isBusy } = useAct();
  const {
    items,
    error: unread,
    hasOlder,
    isReading,
    readOlder,
    refetch,
  } = usePages({
    queryKey: deliveryKey(path.webhookId, "list", status),
    size: 20,
    open: () =>
      service.pages("GET /api/organizations/{workspaceId}/webhooks/{webhookId}/deliveries", {
        path,
        query: { pageSize: 20, ...(status === "" ? {} : { status }) },
      }),
    isChanging: (rows) => rows.some((one) => one.status === "waiting"),
  });

  function send(doIt: () => Promise<string>): void {
    setSaid(null);
    act(async () => {
      setSaid(await doIt());
      queryClient.invalidateQueries({ queryKey: deliveryKey(path.webhookId) });
      await queryClient.invalidateQueries({ queryKey: webhooksQuery(path.workspaceId).queryKey });
    });
  }

  const test = () =>
    send(async () => {
      const { delivery } = await service.request("POST /api/organizations/{workspaceId}/webhooks/{webhookId}/test", {
        path,
      });
      return `The test: ${describeDelivery(delivery).word}.`;
    });
  const recover = () =>
    send(async () => {
      const since = new Date(Date.now() - Number(hours) * hourMs).toISOString();
      const operation = "POST /api/organizations/{workspaceId}/webhooks/{webhookId}/recover";
      const { count } = await service.request(operation, { path, body: { since } });
      return describeSentAgain(count);
    });

  return (
    <Section title="Deliveries" text="The log has the last 30 days. A delivery is tried ten times in about three days.">
      <div className="flex flex-wrap gap-2">
        <Select
          aria-label="Which deliveries"
          value={status}
          onChange={({ target }) => setStatus(target.value as Status | "")}
        >
          <option value="">All</option>
          {statuses.map((one) => (
            <option key={one} value={one}>
              {one[0]?.toUpperCase() + one.slice(1)}
            </option>
          ))}
        </Select>
        <Button aria-label="Read the log again" onClick={() => refetch()}>
          <RefreshCw className="size-4" aria-hidden="true" />
        </Button>
        <Button disabled={isBusy || isOff} onClick={test}>
          Send a test
        </Button>
      </div>
      <p role="status" className={said === null ? "" : "mt-3"}>
        {said}
      </p>
      {[unread, error].map(
        (one, index) =>
          one !== null && (
            // biome-ignore lint/suspicious/noArrayIndexKey: there are always these two.
            <div key={index} className="mt-4">
              <Refusal error={one} />
            </div>
          ),
      )}
      {items?.length === 0 && (
        <p className="mt-4 text-quiet">
          {status === "" ? "Nothing was sent. Send a test to try the address." : "There are none."}
        </p>
      )}
      <ul className="mt-2 divide-y divide-line">
        {items?.map((delivery) => (
          <DeliveryRow key={delivery.id} path={path} delivery={delivery} />
        ))}
      </ul>
      {hasOlder && (
        <Button className="mt-2" disabled={isReading} onClick={readOlder}>
          {isReading ? "Reading…" : "Older"}
        </Button>
      )}
      <div className="mt-4 flex flex-wrap items-center gap-2 border-line border-t pt-4">
        <span>Send again what failed or was dropped</span>
        <Select aria-label="Since when" value={hours} onChange={({ target }) => setHours(target.value)}>
          {spans.map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </Select>
        <Button disabled={isBusy || isOff} onClick={recover}>
          Send again
        </Button>
        {isOff && <span className="text-meta text-quiet">Enable the webhook first.</span>}
      </div>
    </Section>
  );
}
