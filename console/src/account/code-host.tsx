// The connection to the account at the code host.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryClient, service } from "../api.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Name } from "../ui/visible-text.tsx";
import { codeHostQuery } from "./queries.ts";

export function CodeHost() {
  const { data: account, error } = useQuery(codeHostQuery);
  const [isAsking, setIsAsking] = useState(false);
  const [refusal, setRefusal] = useState<unknown>(null);

  async function disconnect(): Promise<void> {
    setIsAsking(false);
    setRefusal(null);
    try {
      await service.request("POST /api/auth/github/disconnect");
      queryClient.setQueryData(codeHostQuery.queryKey, { login: null, accountId: null });
    } catch (refused) {
      setRefusal(refused);
    }
  }

  const isConnected = account !== undefined && account.login !== null;
  return (
    <>
      <p role="status" className="mb-4 [overflow-wrap:anywhere]">
        {account?.login === null && "No account is connected."}
        {isConnected && (
          <>
            You are <Name className="font-medium">{account.login}</Name> there.
          </>
        )}
      </p>
      <div className="flex flex-wrap gap-2">
        <a className={buttonClass("quiet")} href="/api/auth/github/connect?returnTo=/account">
          {isConnected ? "Connect another account" : "Connect your account"}
        </a>
        {isConnected && (
          <Button kind="bare" onClick={() => setIsAsking(true)}>
            Disconnect
          </Button>
        )}
      </div>
      {(error ?? refusal) !== null && (
        <div className="mt-4">
          <Refusal error={error ?? refusal} />
        </div>
      )}
      <Confirm
        isOpen={isAsking}
        title={`Disconnect “${account?.login}”?`}
        word="Disconnect"
        kind="danger"
        onConfirm={disconnect}
        onClose={() => setIsAsking(false)}
      >
        You sign in with it too. Until you connect one again, you can add no project, and your commits do not have its
        name.
      </Confirm>
    </>
  );
}
