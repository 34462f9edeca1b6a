// Markdown of an agent: HTML in it is text, and nothing that it names is loaded.
import { type ComponentProps, createContext, memo, type ReactNode, useContext } from "react";
import { type Components, type ExtraProps, Streamdown, useIsCodeFenceIncomplete } from "streamdown";
import { toVisibleCode } from "../ui/visible.ts";
import { CodeBlock } from "./code-block.tsx";
import { readLink } from "./tool-text.ts";

type Of<Tag extends keyof React.JSX.IntrinsicElements> = ComponentProps<Tag> & ExtraProps;

function SafeLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  const target = readLink(href);
  if (target === null) return <span title={href}>{children}</span>;
  return (
    <a
      href={target}
      rel="noopener noreferrer"
      target="_blank"
      className="text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
    >
      {children}
    </a>
  );
}

const components: Components = {
  a: ({ href, children }: Of<"a">) => <SafeLink href={href}>{children}</SafeLink>,
  // Pictures of other places are not loaded: their addresses would say who reads.
  img: ({ src, alt }: Of<"img">) => (
    <SafeLink href={typeof src === "string" ? src : undefined}>{alt || "Image"}</SafeLink>
  ),
  p: ({ children, dir }: Of<"p">) => <Paragraph dir={dir}>{children}</Paragraph>,
  h1: ({ children }: Of<"h1">) => <Title>{children}</Title>,
  h2: ({ children }: Of<"h2">) => <Title>{children}</Title>,
  h3: ({ children }: Of<"h3">) => <Subtitle>{children}</Subtitle>,
  h4: ({ children }: Of<"h4">) => <Subtitle>{children}</Subtitle>,
  h5: ({ children }: Of<"h5">) => <Subtitle>{children}</Subtitle>,
  h6: ({ children }: Of<"h6">) => <Subtitle>{children}</Subtitle>,
  ul: ({ children, className }: Of<"ul">) => (
    <ul className={`flex flex-col gap-1 ${isTaskList(className) ? "list-none [&>li]:ms-1" : "list-disc [&>li]:ms-5"}`}>
      {children}
    </ul>
  ),
  ol: ({ children, start }: Of<"ol">) => (
    <ol start={start} className="flex list-decimal flex-col gap-1 tabular-nums [&>li]:ms-6">
      {children}
    </ol>
  ),
  li: ({ children }: Of<"li">) => (
    // Its margin has its marker, which is on the side where its own text begins.
    <li dir="auto" className="marker:text-quiet [&>ol]:mt-1 [&>p+*]:mt-2 [&>ul]:mt-1">
      <InDirected value={true}>{children}</InDirected>
    </li>
  ),
  input: ({ checked }: Of<"input">) => (
    <input
      type="checkbox"
      aria-label={checked ? "Done" : "To do"}
      checked={checked ?? false}
      readOnly
      disabled
      className="me-2 accent-accent"
    />
  ),
  blockquote: ({ children }: Of<"blockquote">) => (
    <blockquote dir="auto" className="flex flex-col gap-3 border-line-strong/50 border-s-2 ps-4 text-quiet">
      <InDirected value={true}>{children}</InDirected>
    </blockquote>
  ),
  hr: () => <hr className="border-line" />,
  strong: ({ children }: Of<"strong">) => <strong className="font-bold">{children}</strong>,
  pre: Fence,
  code: Code,
  inlineCode: Code,
  table: ({ children }: Of<"table">) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard.
    <div className="max-w-full overflow-x-auto" tabIndex={0}>
      {/* Words stay whole, also code: what does not fit is scrolled to. */}
      <table className="border-collapse text-ui [&_code]:[overflow-wrap:normal] [overflow-wrap:normal]">
        {children}
      </table>
    </div>
  ),
  thead: ({ children }: Of<"thead">) => <thead className="border-line border-b text-quiet">{children}</thead>,
  tbody: ({ children }: Of<"tbody">) => <tbody className="divide-y divide-line">{children}</tbody>,
  tr: ({ children }: Of<"tr">) => <tr>{children}</tr>,
  th: ({ children, style }: Of<"th">) => (
    <th dir="auto" style={style} className="px-3 py-1.5 text-start font-medium first:ps-0">
      {children}
    </th>
  ),
  td: ({ children, style }: Of<"td">) => (
    <td dir="auto" style={style} className="px-3 py-1.5 align-top first:ps-0">
      {children}
    </td>
  ),
};

/** True in an item or a quote, whose direction is that of its text. */
const InDirected = createContext(false);

/** `dir=auto` of what is around a paragraph skips the paragraphs that have a direction. */
function Paragraph({ dir, children }: Pick<Of<"p">, "dir" | "children">) {
  const isInDirected = useContext(InDirected);
  return <p dir={dir ?? (isInDirected ? undefined : "auto")}>{children}</p>;
}

function Fence({ node }: Of<"pre">) {
  const isGrowing = useIsCodeFenceIncomplete();
  const code = node?.children[0];
  if (code?.type !== "element") return null;
  const classes = code.properties.className;
  const language = Array.isArray(classes) ? String(classes[0] ?? "").replace(/^language-/, "") : "";
  const text = code.children.map((child) => (child.type === "text" ? child.value : "")).join("");
  return <CodeBlock code={text.replace(/\n$/, "")} language={language} isGrowing={isGrowing} />;
}

function Code({ children }: Of<"code">) {
  return (
    <code className="rounded-[5px] bg-sunk px-1 py-0.5 font-mono text-[0.875em] [overflow-wrap:anywhere]">
      {children}
    </code>
  );
}

// Titles of an answer are below those of the page, and all of one size with their text.
function Title({ children }: { children: ReactNode }) {
  return (
    <h3 dir="auto" className="pt-1 font-bold text-title">
      {children}
    </h3>
  );
}

function Subtitle({ children }: { children: ReactNode }) {
  return (
    <h4 dir="auto" className="font-bold text-prose">
      {children}
    </h4>
  );
}

const isTaskList = (className: string | undefined) => className?.includes("contains-task-list") ?? false;

interface MarkdownProps {
  text: string;
  /** While it grows, only its last block is parsed again. */
  isGrowing?: boolean;
}

export const Markdown = memo(function Markdown({ text, isGrowing = false }: MarkdownProps) {
  return (
    <Streamdown
      mode="streaming"
      parseIncompleteMarkdown={isGrowing}
      components={components}
      rehypePlugins={noPlugins}
      className="flex flex-col gap-3 space-y-0 text-prose [overflow-wrap:anywhere]"
    >
      {toVisibleCode(text)}
    </Streamdown>
  );
});

const noPlugins: [] = [];
