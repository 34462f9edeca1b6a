// The connection to the account at the code host.
import { useState } from "react";
import { service } from "../service.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Refusal } from "../ui/refusal.tsx";

export function CodeHost() {
  const [isAsking, setIsAsking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [isDone, setIsDone] = useState(false);

  async function disconnect(): Promise<void> {
    setIsAsking(false);
    setError(null);
    try {
      await service.request("POST /api/auth/github/disconnect");
      setIsDone(true);
    } catch (refusal) {
      setError(refusal);
    }
  }

  return (
    <>
      <div className="flex flex-wrap gap-2">
        <a className={buttonClass("quiet")} href="/api/auth/github/connect?returnTo=/account">
          Connect an account
        </a>
        <Button kind="bare" onClick={() => setIsAsking(true)} disabled={isDone}>
          Disconnect
        </Button>
      </div>
      <p role="status" className="mt-2 text-quiet empty:mt-0">
        {isDone ? "No account at the code host is connected now." : ""}
      </p>
      {error !== null && <Refusal error={error} />}
      <Confirm
        isOpen={isAsking}
        title="Disconnect your account?"
        word="Disconnect"
        kind="danger"
        onConfirm={disconnect}
        onClose={() => setIsAsking(false)}
      >
        You sign in with it too. Until you connect one again, you can add no project, and pull requests are not opened
        under your name.
      </Confirm>
    </>
  );
}
