// Whether the page is looked at. A page that is out of sight for a while gives its lines back: a
// browser has six of them for all of its tabs where the service speaks HTTP/1.1.
import { useEffect, useState } from "react";

const hiddenMs = 30_000;
/** A tab that was opened in the background has read what it shows by then. */
const neverSeenMs = 5_000;

/** False when the page has been out of sight for a while. */
export function useIsWatched(): boolean {
  const [isWatched, setIsWatched] = useState(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let wasSeen = false;
    const look = () => {
      clearTimeout(timer);
      if (document.visibilityState === "visible") {
        wasSeen = true;
        setIsWatched(true);
      } else timer = setTimeout(() => setIsWatched(false), wasSeen ? hiddenMs : neverSeenMs);
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  return isWatched;
}
