/** The documents in `docs/` that list rules and the tests that prove them. */
export const ruleDocuments = [
  "inbox-rules.md",
  "attendant-rules.md",
  "existing-clients.md",
  "schedules.md",
  "contact-rules.md",
  "campaign-rules.md",
  "kanban.md",
  "announcements.md",
  "dashboard.md",
  "provider.md",
  "mail.md",
  "billing.md",
  "brand.md",
  "ai-agents.md",
  "integrations.md",
  "api.md",
  "operations.md",
  "many-machines.md",
  "backup.md",
  "one-company.md",
  "observability.md",
  "security-check.md",
  "../SECURITY.md",
  "fair-share.md",
  "moving-from-whaticket.md",
  "roles.md",
  "sign-in.md",
  "audit.md",
  "privacy.md",
  "phone-and-push.md",
];

const heading = /^## ([A-Z])\. (.+)$/;
const row = /^\| (?!#|-)/;

/**
 * The sections of such a document that have a letter, each with the cells of its rows as they stand there. Other
 * sections, and tables before the first heading, are no rules.
 */
export function readSections(text) {
  const sections = [];
  let current = null;
  text.split("\n").forEach((line, index) => {
    if (line.startsWith("## ")) {
      const [, letter, title] = heading.exec(line) ?? [];
      current = letter === undefined ? null : { letter, title, rows: [] };
      if (current) sections.push(current);
    } else if (current && row.test(line)) {
      const [number = "", rule = "", proof = ""] = cellsOf(line);
      current.rows.push({ line: index, number, rule, proof });
    }
  });
  return sections;
}

/** The same text with each row's number made anew: the letter of its section and its place in it. */
export function numberRules(text) {
  const lines = text.split("\n");
  for (const { letter, rows } of readSections(text)) {
    rows.forEach(({ line }, place) => {
      lines[line] = lines[line].replace(/^\| [^|]*\|/, `| ${letter}${place + 1} |`);
    });
  }
  return lines.join("\n");
}

/** Cells without their edges; `\|` is a bar that stands in one. */
function cellsOf(line) {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll(String.raw`\|`, "|"));
}
