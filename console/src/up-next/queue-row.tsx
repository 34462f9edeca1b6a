// A message that waits Up next: who wrote it, what it says, and what may be done with it.

import type { Schemas } from "@switchyard/client";
import { ArrowDown, ArrowUp, CornerDownRight, GripVertical, type LucideIcon, Pencil, Send, Trash2 } from "lucide-react";
import { type KeyboardEvent, useLayoutEffect, useRef } from "react";
import { beginEdit, type QueueEdit } from "../composer/draft.ts";
import type { DraftBox } from "../composer/draft-box.ts";
import { FileChips } from "../composer/file-chips.tsx";
import { useNow } from "../ui/time.tsx";
import { Name, VisibleText } from "../ui/visible-text.tsx";
import { describeEditor, nameAuthor } from "./queue.ts";
import { QueueEditor } from "./queue-editor.tsx";
import type { ShownQueue } from "./use-queue.ts";
import type { useRowDrag } from "./use-row-drag.ts";

interface QueueRowProps {
  message: Schemas["QueuedMessage"];
  at: number;
  last: number;
  queue: ShownQueue;
  box: DraftBox;
  edit: QueueEdit | null;
  userId: string | null;
  isBusy: boolean;
  /** True if the session takes no messages. Those that wait can be changed and deleted. */
  isClosed: boolean;
  drag: ReturnType<typeof useRowDrag>;
  onSteer: () => void;
  onDelete: () => void;
}

export function QueueRow(props: QueueRowProps) {
  const { message, at, last, queue, box, edit, userId, isBusy, isClosed, drag, onSteer, onDelete } = props;
  const { id, content, author, attachments, can } = message;
  const row = useRef<HTMLLIElement>(null);

  const isMoving = useRef(false);
  // The row keeps the focus at its new place.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each move counts.
  useLayoutEffect(() => {
    if (isMoving.current) row.current?.focus();
    isMoving.current = false;
  }, [at]);

  function move(step: -1 | 1): void {
    const to = at + step;
    if (!can.move || to < 0 || to > last) return;
    isMoving.current = true;
    queue.move(id, to);
  }

  function press(event: KeyboardEvent): void {
    if (!event.altKey || edit || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    move(event.key === "ArrowUp" ? -1 : 1);
  }

  const begin = () => box.change((draft) => beginEdit(draft, message));
  const close = () => row.current?.focus();

  return (
    <li
      ref={row}
      tabIndex={-1}
      className={`flex flex-wrap items-start gap-x-2 px-4 py-2 focus:bg-sunk ${drag.dragged === at ? "relative z-10 bg-panel shadow-[0_2px_12px_rgb(0_0_0/0.14)] outline outline-line-strong" : drag.isHeld ? "transition-transform duration-[120ms] motion-reduce:transition-none" : ""}`}
      style={drag.style(at)}
      onKeyDown={press}
    >
      {can.move && last > 0 && !edit && (
        // The keys and the buttons do the same.
        <span
          aria-hidden="true"
          title="Drag to another place"
          data-handle
          className="-mr-1 -ml-3 grid h-8 w-6 shrink-0 cursor-grab touch-none place-items-center rounded-control text-quiet hover:bg-sunk hover:text-ink active:cursor-grabbing pointer-coarse:-ml-4 pointer-coarse:size-11"
          {...drag.handle(at)}
        >
          <GripVertical className="size-4" />
        </span>
      )}
      <div className="min-w-0 flex-1 basis-48">
        <p className="text-meta text-quiet">
          <Name>{nameAuthor(author, userId)}</Name>
          {message.editingBy && <Editor message={message} userId={userId} />}
        </p>
        {edit ? (
          <QueueEditor message={message} edit={edit} queue={queue} box={box} onClose={close} />
        ) : (
          <p
            dir="auto"
            className="line-clamp-3 whitespace-pre-wrap [overflow-wrap:anywhere]"
            onDoubleClick={() => can.edit && begin()}
          >
            <VisibleText>{content}</VisibleText>
          </p>
        )}
        <FileChips files={attachments.map(({ name, byteSize }) => ({ name, size: byteSize }))} />
      </div>
      {!edit && (
        <div className="-mr-2 ml-auto flex flex-wrap justify-end">
          {can.steer && isBusy && (
            <Action label="Steer into the running turn" Icon={CornerDownRight} onClick={onSteer} />
          )}
          {can.edit && !isBusy && !isClosed && <Action label="Send now" Icon={Send} onClick={() => queue.send(id)} />}
          {can.move && last > 0 && (
            <>
              <Action label="Move up (⌥↑)" Icon={ArrowUp} isDisabled={at === 0} onClick={() => move(-1)} />
              <Action label="Move down (⌥↓)" Icon={ArrowDown} isDisabled={at === last} onClick={() => move(1)} />
            </>
          )}
          {can.edit && <Action label="Edit" Icon={Pencil} onClick={begin} />}
          {can.delete && <Action label="Delete" Icon={Trash2} onClick={onDelete} />}
        </div>
      )}
    </li>
  );
}

/** Who is editing it on another screen, until that ends or its time is over. */
function Editor({ message, userId }: Pick<QueueRowProps, "message" | "userId">) {
  const words = describeEditor(message, userId, useNow(10_000));
  return words && <span className="text-amber-ink">{` · ${words}`}</span>;
}

interface ActionProps {
  label: string;
  Icon: LucideIcon;
  isDisabled?: boolean;
  onClick: () => void;
}

function Action({ label, Icon, isDisabled = false, onClick }: ActionProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      disabled={isDisabled}
      className="grid size-8 place-items-center rounded-control text-quiet hover:bg-sunk hover:text-ink disabled:opacity-30 pointer-coarse:size-11"
      onClick={onClick}
    >
      <Icon className="size-4" aria-hidden="true" />
    </button>
  );
}
