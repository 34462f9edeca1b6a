// Whether the page follows a chat. While a browser follows a chat, its sandbox does not pause.
import type { Schemas } from "@switchyard/client";
import { useEffect, useState } from "react";
import { isBusy, phaseOf } from "../composer/send-rules.ts";
import { useIsWatched } from "../ui/use-watched.ts";

// A page may be in sight while nobody is there.
const untouchedMs = 60 * 60_000;
/** Signs of a person. The frame of a preview has its own, and takes the focus from the page. */
const signs = ["pointermove", "pointerdown", "wheel", "keydown", "focus", "blur"];

/** False when nobody has touched the page for an hour. */
function useIsTouched(): boolean {
  const [isTouched, setIsTouched] = useState(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const touch = () => {
      clearTimeout(timer);
      timer = setTimeout(() => setIsTouched(false), untouchedMs);
      setIsTouched(true);
    };
    touch();
    for (const sign of signs) addEventListener(sign, touch, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const sign of signs) removeEventListener(sign, touch);
    };
  }, []);
  return isTouched;
}

/** True while the page is in sight, and its newest turn works or somebody uses the page. */
export function useIsFollowed(newest: { status: Schemas["JobStatus"] } | null): boolean {
  const isWatched = useIsWatched();
  const isTouched = useIsTouched();
  return isWatched && (isTouched || isBusy(phaseOf(newest)));
}
