// `node scripts/number-rules.mjs`: numbers the rows of the rule documents anew, after rows have come, gone or moved.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "./lib/paths.mjs";
import { numberRules, readSections, ruleDocuments } from "./lib/rule-numbers.mjs";
import { runScript, say } from "./lib/script.mjs";

await runScript(() => {
  for (const name of ruleDocuments) {
    const file = join(root, "docs", name);
    const numbered = numberRules(readFileSync(file, "utf8"));
    writeFileSync(file, numbered);
    const rows = readSections(numbered).reduce((sum, section) => sum + section.rows.length, 0);
    say(`${name}: ${rows} rules are numbered`);
  }
  return 0;
});
