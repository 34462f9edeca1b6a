// The devices on which the person is notified, and the deletion of one.

import { useQuery } from "@tanstack/react-query";
import { service } from "../api.ts";
import { turnOffPush } from "../shell/push.ts";
import { Button } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Ago } from "../ui/time.tsx";
import { useAct } from "../ui/use-act.ts";
import { Name } from "../ui/visible-text.tsx";
import { devicesQuery, refreshDevices } from "./queries.ts";

const platforms = { ios: "Phone", watchos: "Watch", web: "Browser" };

export function Devices() {
  const { data: devices, error } = useQuery(devicesQuery);
  const { act, error: refusal, isBusy } = useAct();
  const remove = (id: string, isHere: boolean) =>
    act(() =>
      (isHere ? turnOffPush(id) : service.request("DELETE /api/push/devices", { body: { id } })).finally(
        refreshDevices,
      ),
    );

  return (
    <>
      {error !== null && <Refusal error={error} />}
      {refusal !== null && <Refusal error={refusal} />}
      {devices?.length === 0 && <p className="text-quiet">No device gets notifications. Turn them on above.</p>}
      <ul className="divide-y divide-line">
        {devices?.map(({ id, platform, label, createdAt, lastUsedAt, isCurrent }) => {
          const name = label ?? platforms[platform];
          const isHere = platform === "web" && isCurrent;
          return (
            <li key={id} className="flex items-center gap-3 py-2">
              <span className="min-w-0 flex-1">
                <Name className="block truncate font-medium" title={name}>
                  {name}
                </Name>
                <span className="flex flex-wrap gap-x-2 text-meta text-quiet">
                  <span>{isHere ? "This browser" : platforms[platform]}</span>
                  <span>
                    added <Ago at={createdAt} />
                  </span>
                  <span>
                    {lastUsedAt === null ? (
                      "not notified yet"
                    ) : (
                      <>
                        notified <Ago at={lastUsedAt} />
                      </>
                    )}
                  </span>
                </span>
              </span>
              <Button kind="bare" disabled={isBusy} onClick={() => remove(id, isHere)}>
                Remove<span className="sr-only"> {name}</span>
              </Button>
            </li>
          );
        })}
      </ul>
    </>
  );
}
