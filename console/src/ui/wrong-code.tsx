/** Says that a provider refused the code of a sign-in. */
export function WrongCode() {
  return (
    <p role="alert" className="mt-2 text-red-ink">
      The provider does not accept this code. Copy it again, or start again.
    </p>
  );
}
