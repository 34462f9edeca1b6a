// Opens and closes the panel beside a conversation: it is a part of the address.
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect } from "react";
import type { Panel } from "../routes.tsx";
import { findTabByDigit } from "./tabs.ts";

/** Shows a panel, with a file in it if one is named; null closes it. */
export function useOpenPanel(): (panel: Panel | null, file?: string) => void {
  const navigate = useNavigate({ from: "/s/$session" });
  return useCallback(
    (panel, file) => {
      navigate({
        search: ({ find }) =>
          panel === null ? {} : { panel, ...(file !== undefined && { file }), ...(find && { find }) },
      });
    },
    [navigate],
  );
}

/** ⌥1 to ⌥6 open the panels, wherever the focus is. */
export function usePanelKeys(): void {
  const open = useOpenPanel();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const tab = findTabByDigit(event);
      if (tab === null) return;
      event.preventDefault();
      open(tab);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [open]);
}
