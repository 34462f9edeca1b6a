// The measured turns, as messages with a script for the practice provider.

/** Writes a file, runs two commands and says something: four model requests, three tools. */
export const threeToolTurn = createScript(
  { write: { path: "bench.txt", content: "one line\n" } },
  { bash: "cat bench.txt" },
  { bash: "echo done" },
  { say: "All done." },
);

const threeReads = [
  { tool: { name: "git", input: { args: ["log", "--oneline", "-n1"] } } },
  { tool: { name: "search", input: { pattern: "listen" } } },
  { tool: { name: "find_files", input: { pattern: "*.js" } } },
];

/** Four model requests and three tools that only read, which a cron's run has. */
export const threeReadsTurn = createScript(...threeReads, { say: "All done." });

/** The same, but its last response does not arrive until it is stopped. */
export const endlessReadsTurn = createScript(...threeReads, { sleep: 3_600_000 });

/** One response after five seconds. */
export const slowTurn = createScript({ sleep: 5_000 }, { say: "Understood." });

/** One response, no tool. */
export const shortTurn = createScript({ say: "Understood." });

/** Ends with a question. */
export const askingTurn = createScript({
  ask: {
    questions: [
      {
        ...{ topic: "Colour", question: "Which colour?" },
        options: ["Red", "Green"].map((title, at) => ({ title, description: title, isRecommended: at === 0 })),
      },
    ],
  },
});

/** Runs until it is stopped. */
export const endlessTurn = createScript({ sleep: 3_600_000 });

/** A message with a script of these steps. */
export function createScript(...steps: Record<string, unknown>[]): string {
  return `Please do this.\n\`\`\`practice\n${steps.map((step) => JSON.stringify(step)).join("\n")}\n\`\`\``;
}
