// `npm run licences`: writes the list of the parts of other authors that the page serves, and names licences that nobody has looked at.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { ensureInstalled } from "./lib/install.mjs";
import { listParts, noticesFile, refusedParts, writeNotices } from "./lib/licences.mjs";
import { root } from "./lib/paths.mjs";
import { runScript, say } from "./lib/script.mjs";

await runScript(async () => {
  await ensureInstalled();
  const parts = listParts();
  writeFileSync(join(root, noticesFile), writeNotices(parts));
  say(`${noticesFile}: ${parts.length} parts`);
  const refused = refusedParts(parts);
  for (const { name, version, licence } of refused)
    say(`${name} ${version}: ${licence ?? "no licence"} is not allowed (scripts/lib/licences.mjs)`);
  return refused.length === 0 ? 0 : 1;
});
