// One Prototype: its variants, one of which is shown, and what can be done with it.
import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { artifactKinds } from "../artifacts/content.tsx";
import { CodeBlock } from "../conversation/code-block.tsx";
import { Markdown } from "../conversation/markdown.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { Ago } from "../ui/time.tsx";
import { useAct } from "../ui/use-act.ts";
import { toVisibleName } from "../ui/visible.ts";
import { Name } from "../ui/visible-text.tsx";
import { CopyPrototype } from "./copy-prototype.tsx";
import { deletePrototype, prototypeQuery } from "./prototype-calls.ts";

export function Prototype({ projectId, prototypeId }: { projectId: string; prototypeId: string }) {
  const { data, error } = useQuery(prototypeQuery(projectId, prototypeId));
  const [chosen, setChosen] = useState<string | null>(null);
  const back = (
    <Link to="/p/$project/prototypes" params={{ project: projectId }} className={buttonClass()}>
      All Prototypes
    </Link>
  );
  if (error && !data)
    return (
      <div className="mt-6">
        <Refusal error={error}>{back}</Refusal>
      </div>
    );
  if (!data) return <div aria-busy="true" className="h-96" />;
  const variant = data.variants.find(({ name }) => name === chosen) ?? data.variants[0];
  return (
    <>
      <div className="mt-4">{back}</div>
      <Section
        title={toVisibleName(data.title)}
        text={
          <>
            Made <Ago at={data.createdAt} />
          </>
        }
      >
        {data.variants.length > 1 && (
          <fieldset aria-label="Variant" className="mb-4 flex flex-wrap gap-1">
            {data.variants.map(({ name }) => (
              <Button
                key={name}
                kind={name === variant?.name ? "quiet" : "bare"}
                aria-pressed={name === variant?.name}
                onClick={() => setChosen(name)}
                className="max-w-full"
              >
                <Name className="truncate">{name}</Name>
              </Button>
            ))}
          </fieldset>
        )}
        {variant && <Variant key={variant.name} variant={variant} />}
      </Section>
      <CopyPrototype prototype={data} />
      <Delete projectId={projectId} prototypeId={prototypeId} title={data.title} />
    </>
  );
}

function Variant({ variant: { title, kind, body } }: { variant: Schemas["PrototypeVariant"] }) {
  const { word, Icon } = artifactKinds[kind];
  return (
    <article aria-label={toVisibleName(title)}>
      <h3 className="flex items-center gap-2 font-bold">
        <Icon className="size-4 shrink-0 text-accent" aria-hidden="true" />
        <Name className="min-w-0 [overflow-wrap:anywhere]">{title}</Name>
        <span className="font-normal text-meta text-quiet">{word}</span>
      </h3>
      <div className="mt-3 max-h-[60dvh] overflow-y-auto text-prose">
        {kind === "markdown" ? <Markdown text={body} /> : <CodeBlock code={body} language="html" isGrowing={false} />}
      </div>
      {kind === "html" && (
        <p className="mt-2 text-meta text-quiet">
          This is its source. Copied onto a session, the mockup is drawn there.
        </p>
      )}
    </article>
  );
}

function Delete({ projectId, prototypeId, title }: { projectId: string; prototypeId: string; title: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const { act, error, isBusy } = useAct();
  const navigate = useNavigate();
  async function remove(): Promise<void> {
    setIsAsking(false);
    if (await act(() => deletePrototype(projectId, prototypeId)))
      await navigate({ to: "/p/$project/prototypes", params: { project: projectId }, replace: true });
  }
  return (
    <div className="mt-6">
      {error !== null && (
        <div className="mb-3">
          <Refusal error={error} />
        </div>
      )}
      <Button kind="danger" disabled={isBusy} onClick={() => setIsAsking(true)}>
        {isBusy ? "Deleting…" : "Delete the Prototype"}
      </Button>
      <Confirm
        isOpen={isAsking}
        title={`Delete “${title}”?`}
        word="Delete"
        kind="danger"
        onClose={() => setIsAsking(false)}
        onConfirm={remove}
      >
        Its variants are deleted for everybody. Copies of it stay.
      </Confirm>
    </div>
  );
}
