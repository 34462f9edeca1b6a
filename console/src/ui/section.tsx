// A part of a settings page: a card with a heading and a sentence.
import type { ReactNode } from "react";

interface SectionProps {
  title: string;
  text: ReactNode;
  children: ReactNode;
}

export function Section({ title, text, children }: SectionProps) {
  return (
    <section aria-label={title} className="mt-6 rounded-card border border-line bg-panel p-6 max-sm:p-4">
      <h2 className="font-bold text-title">{title}</h2>
      <p className="mt-1 mb-4 text-quiet">{text}</p>
      {children}
    </section>
  );
}
