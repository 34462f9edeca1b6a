// Times, as people read them: in the time zone of the terminal.

/** The day and the minute of a time; a dash if there is none. */
export function formatTime(time: string | null): string {
  return time === null ? "–" : new Date(time).toLocaleString("sv-SE").slice(0, 16);
}

/** How long something took, such as `2m 05s`; a dash if it has not ended. */
export function formatSpan(from: string | null, to: string | null): string {
  if (from === null || to === null) return "–";
  const seconds = Math.round((Date.parse(to) - Date.parse(from)) / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, "0")}s`;
}
