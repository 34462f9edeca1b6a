// Gives a webhook a new secret, which is shown once.
import { useState } from "react";
import { service } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Select } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { ShownOnce } from "../ui/shown-once.tsx";
import { Ago } from "../ui/time.tsx";
import { useAct } from "../ui/use-act.ts";

const spans: [hours: string, word: string][] = [
  ["24", "The old one works for another day"],
  ["168", "The old one works for another week"],
  ["0", "The old one stops immediately"],
];

export function WebhookSecret({ path }: { path: { workspaceId: string; webhookId: string } }) {
  const [hours, setHours] = useState("24");
  const [isAsking, setIsAsking] = useState(false);
  const [made, setMade] = useState<{ secret: string; previousUntil: string | null } | null>(null);
  const { act, error, isBusy } = useAct();

  function rotate(): void {
    setIsAsking(false);
    act(async () =>
      setMade(
        await service.request("POST /api/organizations/{workspaceId}/webhooks/{webhookId}/rotate-secret", {
          path,
          body: { keepHours: Number(hours) },
        }),
      ),
    );
  }

  return (
    <Section title="Secret" text="Your program verifies the signature of each request with it.">
      <div className="flex flex-wrap gap-2">
        <Select aria-label="The old secret" value={hours} onChange={({ target }) => setHours(target.value)}>
          {spans.map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </Select>
        <Button disabled={isBusy} onClick={() => setIsAsking(true)}>
          Make a new secret
        </Button>
      </div>
      {made && <ShownOnce noun="secret" text={made.secret} onDone={() => setMade(null)} />}
      {made?.previousUntil && (
        <p className="mt-2 text-meta text-quiet">
          The old one stops <Ago at={made.previousUntil} />.
        </p>
      )}
      {error !== null && (
        <div className="mt-4">
          <Refusal error={error} />
        </div>
      )}
      <Confirm
        isOpen={isAsking}
        title="Make a new secret?"
        word="Make a new secret"
        kind={hours === "0" ? "danger" : "main"}
        onConfirm={rotate}
        onClose={() => setIsAsking(false)}
      >
        {hours === "0"
          ? "Your program refuses deliveries until it has the new secret."
          : "Until the old one stops, deliveries are signed with both. Replace it in your program in that time."}
      </Confirm>
    </Section>
  );
}
