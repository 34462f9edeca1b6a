// `npm run bench`: measures the service and its peers in one run on one machine. Exits with 1 if a
// bar does not hold. `--quick` takes fewer samples, `--only NAME[,NAME]` runs only these groups,
// `--crons NUMBER[,NUMBER]` sizes the simulation of crons, `--json FILE` writes the findings.
// `--repositories FOLDER[,FOLDER]` measures the starts on these too.
// Worlds are created in the folder of temporary files: with `TMPDIR=/dev/shm` their times exclude
// those of the disk.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { addFailingPasta } from "../practice/sandbox-host/network/failing-pasta.ts";
import { createStage } from "./environment.ts";
import { parseGroups } from "./groups.ts";
import type { CountedRow } from "./lib/counted-row.ts";
import { formatCosts, formatCounts, formatFindings, formatFindingsJson } from "./lib/report.ts";
import type { Finding } from "./lib/result.ts";
import { fullSizes, quickSizes, type Sizes } from "./lib/sizes.ts";
import type { CostRow } from "./measures/cost.ts";

const options = chosenOptions();
const groups = chosenGroups();
const sizes = chosenSizes();
const folder = await mkdtemp(join(tmpdir(), "switchyard-bench-"));
// Setups read trees from this process, and it asks services of sandboxes itself. With pasta,
// neither reaches the other.
process.env.PATH = await addFailingPasta(join(folder, "pasta"), process.env.PATH ?? "");
const stage = createStage(folder, sizes);
const findings: Finding[] = [];
const rows: CountedRow[] = [];
const costs: CostRow[] = [];
const tables: string[] = [];

try {
  // Also reports what was measured before a group failed.
  await measureGroups().finally(report);
} finally {
  await stage.close();
  await rm(folder, { recursive: true, force: true });
}

const broken = findings.filter(({ holds }) => holds === false);
console.log(
  broken.length === 0 ? "\nEvery bar that was measured holds." : `\nBars that do not hold: ${broken.length}.`,
);
process.exit(broken.length === 0 ? 0 : 1);

async function measureGroups(): Promise<void> {
  console.log(`${cpus().length} processors, ${load()} before the run.`);
  for (const [name, measure] of groups) {
    console.log(`measuring: ${name}, ${load()} …`);
    const measured = await measure(stage);
    findings.push(...("findings" in measured ? measured.findings : measured));
    rows.push(...("rows" in measured ? (measured.rows ?? []) : []));
    costs.push(...("costs" in measured ? (measured.costs ?? []) : []));
    tables.push(...("tables" in measured ? (measured.tables ?? []) : []));
  }
}

async function report(): Promise<void> {
  console.log(`\n${formatFindings(findings)}`);
  if (rows.length > 0) console.log(`\n${formatCounts(rows)}`);
  if (costs.length > 0) console.log(`\n${formatCosts(costs)}`);
  for (const table of tables) console.log(`\n${table}`);
  if (options.json !== undefined) await writeFile(options.json, formatFindingsJson(findings));
}

function chosenOptions() {
  try {
    return parseArgs({
      options: {
        crons: { type: "string" },
        json: { type: "string" },
        only: { type: "string" },
        quick: { type: "boolean" },
        repositories: { type: "string" },
      },
    }).values;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

function chosenGroups(): ReturnType<typeof parseGroups> {
  try {
    return parseGroups(options.only);
  } catch (error) {
    console.error(error instanceof RangeError ? error.message : error);
    process.exit(2);
  }
}

function chosenSizes(): Sizes {
  const usual = options.quick ? quickSizes : fullSizes;
  const others = options.repositories?.split(",").map((folder) => resolve(folder)) ?? [];
  const sizes = { ...usual, largeRepository: { ...usual.largeRepository, others } };
  if (options.crons === undefined) return sizes;
  const cronSimulation = options.crons.split(",").map(Number);
  if (cronSimulation.every((crons) => Number.isSafeInteger(crons) && crons > 0)) return { ...sizes, cronSimulation };
  console.error(`--crons takes whole numbers, as "1000,5000", and not "${options.crons}".`);
  process.exit(2);
}

function load(): string {
  return `load average ${loadavg()[0]?.toFixed(1)}`;
}
