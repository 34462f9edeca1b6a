// The frame of every page: the rail with the sessions, and the page beside it. A visitor without a
// session of the browser sees the sign-in instead.
import { useQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { Suspense, useCallback, useEffect, useRef, useState } from "react";
import { isSignedOut } from "../api.ts";
import { SignInPage } from "../sign-in/page.tsx";
import { Button } from "../ui/button.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { copyOriginals } from "../ui/visible-text.tsx";
import { useLiveLists } from "./live-lists.ts";
import type { Overlay } from "./overlays.tsx";
import { profileQuery, useUserId } from "./profile.ts";
import { Rail } from "./rail.tsx";
import { followSignOut } from "./signed-out.ts";
import { Tabs } from "./tabs.tsx";
import { useShortcuts } from "./use-shortcuts.ts";

export function Frame() {
  const { data, error, refetch } = useQuery(profileQuery);
  if (isSignedOut(error)) return <SignInPage wasSignedIn={data !== undefined} error={error} />;
  // A read in the background that fails says nothing about what was read before.
  if (error && !data)
    return (
      <main className="mx-auto max-w-lg p-6">
        <Refusal error={error}>
          <Button onClick={() => refetch()}>Try again</Button>
        </Refusal>
      </main>
    );
  if (!data) return <div aria-busy="true" className="h-full" />;
  return <SignedIn />;
}

const Overlays = lazyPart(() => import("./overlays.tsx"), "Overlays");

/** Keeps the notifications that the person turned on in this browser. */
function useKeptPush(): void {
  const userId = useUserId();
  useEffect(() => {
    if (userId === null || !("Notification" in window) || Notification.permission !== "granted") return;
    // The next page tries again.
    import("./push.ts").then(({ keepPush }) => keepPush(userId)).catch(() => {});
  }, [userId]);
}

function SignedIn() {
  useLiveLists();
  const [overlay, setOverlay] = useState<Overlay>(null);
  // The palette is loaded when it is first opened, and stays.
  const wasOpened = useRef(false);
  wasOpened.current ||= overlay !== null;
  const openPalette = useCallback(() => setOverlay("palette"), []);
  const openHelp = useCallback(() => setOverlay("help"), []);
  useShortcuts({ openPalette, openHelp });
  useEffect(followSignOut, []);
  useEffect(() => {
    addEventListener("copy", copyOriginals);
    return () => removeEventListener("copy", copyOriginals);
  }, []);
  useKeptPush();
  return (
    <div className="flex h-full flex-col">
      <a
        href="#main"
        className="sr-only z-50 rounded-control bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:absolute focus:left-2 focus:top-2"
      >
        Skip to the page
      </a>
      <div className="flex min-h-0 flex-1">
        <Rail onFind={openPalette} onHelp={openHelp} />
        <div id="main" tabIndex={-1} className="min-w-0 flex-1">
          <Outlet />
        </div>
      </div>
      <Tabs />
      {wasOpened.current && (
        <Suspense fallback={null}>
          <Overlays overlay={overlay} onChange={setOverlay} />
        </Suspense>
      )}
    </div>
  );
}
