// The next step after something could not be read: try again, or leave where that cannot help.
import { Link } from "@tanstack/react-router";
import { Button, buttonClass } from "./button.tsx";

interface RetryOrHomeProps {
  /** True if the person would get the same refusal again. */
  isClosed: boolean;
  onRetry: () => void;
}

export const RetryOrHome = ({ isClosed, onRetry }: RetryOrHomeProps) =>
  isClosed ? (
    <Link to="/" className={buttonClass()}>
      To your inbox
    </Link>
  ) : (
    <Button onClick={() => onRetry()}>Try again</Button>
  );
