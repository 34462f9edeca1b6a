// The kinds of notifications, each with a switch.
import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { queryClient, service } from "../api.ts";
import { Refusal } from "../ui/refusal.tsx";
import { Switch } from "../ui/switch.tsx";
import { useAct } from "../ui/use-act.ts";
import { notificationsQuery } from "./queries.ts";

type Kind = keyof Schemas["NotificationSettings"]["kinds"];

const words: Record<Kind, [name: string, text: string]> = {
  job_awaiting_response: ["Questions", "An agent of yours waits for your answer."],
  job_failed: ["Failed turns", "A turn of a session of yours failed."],
  pr_checks_failed: ["Failed checks", "Checks of a pull request of yours failed."],
  cron_run_failed: ["Failed runs", "A run of a cron that you made failed."],
  webhook_disabled: ["Disabled webhooks", "A webhook of a workspace that you manage was disabled."],
};

export function NotificationKinds() {
  const { data, error } = useQuery(notificationsQuery);
  const { act, error: refusal, isBusy } = useAct();
  const turn = (kind: Kind, isOn: boolean) =>
    act(() =>
      service
        .request("PUT /api/user/notifications", { body: { kinds: { [kind]: isOn } } })
        .finally(() => queryClient.invalidateQueries({ queryKey: notificationsQuery.queryKey })),
    );

  return (
    <>
      {error !== null && <Refusal error={error} />}
      {refusal !== null && <Refusal error={refusal} />}
      <ul className="divide-y divide-line">
        {(Object.keys(words) as Kind[]).map((kind) => {
          const [name, text] = words[kind];
          return (
            <li key={kind} className="flex items-center gap-3 py-2">
              <span className="min-w-0 flex-1">
                <span className="block font-medium">{name}</span>
                <span className="block text-meta text-quiet">{text}</span>
              </span>
              <Switch
                label={name}
                isOn={data?.kinds[kind] ?? true}
                disabled={!data || isBusy}
                onChange={(isOn) => turn(kind, isOn)}
              />
            </li>
          );
        })}
      </ul>
    </>
  );
}
