// Caches layouts of texts that no longer change, so that a page that is requested repeatedly lays
// out each text once.

/**
 * Lays out a text, or returns its cached layout. The least recently used layouts are dropped first.
 */
export function createLayoutCache(layOut: (text: string) => string, charactersMax: number): (text: string) => string {
  const layouts = new Map<string, string>();
  let characters = 0;
  return (text) => {
    const known = layouts.get(text);
    if (known !== undefined) {
      // A map is ordered by insertion.
      layouts.delete(text);
      layouts.set(text, known);
      return known;
    }
    const layout = layOut(text);
    layouts.set(text, layout);
    characters += text.length + layout.length;
    for (const [oldest, dropped] of layouts) {
      if (characters <= charactersMax) break;
      layouts.delete(oldest);
      characters -= oldest.length + dropped.length;
    }
    return layout;
  };
}

/** About 15 ms of work. */
const charactersBetweenPauses = 128 * 1024;

/**
 * Lays out texts one after another. Pauses in between, because the requests of others wait while a
 * Worker computes.
 */
export async function loadLayouts(texts: string[], layOut: (text: string) => string): Promise<void> {
  let characters = 0;
  for (const text of texts) {
    layOut(text);
    characters += text.length;
    if (characters < charactersBetweenPauses) continue;
    characters = 0;
    await scheduler.wait(0);
  }
}
