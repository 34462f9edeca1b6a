// The field of the Deploy Chat: a message to the deploy agent, its files and its model.

import { Popover } from "@base-ui/react/popover";
import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { ArrowUp, ChevronDown } from "lucide-react";
import { type FormEvent, type KeyboardEvent, useState } from "react";
import { FileButton } from "../composer/drop-area.tsx";
import { FileChips } from "../composer/file-chips.tsx";
import { ModelChoice } from "../composer/model-choice.tsx";
import { accessQuery, modelsQuery } from "../composer/queries.ts";
import { useModelLabel } from "../conversation/use-model-label.ts";
import { Button } from "../ui/button.tsx";
import { type useKeptText, withoutSent } from "../ui/kept-text.ts";
import { Refusal } from "../ui/refusal.tsx";
import { Name } from "../ui/visible-text.tsx";
import { chooseDeployModel } from "./deploy-calls.ts";
import { describeDelivery, isDeployOpen } from "./deploy-words.ts";
import { useSealedSend } from "./use-sealed-send.ts";

interface DeployComposerProps {
  projectId: string;
  chat: Schemas["DeployChat"];
  /** The message that is being written, and what changes it. */
  draft: ReturnType<typeof useKeptText>;
}

export function DeployComposer({
  projectId,
  chat: { status, deployJobId, deployModel },
  draft: [text, setText],
}: DeployComposerProps) {
  const [files, setFiles] = useState<File[]>([]);
  const [error, setError] = useState<unknown>(null);
  const [said, setSaid] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const sendSealed = useSealedSend(projectId);
  const isOpen = isDeployOpen(status);

  async function send(event?: FormEvent): Promise<void> {
    event?.preventDefault();
    const content = text.trim();
    if (content === "" || isBusy) return;
    setError(null);
    setSaid("");
    setIsBusy(true);
    try {
      const seen = isOpen && deployJobId !== null ? { runningDeployJobId: deployJobId } : {};
      const body = { userResponse: content, ...(status === "idle" ? { freshDeploy: true } : seen) };
      const wish = JSON.stringify([content, files.map(({ name, size, lastModified }) => [name, size, lastModified])]);
      const { delivery } = await sendSealed(wish, { body, files });
      setText((now) => withoutSent(now, text));
      setFiles((now) => now.filter((file) => !files.includes(file)));
      setSaid(describeDelivery(delivery));
    } catch (refusal) {
      setError(refusal);
    }
    setIsBusy(false);
  }

  function press(event: KeyboardEvent): void {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    if (matchMedia("(pointer: coarse)").matches) return;
    event.preventDefault();
    send();
  }

  return (
    <>
      <form
        onSubmit={send}
        aria-label="Message to the deploy agent"
        className="mt-3 rounded-card border border-line-strong/60 bg-panel focus-within:border-accent"
      >
        <textarea
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setSaid("");
          }}
          onKeyDown={press}
          aria-label="Message to the deploy agent"
          placeholder={status === "idle" ? "Say what the first Deploy should know" : "Write to the deploy agent"}
          rows={2}
          dir="auto"
          className="field-sizing-content block max-h-[40vh] min-h-16 w-full resize-none rounded-card bg-transparent px-4 pt-3 text-prose outline-none placeholder:text-quiet pointer-coarse:text-[16px]"
        />
        <div className="px-4">
          <FileChips
            files={files.map(({ name, size }) => ({ name, size }))}
            onRemove={(at) => setFiles(files.filter((_, index) => index !== at))}
          />
        </div>
        <div className="flex items-center gap-1 px-2 pb-2">
          <FileButton onFiles={(added) => setFiles([...files, ...added])} />
          <Model projectId={projectId} value={deployModel} isLocked={isOpen} />
          <span role="status" className="min-w-0 flex-1 truncate text-meta text-quiet">
            {said}
          </span>
          <Button type="submit" kind="main" disabled={text.trim() === "" || isBusy}>
            <ArrowUp className="size-4" aria-hidden="true" />{" "}
            {isBusy ? "Sending…" : status === "idle" ? "Deploy with this" : "Send"}
          </Button>
        </div>
      </form>
      {error !== null && (
        <div className="mt-3">
          <Refusal error={error} />
        </div>
      )}
    </>
  );
}

interface ModelProps {
  projectId: string;
  value: string | null;
  isLocked: boolean;
}

/** The deploy agent runs on these providers only. */
const isOfDeploys = ({ provider }: Schemas["Model"]) => provider === "anthropic" || provider === "openai";

function Model({ projectId, value, isLocked }: ModelProps) {
  const { data: models = [] } = useQuery(modelsQuery);
  const { data: access } = useQuery(accessQuery(projectId));
  const label = useModelLabel(value);
  const [error, setError] = useState<unknown>(null);

  async function choose(model: string): Promise<void> {
    setError(null);
    await chooseDeployModel(projectId, model).catch(setError);
  }

  return (
    <Popover.Root>
      <Popover.Trigger render={<Button kind="bare" className="min-w-0" />}>
        <Name className="max-w-48 truncate">{label ?? "Choose a model"}</Name>
        <ChevronDown className="size-4 shrink-0" aria-hidden="true" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner side="top" align="start" sideOffset={8} className="z-30">
          <Popover.Popup className="flex max-h-[min(70vh,460px)] w-100 max-w-[calc(100vw-32px)] flex-col rounded-card border border-line bg-panel p-2 text-ui shadow-lg outline-none">
            <Popover.Title className="sr-only">Model of the deploy agent</Popover.Title>
            {isLocked && (
              <p className="px-2 pt-1 pb-2 text-meta text-quiet">
                A Deploy runs. The model can change when it has ended.
              </p>
            )}
            {error !== null && <Refusal error={error} />}
            <ModelChoice
              models={models.filter(isOfDeploys)}
              access={access}
              value={value}
              isLocked={isLocked}
              onChoose={choose}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
