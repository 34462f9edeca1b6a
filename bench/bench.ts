// `npm run bench`: measures the service and its peers in one run on one machine. Exits with 1 if a bar does not hold. `--quick` takes fewer
// samples, `--only NAME[,NAME]` runs these groups alone, `--json FILE` writes the findings.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Finding } from "./finding.ts";
import { groupsNamed } from "./groups.ts";
import type { CountedRow } from "./measure-counts.ts";
import { countsTable, findingsJson, findingsTable } from "./report.ts";
import { fullSizes, quickSizes } from "./sizes.ts";
import { openStage } from "./stage.ts";

const { values: options } = parseArgs({
  options: { json: { type: "string" }, only: { type: "string" }, quick: { type: "boolean" } },
});
const groups = chosenGroups();
const folder = await mkdtemp(join(tmpdir(), "switchyard-bench-"));
const stage = openStage(folder, options.quick ? quickSizes : fullSizes);
const findings: Finding[] = [];
const rows: CountedRow[] = [];

try {
  console.log(`${cpus().length} processors, ${load()} before the run.`);
  for (const [name, measure] of groups) {
    console.log(`measuring: ${name}, ${load()} …`);
    const measured = await measure(stage);
    findings.push(...("findings" in measured ? measured.findings : measured));
    rows.push(...("rows" in measured ? (measured.rows ?? []) : []));
  }
  console.log(`\n${findingsTable(findings)}`);
  if (rows.length > 0) console.log(`\n${countsTable(rows)}`);
  if (options.json !== undefined) await writeFile(options.json, findingsJson(findings));
} finally {
  await stage.close();
  await rm(folder, { recursive: true, force: true });
}

const broken = findings.filter(({ holds }) => holds === false);
console.log(
  broken.length === 0 ? "\nEvery bar that was measured holds." : `\nBars that do not hold: ${broken.length}.`,
);
process.exit(broken.length === 0 ? 0 : 1);

function chosenGroups(): ReturnType<typeof groupsNamed> {
  try {
    return groupsNamed(options.only);
  } catch (error) {
    console.error(error instanceof RangeError ? error.message : error);
    process.exit(2);
  }
}

function load(): string {
  return `load average ${loadavg()[0]?.toFixed(1)}`;
}
