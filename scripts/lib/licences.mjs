// Which parts of other authors are passed on with the product, and under which licences.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "./paths.mjs";

/** The file of the list: the build serves it beside the page. */
export const noticesFile = "packages/web/public/third-party.txt";

/** Licences that ask for nothing but their text. */
const allowed = new Set([
  ...["MIT", "MIT-0", "ISC", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0"],
  ...["BlueOak-1.0.0", "OFL-1.1", "CC0-1.0"],
]);

/** Parts with a licence that asks for more, each looked at (docs/third-party.md). */
const lookedAt = [
  { name: /^@ffmpeg-installer\//, licence: /^(GPLv3|LGPL-2\.1|https:\/\/git\.ffmpeg\.org\/)/ },
  { name: /^@img\/sharp-/, licence: /^(Apache-2\.0 AND )?LGPL-3\.0-or-later( AND MIT)?$/ },
  { name: /^libsignal$/, licence: /^GPL-3\.0$/ },
  { name: /^web-push$/, licence: /^MPL-2\.0$/ },
];

/** Packages whose programs or code reach whoever gets the product. */
const shippers = ["packages/contract", "packages/client", "packages/server", "packages/web"];
const inBrowser = "packages/web";

const readJson = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));

/** All parts that are passed on, from the lock file: path, name, version, licence, and whether browsers get it. */
export function listParts() {
  const { packages } = readJson("package-lock.json");
  const browser = closureOf(packages, [inBrowser]);
  const all = closureOf(packages, ["", ...shippers]);
  return [...all]
    .map((path) => ({
      path,
      name: path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
      version: packages[path].version,
      licence: packages[path].license ?? licenceOfManifest(path),
      isInBrowser: browser.has(path),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1));
}

/** The installed packages that these need, directly or not. */
function closureOf(packages, starts) {
  const found = new Set();
  const open = [...starts];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const entry = packages[path] ?? {};
    const needed = {
      ...entry.dependencies,
      ...entry.optionalDependencies,
      ...entry.peerDependencies,
    };
    for (const name of Object.keys(needed)) {
      const at = resolveFrom(packages, path, name);
      if (at === null || packages[at].link || found.has(at)) continue;
      // Some name tools for developers, such as types, as their peers.
      if (packages[at].dev || packages[at].devOptional) continue;
      found.add(at);
      open.push(at);
    }
  }
  return found;
}

/** As Node finds it: beside the package, then in each folder above. Null: it is not installed. */
function resolveFrom(packages, from, name) {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf("/")))) {
    const at = base === "" ? `node_modules/${name}` : `${base}/node_modules/${name}`;
    if (packages[at] !== undefined) return at;
    if (base === "") return null;
  }
}

/** Some old packages name it in another field, which the lock file leaves out. */
function licenceOfManifest(path) {
  if (!existsSync(join(root, path, "package.json"))) return null;
  const { license, licenses } = readJson(`${path}/package.json`);
  const first = Array.isArray(licenses) ? licenses[0] : licenses;
  return license?.type ?? license ?? first?.type ?? first ?? null;
}

/** Parts whose licence nobody has looked at. */
export function refusedParts(parts) {
  return parts.filter(({ name, licence }) => {
    if (licence === null) return true;
    const isLookedAt = lookedAt.some((one) => one.name.test(name) && one.licence.test(licence));
    return !isLookedAt && !isAllowed(licence);
  });
}

/** `(A OR B)` needs one of them, `A AND B` all. */
function isAllowed(licence) {
  const choices = licence.replace(/^\((.*)\)$/, "$1").split(" OR ");
  return choices.some((choice) => choice.split(" AND ").every((one) => allowed.has(one)));
}

const line = ({ name, version, licence }) => `${name} ${version}  ${licence}`;

/** The text of the list: every part, and for what browsers get the licences' own texts. */
export function writeNotices(parts) {
  const { version } = readJson("package.json");
  const texts = new Map();
  for (const part of parts.filter(({ isInBrowser }) => isInBrowser)) {
    const text = licenceText(part.path);
    if (text === null) continue;
    texts.set(text, [...(texts.get(text) ?? []), part.name]);
  }
  return [
    `Balcão ${version} is under the MIT licence. It contains and installs parts of other authors, each under its own licence.`,
    "What asks for more than its text: docs/third-party.md. This file is written by `npm run licences`.",
    "",
    "In the browser",
    "",
    ...parts.filter(({ isInBrowser }) => isInBrowser).map(line),
    "",
    "In the server, which carries the licences' texts beside each part (node_modules/<part>)",
    "",
    ...parts.filter(({ isInBrowser }) => !isInBrowser).map(line),
    "",
    "Texts of the licences of the parts in the browser",
    ...[...texts].flatMap(([text, names]) => ["", "-".repeat(80), names.join(", "), "", text]),
    "",
  ].join("\n");
}

function licenceText(path) {
  const folder = join(root, path);
  if (!existsSync(folder)) return null;
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name));
  if (names.length === 0) return null;
  return names
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n").trim())
    .join("\n\n");
}
