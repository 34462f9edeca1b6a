/** Says that a provider refused the code of a sign-in. */
export function WrongCode() {
  return (
    <p role="alert" className="mt-2 text-red-ink">
      The provider does not take this code. Copy it again, or begin again.
    </p>
  );
}
