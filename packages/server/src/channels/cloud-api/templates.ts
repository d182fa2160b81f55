import type { ConnectionId, MessageTemplate } from "@balcao/contract";
import { z } from "zod";
import type { Ctx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { OutboundTemplate } from "../port.ts";
import type { CloudAccount } from "./accounts.ts";
import { readServingAccount } from "./accounts.ts";
import type { Graph } from "./graph.ts";
import { GraphError } from "./graph.ts";

type WantedTemplate = TemplateParameters & { name: string; language: string };

/**
 * The approved templates of connections. It asks Meta, at most once a minute per connection, so call it outside of
 * transactions.
 */
export type CloudTemplates = {
  /** Sorted by name and language; empty for a connection on another channel. Throws ERR_WAPP_TEMPLATES_UNAVAILABLE. */
  list(ctx: Ctx, connectionId: ConnectionId): Promise<readonly MessageTemplate[]>;
  /**
   * Fills a template for sending. Throws ERR_WAPP_TEMPLATE when no template has the name or the parameters do not fit,
   * and the errors of `list`.
   */
  fill(ctx: Ctx, connectionId: ConnectionId, wanted: WantedTemplate): Promise<OutboundTemplate>;
};

export type TemplatesDeps = {
  db: Database;
  seal: Seal;
  graph: Graph;
  log: Logger;
  keepMs: number;
};

const button = z.looseObject({
  type: z.string(),
  text: z.string().default(""),
  url: z.string().default(""),
});
const component = z.looseObject({
  type: z.string(),
  format: z.string().default("TEXT"),
  text: z.string().default(""),
  buttons: z.array(button).default([]),
});
const listed = z.looseObject({
  name: z.string(),
  language: z.string(),
  category: z.string().default(""),
  status: z.string(),
  components: z.array(component).default([]),
});
const page = z.looseObject({
  data: z.array(z.unknown()),
  paging: z
    .looseObject({
      next: z.string().optional(),
      cursors: z.looseObject({ after: z.string().optional() }).optional(),
    })
    .optional(),
});

const PAGE_ROWS = 200;
const PAGES = 10;
/** Values for a header. */
const FORMATS = new Set(["TEXT", "IMAGE", "VIDEO", "DOCUMENT"]);

export function createTemplates({ db, seal, graph, log, keepMs }: TemplatesDeps): CloudTemplates {
  const known = new Map<ConnectionId, Known>();

  async function list(ctx: Ctx, connectionId: ConnectionId): Promise<readonly MessageTemplate[]> {
    const { companyId } = ctx;
    const account = await db.transaction(ctx, (tx) =>
      readServingAccount(tx, seal, { companyId, connectionId }),
    );
    if (!account) return [];
    const recent = known.get(connectionId);
    if (recent && isValid(recent, account)) return recent.templates;
    const asked: Known = {
      businessAccountId: account.businessAccountId,
      untilMs: performance.now() + keepMs,
      templates: ask(account),
    };
    known.set(connectionId, asked);
    try {
      return await asked.templates;
    } catch (error) {
      // The next caller asks again.
      if (known.get(connectionId) === asked) known.delete(connectionId);
      if (!(error instanceof GraphError) && !(error instanceof z.ZodError)) throw error;
      log.warn({ err: error, connectionId }, "templates were not listed");
      throw new DomainError("ERR_WAPP_TEMPLATES_UNAVAILABLE");
    }
  }

  async function ask(account: CloudAccount): Promise<readonly MessageTemplate[]> {
    const templates: MessageTemplate[] = [];
    let after: string | undefined;
    for (let pages = 0; pages < PAGES; pages += 1) {
      const answer = page.parse(
        await graph.call(account, {
          method: "GET",
          path: `${account.businessAccountId}/message_templates`,
          query: {
            fields: "name,language,category,status,components",
            status: "APPROVED",
            limit: String(PAGE_ROWS),
            ...(after === undefined ? {} : { after }),
          },
        }),
      );
      templates.push(...answer.data.flatMap((row) => toTemplate(row) ?? []));
      after = answer.paging?.next === undefined ? undefined : answer.paging.cursors?.after;
      if (after === undefined) break;
    }
    return templates.sort(byName);
  }

  return {
    list,
    async fill(ctx, connectionId, { name, language, ...parameters }) {
      const templates = await list(ctx, connectionId);
      const found = templates.find((one) => one.name === name && one.language === language);
      const filled = found && fillTemplate(found, parameters);
      if (!filled) throw new DomainError("ERR_WAPP_TEMPLATE");
      return filled;
    },
  };
}

/** Concurrent callers share one request. */
type Known = {
  businessAccountId: string;
  untilMs: number;
  templates: Promise<readonly MessageTemplate[]>;
};

function isValid({ businessAccountId, untilMs }: Known, account: CloudAccount): boolean {
  return businessAccountId === account.businessAccountId && performance.now() < untilMs;
}

/** Null for a template that is not approved, is unreadable, or cannot be filled here (a location). */
function toTemplate(row: unknown): MessageTemplate | null {
  const parsed = listed.safeParse(row);
  if (!parsed.success || parsed.data.status !== "APPROVED") return null;
  const { name, language, category, components } = parsed.data;
  const partOf = (type: string) => components.find((one) => one.type.toUpperCase() === type);
  const header = partOf("HEADER");
  if (header && !FORMATS.has(header.format)) return null;
  const body = partOf("BODY")?.text ?? "";
  return {
    name,
    language,
    category,
    header: header
      ? {
          format: header.format,
          text: header.text,
          parameters: header.format === "TEXT" ? placesOf(header.text).length : 1,
        }
      : null,
    body,
    bodyParameters: placesOf(body).length,
    footer: partOf("FOOTER")?.text ?? null,
    buttons: (partOf("BUTTONS")?.buttons ?? []).map((one) => ({
      type: one.type,
      text: one.text,
      parameters: placesIn(one),
    })),
  };
}

function placesIn({ type, url }: z.output<typeof button>): number {
  if (type === "COPY_CODE" || type === "OTP") return 1;
  return type === "URL" && placesOf(url).length > 0 ? 1 : 0;
}

function byName(one: MessageTemplate, other: MessageTemplate): number {
  return one.name.localeCompare(other.name) || one.language.localeCompare(other.language);
}

type TemplateParameters = {
  headerParameters: readonly string[];
  bodyParameters: readonly string[];
  buttonParameters: readonly string[];
};

const PLACE = /\{\{\s*(\w+)\s*\}\}/g;

/** The placeholders of a text: numbered ones by their number, named ones in the order of their appearance. */
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
 * Fills the template, for Meta and as the customer reads it. Null when the number of parameters differs from that of
 * the placeholders, or one is blank.
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
