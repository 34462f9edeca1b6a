// Layouts of texts that do not change any more. A page that is asked for again and again lays each
// of them out once.

/**
 * Lays a text out, or returns its layout from before. Those that were used longest ago are dropped
 * first.
 */
export function cachedLayouts(layOut: (text: string) => string, charactersMax: number): (text: string) => string {
  const layouts = new Map<string, string>();
  let characters = 0;
  return (text) => {
    const known = layouts.get(text);
    if (known !== undefined) {
      // The order of a map is that of its insertions.
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
