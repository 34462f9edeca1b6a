// How much of an allowance is used, as a bar. The words beside it say the same, so a reader of
// screens passes over it.

/** From this share on, the bar has another color. */
const nearShare = 0.8;

export function Meter({ value, max }: { value: number; max: number }) {
  const share = max > 0 ? Math.min(1, Math.max(0, value / max)) : 1;
  const color = share >= 1 ? "fill-red-ink" : share >= nearShare ? "fill-amber-ink" : "fill-accent";
  return (
    <svg aria-hidden="true" className="block h-2 w-full overflow-hidden rounded-full bg-line">
      <rect width={`${share * 100}%`} height="100%" rx="4" className={color} />
    </svg>
  );
}
