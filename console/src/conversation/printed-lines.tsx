// The last lines of what runs, such as a tool or the setup of a sandbox.

export function PrintedLines({ children }: { children: string | null }) {
  if (children === null) return null;
  return (
    <pre
      dir="ltr"
      className="mt-1 mb-2 overflow-hidden whitespace-pre-wrap rounded-block bg-sunk px-3 py-2 font-mono text-meta text-quiet [overflow-wrap:anywhere]"
    >
      {children}
    </pre>
  );
}
