/** The values of a text's variables. */
export type VariableValues = {
  contactName: string;
  now: Date;
  /** IANA name; hours are those of the company. */
  timeZone: string;
  /** The variables of a text that names who goes on with a ticket; other texts have none of them. */
  names?: { queue?: string; user?: string };
};

const names = /\{\{(firstName|name|ms|gretting|protocol|hora|queue|user)\}\}/g;

/**
 * The text with `{{firstName}}`, `{{name}}`, `{{ms}}`, `{{gretting}}`, `{{protocol}}` and `{{hora}}` replaced, once and
 * as they are (behaviour 3), and `{{queue}}` and `{{user}}` where their names are given. Everything else in braces stays as
 * written.
 */
export function renderVariables(text: string, values: VariableValues): string {
  if (!text.includes("{{")) return text;
  return text.replace(names, (whole, name: string) => valueOf(name, values) ?? whole);
}

function valueOf(name: string, values: VariableValues): string | undefined {
  const { contactName, now, timeZone } = values;
  if (name === "queue" || name === "user") return values.names?.[name];
  if (name === "name") return contactName;
  if (name === "firstName") return firstNameOf(contactName);
  const { date, hour, minute, second } = localTime(now, timeZone);
  if (name === "protocol") return `${date}${hour}${minute}${second}`;
  if (name === "hora") return `${hour}:${minute}:${second}`;
  return greeting(Number(hour));
}

/** Legal forms of Brazilian companies, as the last word of a name. */
const legalForm = /[\s,.-](ltda|eireli|mei|epp|s[/.]?a)\.?$/i;

/** The first word of a person's name; a company's whole name; "cliente" for a name without letters, as "🎀" or a number. */
function firstNameOf(contactName: string): string {
  const name = contactName.trim();
  if (!/\p{L}/u.test(name)) return "cliente";
  if (legalForm.test(name)) return name;
  // The first word that has letters: "🎀 Ana" is Ana.
  return name.split(/\s+/).find((word) => /\p{L}/u.test(word)) ?? name;
}

function greeting(hour: number): string {
  if (hour < 6) return "Boa madrugada";
  if (hour < 12) return "Bom dia";
  return hour < 18 ? "Boa tarde" : "Boa noite";
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** All parts as digits with leading zeros; `date` is yyyyMMdd. */
function localTime(
  now: Date,
  timeZone: string,
): { date: string; hour: string; minute: string; second: string } {
  const parts = formatOf(timeZone).formatToParts(now);
  const part = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((one) => one.type === type)?.value ?? "";
  return {
    date: `${part("year")}${part("month")}${part("day")}`,
    hour: part("hour"),
    minute: part("minute"),
    second: part("second"),
  };
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  formats.set(timeZone, format);
  return format;
}
