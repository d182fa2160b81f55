#!/bin/sh
# Installs this checkout as a service of Debian, or updates the one that is there: run it again with the new checkout.
#   sudo deploy/install.sh [--dry-run] [--no-start] [--root DIR]
# --dry-run prints the steps, --no-start leaves the service as it is, --root installs below another folder (without user
# and service: for images). Every step may be repeated; until the link `current` moves, the running version is untouched.
set -eu

dry_run=no start=yes root=
while [ $# -gt 0 ]; do
  case $1 in
    --dry-run) dry_run=yes ;;
    --no-start) start=no ;;
    --root) [ $# -gt 1 ] || { echo "--root needs a folder" >&2; exit 64; }; root=$2; shift ;;
    *) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 64 ;;
  esac
  shift
done

source=$(cd "$(dirname "$0")/.." && pwd)
opt=$root/opt/balcao
etc=$root/etc/balcao
release=$opt/releases/$(date -u +%Y%m%d-%H%M%S)

run() {
  if [ "$dry_run" = yes ]; then echo "would run: $*"; else "$@"; fi
}
fail() {
  echo "$1" >&2
  exit 1
}

[ "$dry_run" = yes ] || [ -n "$root" ] || [ "$(id -u)" = 0 ] || fail "Run it as root: sudo deploy/install.sh"
command -v npm >/dev/null || fail "npm is missing: install Node.js 20.19 or newer, with npm."
node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' ||
  fail "Node.js 20.19 or newer is needed to install; this is $(node --version)."

as_service() {
  if [ -n "$root" ]; then run "$@"; else run runuser -u balcao -- "$@"; fi
}

if [ -z "$root" ] && ! getent passwd balcao >/dev/null; then
  run useradd --system --user-group --home-dir /var/lib/balcao/data --no-create-home --shell /usr/sbin/nologin balcao
fi
run install -d -m 0755 "$opt" "$opt/releases"
run install -d -m 0750 "$etc"
# The service reads its key files there, but no settings: those are root's.
[ -n "$root" ] || run chown root:balcao "$etc"
[ -e "$etc/balcao.env" ] || run install -m 0600 "$source/deploy/balcao.env" "$etc/balcao.env"

# The new version beside the running one. It is built by the service's user and belongs to root afterwards.
trap 'if [ "$(readlink "$opt/current")" != "releases/$(basename "$release")" ]; then run rm -rf "$release"; fi' EXIT
run install -d -m 0755 "$release"
[ -n "$root" ] || run chown balcao:balcao "$release"
# shellcheck disable=SC2016 # the inner shell expands them
copy='cd "$1" && tar --exclude=./node_modules --exclude=./data --exclude=./.git --exclude=./.cache --exclude=dist -cf - . | tar -C "$2" -xf - --no-same-owner'
run sh -c "$copy" copy "$source" "$release"
[ -n "$root" ] || run chown -R balcao:balcao "$release"
# With the list of its parts for scanners (CycloneDX), where this npm can write one; it asks nobody.
# shellcheck disable=SC2016
build='cd "$1" && export HOME="$1/.home" && node --input-type=module -e "
  const load = (name) => import(process.cwd() + \"/scripts/lib/\" + name + \".mjs\");
  const [script, install, build] = await Promise.all([\"script\", \"install\", \"build\"].map(load));
  await script.runScript(async () => {
    await install.ensureInstalled();
    await build.ensureBuilt();
    return 0;
  });" &&
  { npm sbom --sbom-format=cyclonedx --sbom-type=application --omit=dev --package-lock-only >sbom.cdx.json || rm -f sbom.cdx.json; } &&
  rm -rf "$1/.home"'
as_service sh -c "$build" build "$release"
[ -n "$root" ] || run chown -R root:root "$release"

# From here on a start takes the new version.
run ln -sfn "releases/$(basename "$release")" "$opt/current.new"
run mv -T "$opt/current.new" "$opt/current"
run install -D -m 0644 "$source/deploy/balcao.service" "$root/etc/systemd/system/balcao.service"

if [ -z "$root" ] && [ "$start" = yes ]; then
  run systemctl daemon-reload
  run systemctl enable balcao.service
  run systemctl restart balcao.service
fi

# The last three versions stay, to go back as long as no migration came between.
if [ "$dry_run" = no ]; then
  find "$opt/releases" -mindepth 1 -maxdepth 1 -type d | sort -r | tail -n +4 | while read -r old; do rm -rf "$old"; done
fi
[ "$dry_run" = yes ] || echo "Balcão is in $release. Settings: $etc/balcao.env. Log: journalctl -u balcao"
