#!/bin/sh
# Forbids a forced push. Two words show what becomes of a hook that hangs, and of one that dies.
command=$(cat)
case $command in
*"git push --force"*)
  echo "A forced push would lose the work of others." >&2
  exit 2
  ;;
*please-hang*) sleep 600 ;;
*please-die*) kill -9 $$ ;;
esac
