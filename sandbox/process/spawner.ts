// The spawner of a turn: starts the agent's commands behind the wall by a shell that waits there. The way behind the wall takes longer than a
// short command, and every process that the program itself starts holds the program up by milliseconds, because its memory is large.
import type { Entry } from "./entry.ts";
import type { ProcessFamily } from "./process-family.ts";
import type { RunningCommand } from "./running-command.ts";
import { type SpawnerShell, startSpawnerShell } from "./spawner-shell.ts";

export interface Spawner {
  /** Opens the family and has a shell wait for the next commands, from a few milliseconds on. */
  prepare(): void;
  /** True while a shell waits. */
  isReady(): boolean;
  /** Starts a command without input; null if no shell waits, or if the command has to be started otherwise. */
  run(argv: readonly string[]): RunningCommand | null;
}

/** Behind this pause, the call to the model that comes before a command has been sent. */
const pauseMs = 6;

/** Creates the spawner of a family for commands in one folder with one environment. `ready` is a shell of its enclosure. */
export function createSpawner(
  family: ProcessFamily,
  { cwd, env }: Pick<Entry, "cwd" | "env">,
  ready: SpawnerShell | null,
): Spawner {
  let waiting: SpawnerShell | null = null;

  function take(shell: SpawnerShell | null): void {
    if (shell === null) return;
    family.addGroup(shell.id);
    shell.give(family.marked(env));
    waiting = shell;
  }

  async function start(): Promise<void> {
    const enclosure = await family.open();
    if (enclosure && !isReady()) take(startSpawnerShell(enclosure));
  }

  const isReady = () => waiting?.canRun() === true;

  take(ready);
  return {
    isReady,
    prepare() {
      // What fails here fails again when a command is started.
      if (!isReady()) setTimeout(() => start().catch(() => {}), pauseMs);
    },
    run: (argv) => (waiting?.canRun() ? waiting.run(cwd, argv) : null),
  };
}
