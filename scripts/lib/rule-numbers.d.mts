/** One row of a table; `line` is its place in the text, from 0. */
export type RuleRow = { line: number; number: string; rule: string; proof: string };
export type RuleSection = { letter: string; title: string; rows: RuleRow[] };

export const ruleDocuments: readonly string[];
export function readSections(text: string): RuleSection[];
export function numberRules(text: string): string;
