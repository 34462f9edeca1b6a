// A block of code in an answer: colored once its fence is closed, with a button that copies it.
import { Check, Copy } from "lucide-react";
import { Fragment, memo, useEffect, useState } from "react";
import type { ThemedToken } from "shiki/core";
import { VisibleText } from "../ui/visible-text.tsx";
import { ColoredLine } from "./colored-line.tsx";
import { colorCodes, findGrammar } from "./highlighter.ts";

/** Longer code stays plain: coloring it would be felt. */
const coloredCharacters = 30_000;

interface CodeBlockProps {
  code: string;
  language: string;
  isGrowing: boolean;
}

export const CodeBlock = memo(function CodeBlock({ code, language, isGrowing }: CodeBlockProps) {
  const [colored, setColored] = useState<{ code: string; lines: ThemedToken[][] } | null>(null);
  const grammar = isGrowing || code.length > coloredCharacters ? null : findGrammar(language);
  useEffect(() => {
    if (grammar === null) return;
    let isShown = true;
    colorCodes([code], grammar).then(
      ([lines = []]) => isShown && setColored({ code, lines }),
      // Without its colors, code is as good as before.
      () => {},
    );
    return () => {
      isShown = false;
    };
  }, [code, grammar]);
  return (
    <div className="group/code relative rounded-block bg-sunk pointer-coarse:flex">
      <pre
        dir="ltr"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard.
        tabIndex={0}
        className="min-w-0 flex-1 overflow-x-auto rounded-block p-3 font-mono text-code [overflow-wrap:normal]"
      >
        <code>{colored?.code === code ? <Colored lines={colored.lines} /> : <VisibleText>{code}</VisibleText>}</code>
      </pre>
      {!isGrowing && <CopyButton code={code} />}
    </div>
  );
});

function Colored({ lines }: { lines: ThemedToken[][] }) {
  return lines.map((tokens, line) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines never move.
    <Fragment key={line}>
      {line > 0 && "\n"}
      <ColoredLine tokens={tokens} />
    </Fragment>
  ));
}

/** For a finger it is always seen, so it has a place of its own beside the code. */
function CopyButton({ code }: { code: string }) {
  const [isCopied, setIsCopied] = useState(false);
  async function copy() {
    await navigator.clipboard?.writeText(code);
    setIsCopied(true);
    setTimeout(() => setIsCopied(false), 1_500);
  }
  return (
    <button
      type="button"
      aria-label={isCopied ? "Copied" : "Copy the code"}
      onClick={copy}
      className="absolute end-1.5 top-1.5 inline-flex size-8 items-center justify-center rounded-control bg-sunk text-quiet opacity-0 hover:text-ink focus-visible:opacity-100 group-hover/code:opacity-100 pointer-coarse:static pointer-coarse:size-11 pointer-coarse:shrink-0 pointer-coarse:opacity-100"
    >
      {isCopied ? <Check className="size-4 text-green-ink" /> : <Copy className="size-4" />}
    </button>
  );
}
