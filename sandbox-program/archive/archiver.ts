// The archiver: a separate process that writes or reads one layer through its standard output or
// input. In the program itself, the work would take memory and delay other requests.
import { createFolders } from "../folders.ts";
import { toRefusal } from "../http/refusal.ts";
import { closeState, takeAgentsRights } from "../process/users.ts";
import { readWall } from "../settings.ts";
import { type ArchiverTask, checkoutInPlace, refusedExitCode, unchangedExitCode } from "./layers/archiver-task.ts";
import { readBase, readWork } from "./layers/layer-in.ts";
import { writeBase, writeWork } from "./layers/layer-out.ts";

async function perform(root: string, task: ArchiverTask): Promise<unknown> {
  const hasUsers = readWall(process.env.SANDBOX_WALL) === "users";
  if (hasUsers) takeAgentsRights();
  const folders = createFolders(root);
  // A restored state folder was created with the agent's rights.
  const closed = () => hasUsers && closeState(folders);
  const onCheckout = () => {
    closed();
    process.stdout.write(checkoutInPlace);
  };
  switch (task.type) {
    case "write-work":
      if (await writeWork(folders, task, process.stdout)) return;
      process.exitCode = unchangedExitCode;
      return;
    case "write-base":
      return await writeBase(folders, task, process.stdout);
    case "read-work":
      return await readWork(folders, process.stdin).finally(closed);
    case "read-base":
      return await readBase(folders, { ...task, onCheckout: task.isEarly ? onCheckout : null }, process.stdin).finally(
        closed,
      );
  }
}

void run();

async function run(): Promise<void> {
  const [, , root = "", task = ""] = process.argv;
  try {
    const answer = await perform(root, JSON.parse(task));
    if (answer !== undefined) process.stdout.write(JSON.stringify(answer));
  } catch (error) {
    const refusal = toRefusal(error);
    if (refusal.code === "INTERNAL") throw error;
    process.stderr.write(JSON.stringify(refusal));
    // Unread input would keep the process alive.
    process.exit(refusedExitCode);
  }
}
