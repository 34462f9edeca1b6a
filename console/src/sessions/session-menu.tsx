// The menu of a session in a list or on the board, and what came back: a refusal, or work that
// would be lost.
import { Ellipsis } from "lucide-react";
import type { Session } from "../session/queries.ts";
import { Button } from "../ui/button.tsx";
import { Menu, MenuChoices, MenuItem, MenuSeparator } from "../ui/menu.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { LossDialog } from "./loss-dialog.tsx";
import { listMoves, priorities } from "./moves.ts";
import { PriorityMark } from "./priority-mark.tsx";
import { statusWords } from "./search.ts";
import type { SessionActions } from "./use-session-actions.ts";

interface SessionMenuProps {
  session: Session;
  actions: SessionActions;
}

export function SessionMenu({ session: { status, priority }, actions }: SessionMenuProps) {
  return (
    <Menu
      trigger={
        <Button kind="bare" className="w-8 px-0! pointer-coarse:w-11" aria-label="Change or move this session">
          <Ellipsis className="size-4" aria-hidden="true" />
        </Button>
      }
    >
      {status === "backlog" && (
        <>
          <MenuItem onClick={actions.start}>Start</MenuItem>
          <MenuSeparator />
        </>
      )}
      <MenuChoices
        label="Priority"
        value={priority}
        choices={priorities.map((one) => [one, <PriorityMark key={one} priority={one} hasWord />] as const)}
        onChoose={actions.setPriority}
      />
      <MenuSeparator />
      <MenuChoices
        label="Status"
        value={status}
        choices={[status, ...listMoves(status)].map((one) => [one, statusWords[one]] as const)}
        onChoose={actions.move}
      />
    </Menu>
  );
}

export function SessionOutcome({ session: { title }, actions }: SessionMenuProps) {
  return (
    <>
      {actions.error !== null && (
        <div className="px-4 pb-3">
          <Refusal error={actions.error}>
            <Button onClick={actions.clearError}>Close</Button>
          </Refusal>
        </div>
      )}
      <LossDialog title={title} ending={actions.ending} onKeep={actions.keep} onEnd={actions.endStill} />
    </>
  );
}
