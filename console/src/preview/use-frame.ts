// Which endpoint of a preview the frame shows, in which size, and from when its page is.
import type { Schemas } from "@switchyard/client";
import { useState } from "react";
import type { FrameSize } from "./frame.tsx";
import { type FramePage, judgeFrame, type PreviewState } from "./health.ts";

export function useFrame(state: PreviewState, health: Schemas["Health"] | undefined) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [size, setSize] = useState<FrameSize>(null);
  const [loads, setLoads] = useState(0);
  const urls = health?.frontendUrls ?? {};
  const names = Object.keys(urls);
  const name = chosen !== null && chosen in urls ? chosen : (names[0] ?? "");
  const url = urls[name];
  const [knownPage, setKnownPage] = useState<FramePage>("none");
  const page = judgeFrame(knownPage, state, url !== undefined);
  if (page !== knownPage) setKnownPage(page);
  return {
    names,
    name,
    url,
    size,
    setSize,
    page,
    /** Changes when the frame is loaded again; null while there is none. */
    key: page === "none" ? null : `${name} ${loads}`,
    choose: (next: string) => {
      setChosen(next);
      setKnownPage("none");
    },
    reload: () => {
      setKnownPage("none");
      setLoads((count) => count + 1);
    },
  };
}

export type ShownFrame = ReturnType<typeof useFrame>;
