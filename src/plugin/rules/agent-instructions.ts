// The instructions of a plugin's skill or command as the agent reads them, with what its message says filled in.

export interface Filling {
  /** What stands behind the name in the message. */
  argument: string;
  pluginFolder: string;
  skillFolder: string;
}

/** Fills `$ARGUMENTS`, `$1` to `$9`, `${CLAUDE_PLUGIN_ROOT}` and `${CLAUDE_SKILL_DIR}`. What is filled in is not filled again. */
export function filledInstructions(instructions: string, { argument, pluginFolder, skillFolder }: Filling): string {
  const words = argument.split(/\s+/).filter((word) => word !== "");
  return instructions.replace(
    /\$ARGUMENTS\b|\$([1-9])(?!\d)|\$\{CLAUDE_(PLUGIN_ROOT|SKILL_DIR)\}/g,
    (whole, place: string | undefined, folder: string | undefined) => {
      if (place !== undefined) return words[Number(place) - 1] ?? "";
      if (folder !== undefined) return folder === "PLUGIN_ROOT" ? pluginFolder : skillFolder;
      return whole === "$ARGUMENTS" ? argument : whole;
    },
  );
}
