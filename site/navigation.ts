// The pages that are made of documents of the repository, in the order of the navigation.

export interface PageGroup {
  title: string;
  pages: DocumentPage[];
}

export interface DocumentPage {
  /** Its path at the service. */
  path: string;
  /** The document in the repository. */
  document: string;
  /** Its name in the navigation, if its first heading is too long or too general there. */
  label?: string;
  /** A page that only other pages lead to. */
  isUnlisted?: true;
  /** A document that is too long for one page: each of its sections has a page. */
  isSplit?: boolean;
}

export interface Documents {
  /** The names of the files in `docs/guide`, `docs/reference` and `docs/decisions`. */
  guides: string[];
  references: string[];
  decisions: string[];
  /** The names of the folders in `examples`. */
  examples: string[];
  /** Whether `examples` has a document of its own. */
  hasRecipeList: boolean;
}

/** The start page, which is written for the docs. */
const start: DocumentPage = { path: "/docs/", document: "site/start.md", label: "Start" };
const quickStart: DocumentPage = { path: "/docs/quick-start", document: "README.md", label: "Quick start" };

/** Guides by what a reader does with them. A guide that is in no list comes last. */
const guideOrder: [title: string, names: string[]][] = [
  ["Work with sessions", ["console", "command-line", "api", "library", "mcp", "messages", "pull-requests"]],
  ["Set up a project", ["own-repository", "deploys", "skills-and-plugins", "networks"]],
  [
    "Let it run by itself",
    ["crons", "triggers", "issues-and-pull-requests", "mentions", "http-triggers", "webhooks", "notifications"],
  ],
];
/** The guides that are for operators. */
const operatorGuides = ["one-machine"];

const labels: Record<string, string> = {
  "docs/guide/mcp.md": "MCP",
  "docs/guide/own-repository.md": "Your own repository",
  "docs/guide/pull-requests.md": "Pull requests and lists",
  "docs/guide/notifications.md": "Notifications",
  "docs/guide/issues-and-pull-requests.md": "From issues and pull requests",
  "docs/reference/triggers.md": "Triggers",
  "docs/reference/operations.md": "Operations",
  "docs/cost.md": "Cost",
  "docs/operate.md": "Deploy and operate",
  "docs/contract/README.md": "Overview",
  "examples/README.md": "Overview",
  "docs/contract/part-1.md": "Part 1: sessions",
  "docs/contract/part-2.md": "Part 2: automation",
  "docs/contract/decisions.md": "Decisions",
  "SECURITY.md": "Report a vulnerability",
};

const toPage = (path: string, document: string): DocumentPage => ({
  path,
  document,
  ...(labels[document] && { label: labels[document] }),
});

/** Lists the groups of the navigation. The API reference is added between them by the build. */
export function listGroups({ guides, references, decisions, examples, hasRecipeList }: Documents): PageGroup[] {
  const known = new Set([...guideOrder.flatMap(([, names]) => names), ...operatorGuides]);
  const toGuide = (name: string) => toPage(`/docs/guide/${name}`, `docs/guide/${name}.md`);
  const present = (names: string[]) => names.filter((name) => guides.includes(name)).map(toGuide);
  const groups = guideOrder.map(([title, names]) => ({ title, pages: present(names) }));
  groups.at(-1)?.pages.push(...guides.filter((name) => !known.has(name)).map(toGuide));
  return [
    { title: "Get started", pages: [start, quickStart] },
    ...groups,
    {
      title: "Recipes",
      pages: [
        ...(hasRecipeList ? [toPage("/docs/recipes", "examples/README.md")] : []),
        ...examples.map((name) => toPage(`/docs/recipes/${name}`, `examples/${name}/README.md`)),
      ],
    },
    {
      title: "Reference",
      pages: references.map((name) => toPage(`/docs/reference/${name}`, `docs/reference/${name}.md`)),
    },
    {
      title: "Run the service",
      pages: [
        ...present(operatorGuides),
        ...["operate", "containers", "cost", "security"].map((name) => toPage(`/docs/${name}`, `docs/${name}.md`)),
        toPage("/docs/report-a-vulnerability", "SECURITY.md"),
        toPage("/docs/changelog", "CHANGELOG.md"),
      ],
    },
    {
      title: "The contract",
      pages: [
        toPage("/docs/contract", "docs/contract/README.md"),
        ...["part-1", "part-2"].map((name) => toPage(`/docs/contract/${name}`, `docs/contract/${name}.md`)),
        { ...toPage("/docs/contract/decisions", "docs/contract/decisions.md"), isSplit: true },
      ],
    },
    {
      title: "The code",
      pages: [
        toPage("/docs/architecture", "ARCHITECTURE.md"),
        toPage("/docs/contributing", "CONTRIBUTING.md"),
        toPage("/docs/decisions", "docs/decisions/README.md"),
        ...decisions.map(
          (name): DocumentPage => ({
            ...toPage(`/docs/decisions/${name}`, `docs/decisions/${name}.md`),
            isUnlisted: true,
          }),
        ),
      ],
    },
  ].filter(({ pages }) => pages.length > 0);
}
