// Colors of code: loaded with the first block of code, each language when it is first seen. The
// colors are variables of the page, so a change of the theme draws nothing again.
import type { HighlighterCore, LanguageRegistration, ThemedToken } from "shiki/core";
import { loadPart } from "../ui/lazy-part.tsx";

type Load = () => Promise<{ default: LanguageRegistration[] }>;

const grammars: Record<string, Load> = {
  c: () => import("shiki/langs/c.mjs"),
  cpp: () => import("shiki/langs/cpp.mjs"),
  csharp: () => import("shiki/langs/csharp.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  docker: () => import("shiki/langs/docker.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  graphql: () => import("shiki/langs/graphql.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  kotlin: () => import("shiki/langs/kotlin.mjs"),
  php: () => import("shiki/langs/php.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  ruby: () => import("shiki/langs/ruby.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  shellscript: () => import("shiki/langs/shellscript.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  swift: () => import("shiki/langs/swift.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
};
const aliases: Record<string, string> = {
  bash: "shellscript",
  "c#": "csharp",
  "c++": "cpp",
  cc: "cpp",
  cjs: "javascript",
  cs: "csharp",
  cts: "typescript",
  dockerfile: "docker",
  golang: "go",
  h: "c",
  hpp: "cpp",
  htm: "html",
  js: "javascript",
  jsonc: "json",
  jsx: "tsx",
  kt: "kotlin",
  mjs: "javascript",
  mts: "typescript",
  patch: "diff",
  py: "python",
  rb: "ruby",
  rs: "rust",
  sh: "shellscript",
  shell: "shellscript",
  ts: "typescript",
  yml: "yaml",
  zsh: "shellscript",
};

/** The grammar of a language as people write it after a fence; null where there is none. */
export function findGrammar(language: string): string | null {
  const name = language.toLowerCase();
  const known = Object.hasOwn(aliases, name) ? (aliases[name] as string) : name;
  return Object.hasOwn(grammars, known) ? known : null;
}

/** The grammar of a file by the end of its name; null where there is none. */
export function findGrammarOfPath(path: string): string | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return findGrammar(name.slice(name.lastIndexOf(".") + 1));
}

let made: Promise<HighlighterCore> | null = null;
const loading = new Map<string, Promise<void>>();

/** The lines of a code in colored parts. */
export async function colorCode(code: string, grammar: string): Promise<ThemedToken[][]> {
  made ??= makeHighlighter();
  const highlighter = await made;
  const load = grammars[grammar];
  if (load && !loading.has(grammar))
    loading.set(
      grammar,
      loadPart(() => highlighter.loadLanguage(load)),
    );
  await loading.get(grammar);
  return highlighter.codeToTokensBase(code, { lang: grammar, theme: "variables", tokenizeMaxLineLength: 2_000 });
}

async function makeHighlighter(): Promise<HighlighterCore> {
  const [{ createCssVariablesTheme, createHighlighterCore }, { createJavaScriptRegexEngine }] = await loadPart(() =>
    Promise.all([import("shiki/core"), import("shiki/engine/javascript")]),
  );
  return await createHighlighterCore({
    themes: [createCssVariablesTheme({ name: "variables", variablePrefix: "--code-" })],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
}
