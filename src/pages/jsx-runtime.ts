// The JSX runtime of the pages, which an alias in wrangler.toml puts in place of hono's. Hono's
// brings contexts, hooks, forms and streaming, 5 KB gzipped. A page is rendered once, into a text.
import { escapeToBuffer, raw } from "hono/utils/html";

type Html = ReturnType<typeof raw>;
type Value = string | number | boolean | null | undefined;
type Child = Value | object;
type Component = (props: { children?: Child }) => Child;

const voidTags = ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"];

/** Renders an element or a component. Texts and attributes are escaped. */
export function renderElement(tag: string | Component, { children, ...attributes }: { children?: Child }): Html {
  if (typeof tag === "function") return raw(renderChild(tag({ ...attributes, children })));
  const opening = `<${tag}${Object.entries<Value>(attributes).map(formatAttribute).join("")}`;
  return raw(voidTags.includes(tag) ? `${opening}/>` : `${opening}>${renderChild(children)}</${tag}>`);
}

export { renderElement as jsx, renderElement as jsxs };

/** Renders children without an element around them. */
export const Fragment = ({ children }: { children?: Child }): Html => raw(renderChild(children));

/** `true` is an attribute without a value, and `false` is none, but for those that have words. */
function formatAttribute([name, value]: [string, Value]): string {
  if (value === null || value === undefined) return "";
  const isWord = name === "spellcheck" || name.startsWith("aria-");
  if (typeof value !== "boolean" || isWord) return ` ${name}="${escapeHtml(String(value))}"`;
  return value ? ` ${name}=""` : "";
}

function renderChild(child: Child): string {
  if (Array.isArray(child)) return child.map(renderChild).join("");
  if (child === null || child === undefined || typeof child === "boolean") return "";
  // Only `raw` creates such an object, for a text that is HTML already.
  return child instanceof String ? child.toString() : escapeHtml(String(child));
}

function escapeHtml(text: string): string {
  const escaped: [string] = [""];
  escapeToBuffer(text, escaped);
  return escaped[0];
}
