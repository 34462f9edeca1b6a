#!/bin/sh
# Reminds the agent of a README that was changed.
if grep -q '"file_path":"[^"]*README.md"'; then
  echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"The README was changed: check its links."}}'
fi
