// A refusal with its next step: what the person can do about it, as a button.
import { Link } from "@tanstack/react-router";
import { Button, buttonClass } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { findNextStep } from "./send-rules.ts";

interface StepRefusalProps {
  error: unknown;
  /** Does again what was refused; left out where that needs another choice. */
  onAgain?: (() => void) | undefined;
  onClose: () => void;
}

export function StepRefusal({ error, onAgain, onClose }: StepRefusalProps) {
  const { step, label, hint } = findNextStep(error);
  return (
    <Refusal error={error}>
      {hint && <p className="w-full text-ink">{hint}</p>}
      {step === "again" && onAgain && <Button onClick={onAgain}>{label}</Button>}
      {step === "sessions" && (
        <Link to="/sessions" className={buttonClass()}>
          {label}
        </Link>
      )}
      {step === "sign-in" && (
        <a
          className={buttonClass()}
          href={`/api/auth/github/connect?returnTo=${encodeURIComponent(location.pathname + location.search)}`}
        >
          {label}
        </a>
      )}
      <Button kind="bare" onClick={onClose}>
        Close
      </Button>
    </Refusal>
  );
}
