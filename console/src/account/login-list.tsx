// The logins of a provider in the order in which they are used. A move is shown before the service
// has made it, and taken back if it is refused.
import { useState } from "react";
import { queryClient, service } from "../api.ts";
import { Confirm } from "../ui/confirm.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { LoginRow } from "./login-row.tsx";
import { type Login, moveLogin, type ProviderId, withOrder } from "./logins.ts";
import { refreshSubscriptions, subscriptionsQuery } from "./queries.ts";

interface LoginListProps {
  provider: ProviderId;
  logins: readonly Login[];
  /** Puts another key in the place of a login; null where its account signs in. */
  onReplace: ((login: Login) => void) | null;
}

export function LoginList({ provider, logins, onReplace }: LoginListProps) {
  const [removing, setRemoving] = useState<Login | null>(null);
  const [refusal, setRefusal] = useState<unknown>(null);
  const { queryKey } = subscriptionsQuery;

  async function move(id: string, step: -1 | 1, onShown: () => void): Promise<void> {
    const moved = moveLogin(logins, id, step);
    if (moved === logins) return;
    setRefusal(null);
    // A read in progress has the order from before.
    await queryClient.cancelQueries({ queryKey });
    queryClient.setQueryData(queryKey, (all) => {
      const held = all?.[provider];
      return all && held ? { ...all, [provider]: { ...held, logins: withOrder(moved) } } : all;
    });
    requestAnimationFrame(onShown);
    try {
      const ids = moved.map((login) => login.id);
      await service.request("PUT /api/user/subscriptions/{provider}/logins/order", {
        path: { provider },
        body: { ids },
      });
    } catch (refused) {
      setRefusal(refused);
    }
    await refreshSubscriptions();
  }

  async function remove({ id }: Login): Promise<void> {
    setRemoving(null);
    setRefusal(null);
    try {
      const path = { provider, loginId: id };
      await service.request("DELETE /api/user/subscriptions/{provider}/logins/{loginId}", { path });
    } catch (refused) {
      setRefusal(refused);
    }
    await refreshSubscriptions();
  }

  return (
    <>
      <ol className={logins.length > 0 ? "mb-4 divide-y divide-line border-line border-y" : ""}>
        {logins.map((login, at) => (
          <LoginRow
            key={login.id}
            provider={provider}
            login={login}
            at={at}
            last={logins.length - 1}
            onMove={(step, onShown) => move(login.id, step, onShown)}
            onReplace={onReplace && (() => onReplace(login))}
            onRemove={() => setRemoving(login)}
          />
        ))}
      </ol>
      {refusal !== null && (
        <div className="mb-4">
          <Refusal error={refusal} />
        </div>
      )}
      <Confirm
        isOpen={removing !== null}
        title={`Remove “${removing?.label}”?`}
        word="Remove"
        kind="danger"
        onConfirm={() => removing && remove(removing)}
        onClose={() => setRemoving(null)}
      >
        {logins.length > 1
          ? "Turns that use it switch to the next login at their next call."
          : "Turns that use it end. Your sessions then use the workspace's credentials."}
      </Confirm>
    </>
  );
}
