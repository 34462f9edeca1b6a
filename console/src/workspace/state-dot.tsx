// A state as a glyph with words beside it, so that color is never the only sign.
const tones = {
  good: ["✓", "text-green-ink"],
  bad: ["✕", "text-red-ink"],
  quiet: ["○", "text-quiet"],
} as const;

export function StateDot({ tone, word }: { tone: keyof typeof tones; word: string }) {
  const [glyph, color] = tones[tone];
  return (
    <span className={color}>
      <span aria-hidden="true">{glyph}</span> {word}
    </span>
  );
}
