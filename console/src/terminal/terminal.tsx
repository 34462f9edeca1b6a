// Terminal: a shell in the session's sandbox. It opens by a button, because it wakes the sandbox.
import "@xterm/xterm/css/xterm.css";
import type { Session } from "@switchyard/client";
import { useRouter } from "@tanstack/react-router";
import { SquareTerminal } from "lucide-react";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { LiveSession } from "../session/live-session.ts";
import { Button } from "../ui/button.tsx";
import { useIsTouch } from "../ui/phone.ts";
import { KeyRow } from "./key-row.tsx";
import { findScreen, openScreen, type Screen } from "./screen.ts";

export function TerminalTab({ live }: { live: LiveSession }) {
  if (live.session === null) return <div aria-busy="true" className="h-full" />;
  const { status } = live.state?.session ?? live.session.data;
  if (status === "completed" || status === "archived" || status === "backlog")
    return (
      <p className="px-4 py-10 text-center text-quiet">
        {status === "backlog"
          ? "This session has not been started."
          : "This session has ended, and so has its terminal."}
      </p>
    );
  return <TerminalOf key={live.session.id} session={live.session} />;
}

const focusTab = () => document.getElementById("tab-terminal")?.focus();

function TerminalOf({ session }: { session: Session }) {
  const router = useRouter();
  const [screen, setScreen] = useState(() => findScreen(session.id));
  const start = () => {
    const opened = openScreen({ session, onLeave: focusTab });
    // The shell ends when the person leaves the session.
    const stop = router.subscribe("onResolved", ({ toLocation }) => {
      if (toLocation.pathname === `/s/${session.id}`) return;
      stop();
      if (findScreen(session.id) === opened) opened.close();
    });
    setScreen(opened);
  };
  const close = () => {
    screen?.close();
    setScreen(null);
    focusTab();
  };

  if (screen !== null) return <Shell screen={screen} onClose={close} />;
  return (
    <div className="mx-auto flex h-full max-w-sm flex-col items-center justify-center gap-4 px-4 text-center text-quiet">
      <SquareTerminal className="size-8" aria-hidden="true" />
      <p>
        A shell in this session’s sandbox, beside the agent. What it runs ends when you close it or leave the session.
        Programs of the agent can read what you type.
      </p>
      <Button kind="main" onClick={start}>
        Open a terminal
      </Button>
    </div>
  );
}

function Shell({ screen, onClose }: { screen: Screen; onClose(): void }) {
  const isTouch = useIsTouch();
  const host = useRef<HTMLDivElement>(null);
  const { phase, end } = useSyncExternalStore(screen.subscribe, screen.state);
  useEffect(() => {
    if (host.current === null) return;
    const isNew = screen.state().phase === "connecting";
    const hide = screen.show(host.current);
    // A terminal that is shown again does not take the focus from the tabs.
    if (isNew) screen.focus();
    return hide;
  }, [screen]);
  const reconnect = () => {
    screen.connect();
    screen.focus();
  };

  return (
    <div className="flex h-full flex-col">
      <div ref={host} className="min-h-0 flex-1 overflow-hidden px-2 pt-2" />
      {isTouch && phase === "open" && <KeyRow screen={screen} />}
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-line border-t px-3 py-1.5 text-meta text-quiet">
        <p role="status" className="min-w-0 flex-1 [overflow-wrap:anywhere]">
          {phase === "ended" && <span className="text-ink">{end}</span>}
          {phase === "connecting" && "The sandbox is waking, and the shell starts…"}
          {phase === "open" && (isTouch ? "Ctrl, then C, stops a command." : "Shift+Escape leaves the terminal.")}
        </p>
        {phase === "ended" && <Button onClick={reconnect}>Start a new shell</Button>}
        <Button kind="bare" aria-label="Close the terminal" title="End the shell and what it runs" onClick={onClose}>
          Close
        </Button>
      </div>
    </div>
  );
}
