import type { MessageTemplate } from "@balcao/contract";
import type { OutboundTemplate } from "../port.ts";

export type TemplateParameters = {
  headerParameters: readonly string[];
  bodyParameters: readonly string[];
  buttonParameters: readonly string[];
};

const PLACE = /\{\{\s*(\w+)\s*\}\}/g;

/** What a text may be filled with: numbered places by their number, named ones in the order in which they appear. */
export function placesOf(text: string): string[] {
  const names = [...new Set([...text.matchAll(PLACE)].map(([, name = ""]) => name))];
  const isNumbered = names.every((name) => /^\d+$/.test(name));
  return isNumbered ? names.sort((one, other) => Number(one) - Number(other)) : names;
}

export function fillText(text: string, parameters: readonly string[]): string {
  const places = placesOf(text);
  return text.replaceAll(PLACE, (place, name: string) => parameters[places.indexOf(name)] ?? place);
}

/**
 * The template filled, for Meta and as the customer reads it. Null when the parameters are not as many as it has places,
 * or one is blank.
 */
export function fillTemplate(
  template: MessageTemplate,
  parameters: TemplateParameters,
): OutboundTemplate | null {
  const { headerParameters, bodyParameters, buttonParameters } = parameters;
  const { header, body, footer, buttons, name, language } = template;
  const buttonPlaces = buttons.reduce((sum, button) => sum + button.parameters, 0);
  const isComplete =
    headerParameters.length === (header?.parameters ?? 0) &&
    bodyParameters.length === template.bodyParameters &&
    buttonParameters.length === buttonPlaces;
  const all = [...headerParameters, ...bodyParameters, ...buttonParameters];
  if (!isComplete || all.some((value) => value.trim() === "")) return null;

  const headerText = header?.format === "TEXT" ? fillText(header.text, headerParameters) : "";
  return {
    kind: "template",
    name,
    language,
    components: [
      ...headerComponents(header, headerParameters),
      ...(bodyParameters.length === 0
        ? []
        : [{ type: "body", parameters: textParameters(body, bodyParameters) }]),
      ...buttonComponents(buttons, buttonParameters),
    ],
    text: [headerText, fillText(body, bodyParameters), footer ?? ""].filter(Boolean).join("\n\n"),
  };
}

function headerComponents(
  header: MessageTemplate["header"],
  parameters: readonly string[],
): unknown[] {
  const [first] = parameters;
  if (!header || first === undefined) return [];
  if (header.format === "TEXT") {
    return [{ type: "header", parameters: textParameters(header.text, parameters) }];
  }
  const type = header.format.toLowerCase();
  return [{ type: "header", parameters: [{ type, [type]: { link: first } }] }];
}

function buttonComponents(
  buttons: MessageTemplate["buttons"],
  parameters: readonly string[],
): unknown[] {
  let next = 0;
  return buttons.flatMap((button, index) => {
    if (button.parameters === 0) return [];
    const value = parameters[next] ?? "";
    next += 1;
    const isCode = button.type === "COPY_CODE";
    return {
      type: "button",
      sub_type: isCode ? "copy_code" : "url",
      index: String(index),
      parameters: [
        isCode ? { type: "coupon_code", coupon_code: value } : { type: "text", text: value },
      ],
    };
  });
}

function textParameters(text: string, parameters: readonly string[]): unknown[] {
  const places = placesOf(text);
  return parameters.map((value, index) => {
    const name = places[index] ?? "";
    const isNumbered = /^\d+$/.test(name);
    return { type: "text", ...(isNumbered ? {} : { parameter_name: name }), text: value };
  });
}
