import type { CampaignSettings, CampaignTemplate } from "@balcao/contract";

// The variables of campaign texts (behaviour 5.4). Pure.

/** What a text says about a person. */
export type PersonTexts = { name: string; number: string; email: string };

type Variables = CampaignSettings["variables"];

const VARIABLE = /\{([A-Za-z0-9_]{1,30})\}/g;
/** Their places in SQL's `format`. */
const personVariables = ["nome", "numero", "email"];

/** Whether a shortcut is one of {nome}, {numero} and {email}, which always exist. */
export const isPersonVariable = (key: string): boolean => personVariables.includes(key);

/** The shortcuts that texts use and that do not exist, each once. */
export function unknownVariables(texts: readonly string[], variables: Variables): string[] {
  const known = new Set([...personVariables, ...variables.map(({ key }) => key)]);
  const used = texts.flatMap((text) => [...text.matchAll(VARIABLE)].map(([, key = ""]) => key));
  return [...new Set(used.filter((key) => !known.has(key)))];
}

/** The text for one person: each variable once, so that a name with braces stays a name. Unknown ones stay as they are. */
export function renderText(text: string, variables: Variables, person: PersonTexts): string {
  const values = new Map([
    ...variables.map(({ key, value }): [string, string] => [key, value]),
    ["nome", person.name],
    ["numero", person.number],
    ["email", person.email],
  ]);
  return text.replaceAll(VARIABLE, (written, key: string) => values.get(key) ?? written);
}

/** The template with its parameters for one person. */
export function renderTemplate(
  template: CampaignTemplate,
  variables: Variables,
  person: PersonTexts,
): CampaignTemplate {
  return withParameters(template, (text) => renderText(text, variables, person));
}

/** The same text for SQL's `format(text, name, number, email)`, which is as `renderText` for many people at once. */
export function formatOf(text: string, variables: Variables): string {
  const values = new Map(variables.map(({ key, value }) => [key, value]));
  const literal = (part: string): string => part.replaceAll("%", "%%");
  let format = "";
  let end = 0;
  for (const found of text.matchAll(VARIABLE)) {
    const [written, key = ""] = found;
    const place = personVariables.indexOf(key);
    format += literal(text.slice(end, found.index));
    format += place < 0 ? literal(values.get(key) ?? written) : `%${place + 1}$s`;
    end = found.index + written.length;
  }
  return format + literal(text.slice(end));
}

/** A template as JSON for the same, if name, number and email are written as in a JSON string. */
export function formatOfTemplate(template: CampaignTemplate, variables: Variables): string {
  const { name, language } = template;
  const literal = (text: string): string => text.replaceAll("%", "%%");
  return JSON.stringify({
    ...withParameters(template, (text) => formatOf(text, variables)),
    name: literal(name),
    language: literal(language),
  });
}

/** The texts of a template in which variables may stand. */
export function templateTexts(template: CampaignTemplate | null): string[] {
  if (template === null) return [];
  const { headerParameters, bodyParameters, buttonParameters } = template;
  return [...headerParameters, ...bodyParameters, ...buttonParameters];
}

/** Those of five texts that are written, in their order: the rotation. */
export const writtenTexts = (texts: readonly string[]): string[] =>
  texts.filter((text) => text.trim() !== "");

function withParameters(
  template: CampaignTemplate,
  change: (text: string) => string,
): CampaignTemplate {
  return {
    ...template,
    headerParameters: template.headerParameters.map(change),
    bodyParameters: template.bodyParameters.map(change),
    buttonParameters: template.buttonParameters.map(change),
  };
}
