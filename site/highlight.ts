// Colours of code, at build time. A token gets a class, as the policy of the pages allows no inline
// styles.
import {
  type BundledLanguage,
  createCssVariablesTheme,
  createJavaScriptRegexEngine,
  createHighlighter as createShiki,
} from "shiki";
import { escapeHtml } from "./escape-html.ts";

/** Returns the HTML of code in a language, which may be unknown. */
export type Highlighter = (code: string, language: string) => string;

const languages: Record<string, BundledLanguage> = {
  sh: "shellscript",
  ts: "typescript",
  mjs: "javascript",
  js: "javascript",
  json: "json",
  yaml: "yaml",
  toml: "toml",
};
const colour = /^var\(--c-(?:token-)?([\w-]+)\)$/;
const plain = new Set(["foreground", "background"]);

/** Loads the languages of the documents. */
export async function createHighlighter(): Promise<Highlighter> {
  const theme = createCssVariablesTheme({ name: "docs", variablePrefix: "--c-" });
  const langs = [...new Set(Object.values(languages))];
  const highlighter = await createShiki({ themes: [theme], langs, engine: createJavaScriptRegexEngine() });
  return (code, name) => {
    // Without a limit, so that a busy machine makes the same pages.
    const lang = languages[name];
    if (lang === undefined) return escapeHtml(code);
    const { tokens } = highlighter.codeToTokens(code, { lang, theme: "docs", tokenizeTimeLimit: 0 });
    return tokens.map((line) => line.map(renderToken).join("")).join("\n");
  };

  function renderToken({ content, color = "" }: { content: string; color?: string }): string {
    const [, kind = "foreground"] = colour.exec(color) ?? [];
    return plain.has(kind) || content.trim() === ""
      ? escapeHtml(content)
      : `<i class="${kind}">${escapeHtml(content)}</i>`;
  }
}
