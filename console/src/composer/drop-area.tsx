// A field that takes files that are dropped on it, and the button that picks them.
import { Paperclip } from "lucide-react";
import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { Button } from "../ui/button.tsx";

interface FilesProps {
  onFiles: (files: File[]) => void;
}

/** The frame of a field. It is marked while files are held over it. */
export function DropArea({ onFiles, children }: FilesProps & { children: ReactNode }) {
  const [isOver, setIsOver] = useState(false);
  function drop(event: DragEvent): void {
    event.preventDefault();
    setIsOver(false);
    onFiles([...event.dataTransfer.files]);
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping has a picker beside it.
    <div
      className={`rounded-card border bg-panel focus-within:border-accent ${isOver ? "border-accent bg-accent-tint" : "border-line-strong/60"}`}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      {children}
    </div>
  );
}

export function FileButton({ onFiles }: FilesProps) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = "";
        }}
      />
      <Button
        kind="bare"
        className="px-2"
        aria-label="Add files"
        title="Add files"
        onClick={() => picker.current?.click()}
      >
        <Paperclip className="size-4" aria-hidden="true" />
      </Button>
    </>
  );
}
