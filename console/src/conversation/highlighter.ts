// Colors of code: loaded with the first block of code, each language when it is first seen. The
// colors are variables of the page, so a change of the theme draws nothing again.
import type { GrammarState, HighlighterCore, LanguageRegistration, ThemedToken } from "shiki/core";
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

/** Some grammars take time quadratic in the length of a line, so a longer line stays plain. */
const coloredLineLength = 500;
/** Coloring pauses after this long, so that the page answers. */
const sliceMs = 30;
/** After this long without the pauses, the lines that are left stay plain. */
const coloringMs = 5_000;

let made: Promise<HighlighterCore> | null = null;
const loading = new Map<string, Promise<void>>();

/** The lines of each code in colored parts. All codes together share one limit in time. */
export async function colorCodes(codes: readonly string[], grammar: string): Promise<ThemedToken[][][]> {
  made ??= makeHighlighter();
  const highlighter = await made;
  const load = grammars[grammar];
  if (load && !loading.has(grammar))
    loading.set(
      grammar,
      loadPart(() => highlighter.loadLanguage(load)),
    );
  await loading.get(grammar);
  const options = {
    lang: grammar,
    theme: "variables",
    tokenizeMaxLineLength: coloredLineLength,
    // The first line of a grammar waits until its expressions are compiled. With a limit of its
    // own, it would stay without colors on a slow machine.
    tokenizeTimeLimit: 0,
  };
  let spentMs = 0;
  let pausedAtMs = 0;
  const colored: ThemedToken[][][] = [];
  for (const code of codes) {
    const lines: ThemedToken[][] = [];
    let state: GrammarState | undefined;
    for (const line of code.split(/\r?\n/)) {
      if (spentMs > coloringMs) {
        lines.push([{ content: line, offset: 0 }]);
        continue;
      }
      const beganAt = performance.now();
      const tokens = highlighter.codeToTokensBase(line, state ? { ...options, grammarState: state } : options);
      state = highlighter.getLastGrammarState(tokens);
      spentMs += performance.now() - beganAt;
      lines.push(tokens[0] ?? []);
      if (spentMs - pausedAtMs < sliceMs) continue;
      pausedAtMs = spentMs;
      await new Promise((resolve) => setTimeout(resolve));
    }
    colored.push(lines);
  }
  return colored;
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
