// What opens over any page: the palette, and the help for the keys.
import { KeyHelp } from "./key-help.tsx";
import { Palette } from "./palette.tsx";

export type Overlay = "palette" | "help" | null;

export function Overlays({ overlay, onChange }: { overlay: Overlay; onChange: (overlay: Overlay) => void }) {
  const close = () => onChange(null);
  return (
    <>
      <Palette isOpen={overlay === "palette"} onClose={close} onHelp={() => onChange("help")} />
      <KeyHelp isOpen={overlay === "help"} onClose={close} />
    </>
  );
}
