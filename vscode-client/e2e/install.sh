#!/usr/bin/env bash
# Gets a real VS Code for the tests: code-server (VS Code behind a web server) into the folder $1, with the Node and npm of $PATH; its headers
# are in the folder $2. Its install scripts are not run: they fetch and build what is not needed here.
set -euo pipefail
mkdir -p "$1" && cd "$1"
export npm_config_nodedir=$2
log=$PWD/install.log

quietly() { # what a command printed is shown only if it fails
    "$@" >"$log" 2>&1 || { tail -n 40 "$log" >&2; echo "failed: $*" >&2; return 1; }
}

install=(npm install --no-audit --no-fund --ignore-scripts)
quietly "${install[@]}" --prefix . code-server@4.139.1
cd node_modules/code-server/lib/vscode
quietly "${install[@]}" --omit=dev
(cd extensions && quietly "${install[@]}" --omit=dev)
quietly npm rebuild @vscode/spdlog @vscode/native-watchdog
