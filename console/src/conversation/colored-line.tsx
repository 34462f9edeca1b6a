// A line of code in its colors.
import type { ThemedToken } from "shiki/core";
import { VisibleText } from "../ui/visible-text.tsx";

export const ColoredLine = ({ tokens }: { tokens: readonly ThemedToken[] }) =>
  tokens.map(({ content, color, offset }) => (
    <span key={offset} style={color === undefined ? undefined : { color }}>
      <VisibleText>{content}</VisibleText>
    </span>
  ));
