import type { MessageTemplate, RequestOf } from "@balcao/contract";

const PLACE = /\{\{\s*([^{}\s]+)\s*\}\}/g;

/** One place to fill: where it is, and what is written there so far. */
export type TemplateField = { part: "header" | "body" | "button"; index: number };

export type TemplateValues = Readonly<Record<TemplateField["part"], readonly string[]>>;

/** The names of a text's places in the order in which they first appear; equal ones are one place. */
export function placesOf(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(PLACE), ([, name = ""]) => name))];
}

/** The text with its places filled; one without a value stays as it is. */
export function fill(text: string, values: readonly string[]): string {
  const places = placesOf(text);
  return text.replaceAll(PLACE, (place, name: string) => {
    const value = values[places.indexOf(name)]?.trim() ?? "";
    return value === "" ? place : value;
  });
}

/** Empty values for every place of the template. */
export function emptyValues(template: MessageTemplate): TemplateValues {
  const blanks = (count: number): string[] => Array.from({ length: count }, () => "");
  return {
    header: blanks(template.header?.parameters ?? 0),
    body: blanks(template.bodyParameters),
    button: blanks(template.buttons.reduce((sum, { parameters }) => sum + parameters, 0)),
  };
}

export function withValue(
  values: TemplateValues,
  { part, index }: TemplateField,
  value: string,
): TemplateValues {
  return { ...values, [part]: values[part].with(index, value) };
}

/** The first place that nothing is written in; null when all are filled. */
export function firstBlank(values: TemplateValues): TemplateField | null {
  for (const part of ["header", "body", "button"] as const) {
    const index = values[part].findIndex((value) => value.trim() === "");
    if (index !== -1) return { part, index };
  }
  return null;
}

/** What is sent to the server. */
export function sendBodyOf(
  template: MessageTemplate,
  values: TemplateValues,
  clientId: string,
): RequestOf<"POST /messages/:ticketId/template">["body"] {
  return {
    name: template.name,
    language: template.language,
    headerParameters: [...values.header],
    bodyParameters: [...values.body],
    buttonParameters: [...values.button],
    clientId,
  };
}

/** The name of a button for each of the button parameters, in their order. */
export function buttonOfEachPlace(template: MessageTemplate): string[] {
  return template.buttons.flatMap(({ text, parameters }) =>
    Array.from({ length: parameters }, () => text),
  );
}

/** What a search for templates looks in. */
export function searchedText({ name, body, header }: MessageTemplate): string {
  return `${name} ${body} ${header?.text ?? ""}`;
}
