// A login: its account or key, whether it is in use, how much of it is used, and its place.

import { ArrowDown, ArrowUp, type LucideIcon } from "lucide-react";
import { type KeyboardEvent, useRef } from "react";
import { Button } from "../ui/button.tsx";
import { Ago } from "../ui/time.tsx";
import { Name } from "../ui/visible-text.tsx";
import { describeStatus, type Login, type ProviderId, type Tone } from "./logins.ts";
import { UsageWindows } from "./usage-windows.tsx";

interface LoginRowProps {
  provider: ProviderId;
  login: Login;
  at: number;
  last: number;
  /** `onShown` is called once the row is at its new place. */
  onMove: (step: -1 | 1, onShown: () => void) => void;
  onReplace: (() => void) | null;
  onRemove: () => void;
}

const tones: Record<Tone, string> = {
  good: "text-green-ink",
  quiet: "text-quiet",
  asks: "text-amber-ink",
  bad: "text-red-ink",
};

export function LoginRow({ provider, login, at, last, onMove, onReplace, onRemove }: LoginRowProps) {
  const row = useRef<HTMLLIElement>(null);
  const [word, tone] = describeStatus(login);

  function move(step: -1 | 1): void {
    if (at + step < 0 || at + step > last) return;
    onMove(step, () => row.current?.focus());
  }

  function press(event: KeyboardEvent): void {
    if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    move(event.key === "ArrowUp" ? -1 : 1);
  }

  return (
    <li ref={row} tabIndex={-1} className="py-3 focus:bg-sunk" onKeyDown={press}>
      <div className="flex flex-wrap items-start justify-end gap-x-2">
        <div className="min-w-0 flex-1 basis-56">
          <p className="font-medium [overflow-wrap:anywhere]">
            <Name>{onReplace ? `…${login.label}` : login.label}</Name>
          </p>
          <p className="flex flex-wrap gap-x-2 text-meta text-quiet">
            <span className={tones[tone]}>
              {word}
              {login.exhaustedUntil !== null && (
                <>
                  , free again <Ago at={login.exhaustedUntil} />
                </>
              )}
            </span>
            <span>
              connected <Ago at={login.authenticatedAt} />
            </span>
          </p>
        </div>
        <div className="flex flex-wrap justify-end">
          {last > 0 && (
            <>
              <Move
                label={`Move ${login.label} up`}
                keys="⌥↑"
                Icon={ArrowUp}
                isEnd={at === 0}
                onClick={() => move(-1)}
              />
              <Move
                label={`Move ${login.label} down`}
                keys="⌥↓"
                Icon={ArrowDown}
                isEnd={at === last}
                onClick={() => move(1)}
              />
            </>
          )}
          {onReplace && (
            <Button kind="bare" onClick={onReplace}>
              Replace<span className="sr-only"> {login.label}</span>
            </Button>
          )}
          <Button kind="bare" onClick={onRemove}>
            Remove<span className="sr-only"> {login.label}</span>
          </Button>
        </div>
      </div>
      {!login.needsReauth && <UsageWindows provider={provider} loginId={login.id} />}
    </li>
  );
}

interface MoveProps {
  label: string;
  keys: string;
  Icon: LucideIcon;
  isEnd: boolean;
  onClick: () => void;
}

function Move({ label, keys, Icon, isEnd, onClick }: MoveProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={`${label} (${keys})`}
      disabled={isEnd}
      className="grid size-8 place-items-center rounded-control text-quiet hover:bg-sunk hover:text-ink disabled:opacity-30 pointer-coarse:size-11"
      onClick={onClick}
    >
      <Icon className="size-4" aria-hidden="true" />
    </button>
  );
}
