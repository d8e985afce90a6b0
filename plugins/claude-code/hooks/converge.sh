#!/bin/sh
# Hands a hook's call to the converge command: that of the package this plugin lies in, else the one on PATH.
package="${0%/*}/../../.."
if [ -f "$package/dist/command-line/main.cjs" ] && command -v node >/dev/null; then
  exec node "$package/bin/converge.js" hook "$1"
fi
if command -v converge >/dev/null; then
  exec converge hook "$1"
fi
# Without the command nothing works, which concerns only those who ask for it.
input=$(cat)
case "$1:$input" in
  claude-prompt:*'"prompt":"/ralph'* | claude-prompt:*'"prompt":"/cancel-ralph'* | claude-prompt:*'"prompt":"/converge:'*)
    echo '{"decision":"block","reason":"The converge command was not found, so there is no loop. Install it with: npm install -g converge-loop (it needs Node 20.19 or newer), then type this again."}'
    ;;
  *)
    echo '{}'
    ;;
esac
