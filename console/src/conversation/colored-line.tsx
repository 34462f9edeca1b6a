// A line of code in its colors.
import type { ThemedToken } from "shiki/core";

export const ColoredLine = ({ tokens }: { tokens: readonly ThemedToken[] }) =>
  tokens.map(({ content, color, offset }) => (
    <span key={offset} style={color === undefined ? undefined : { color }}>
      {content}
    </span>
  ));
