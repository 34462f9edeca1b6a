// The public link of a preview: made, copied and revoked.
import { Popover } from "@base-ui/react/popover";
import { Share2 } from "lucide-react";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { TextInput } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Ago } from "../ui/time.tsx";
import { useFocusKept } from "../ui/use-focus-kept.ts";
import { type PreviewPath, useCreateShare, useRevokeShare, useShareLink } from "./queries.ts";

interface ShareProps {
  of: PreviewPath;
  /** On a phone, the icon is enough. */
  isShort?: boolean;
}

export function Share({ of, isShort = false }: ShareProps) {
  const { data: link, error } = useShareLink(of);
  const create = useCreateShare(of);
  const revoke = useRevokeShare(of);
  const focus = useFocusKept("li", (box) => box.querySelector("button"));
  const refusal = error ?? create.error ?? revoke.error;
  return (
    <Popover.Root>
      <Popover.Trigger render={<Button kind="bare" className="shrink-0" />}>
        <Share2 className="size-4" aria-hidden="true" />
        <span className={isShort ? "max-sm:sr-only" : ""}>{link ? "Shared" : "Share"}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end" className="z-40">
          <Popover.Popup
            {...focus}
            className="w-[min(22rem,calc(100vw-2rem))] rounded-card border border-line bg-panel p-4 shadow-xl"
            onKeyDown={(event) => event.key === "Escape" && event.stopPropagation()}
          >
            <Popover.Title className="font-bold text-title">Public link</Popover.Title>
            <Popover.Description className="mt-1 text-quiet text-ui">
              Anyone who has it sees the preview{of.sessionId !== undefined && " and the artifacts"}, without an
              account. Opening it wakes the preview.
            </Popover.Description>
            {link ? (
              <>
                <div className="mt-3 flex gap-2">
                  <TextInput
                    readOnly
                    aria-label="Public link"
                    value={link.url}
                    onFocus={(event) => event.target.select()}
                  />
                  <CopyButton kind="main" text={link.url} />
                </div>
                <p className="mt-2 text-meta text-quiet">
                  Made <Ago at={link.createdAt} />
                  {link.lastViewedAt ? (
                    <>
                      , opened <Ago at={link.lastViewedAt} />
                    </>
                  ) : (
                    ", not opened yet"
                  )}
                </p>
                <Button kind="danger" className="mt-3" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
                  {revoke.isPending ? "Revoking…" : "Revoke"}
                </Button>
              </>
            ) : (
              <Button kind="main" className="mt-3" disabled={create.isPending} onClick={() => create.mutate()}>
                {create.isPending ? "Making it…" : "Make a link"}
              </Button>
            )}
            {refusal ? (
              <div className="mt-3">
                <Refusal error={refusal} />
              </div>
            ) : null}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
