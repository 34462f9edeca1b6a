// The sign of Switchyard: a track that branches off.
export function Logo({ className = "size-6" }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" className={`fill-none stroke-[3] stroke-accent ${className}`} aria-hidden="true">
      <path strokeLinecap="round" d="M3 22h26M9 22c7 0 7-12 14-12h6" />
    </svg>
  );
}
