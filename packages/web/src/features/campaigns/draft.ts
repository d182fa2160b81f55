import type { Campaign } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { localOf } from "./campaign-dates.ts";
import type { Draft } from "./editor-api.ts";
import { TEXTS } from "./editor-api.ts";

const blanks = (): string[] => Array.from({ length: TEXTS }, () => "");

/** The form of a campaign; null is a new one. */
export function draftOf(campaign: Campaign | null): Draft {
  if (campaign === null) {
    return {
      ...{ name: "", messages: blanks(), confirmations: blanks(), confirmation: false },
      ...{ scheduledAt: "", whatsappId: null, contactListId: null, tagListId: null },
      ...{ fileListId: null, answerQueueId: null, answerTagId: null },
      ...{ template: null, textInWindow: false },
    };
  }
  const { name, confirmation, whatsappId, contactListId, tagListId, fileListId } = campaign;
  const { answerQueueId, answerTagId, template, textInWindow, scheduledAt } = campaign;
  const { message1, message2, message3, message4, message5 } = campaign;
  const { confirmationMessage1, confirmationMessage2, confirmationMessage3 } = campaign;
  const { confirmationMessage4, confirmationMessage5 } = campaign;
  return {
    ...{ name, confirmation, whatsappId, contactListId, tagListId, fileListId },
    ...{ answerQueueId, answerTagId, template, textInWindow },
    messages: [message1, message2, message3, message4, message5],
    confirmations: [
      ...[confirmationMessage1, confirmationMessage2, confirmationMessage3],
      ...[confirmationMessage4, confirmationMessage5],
    ],
    scheduledAt: scheduledAt === null ? "" : localOf(scheduledAt),
  };
}

/** A variable in a text: `{nome}`. */
export const VARIABLE = /\{(\w{1,30})\}/g;

/** The variables that every campaign has. */
export const ownVariables = ["nome", "numero", "email"] as const;

/** The variables of a text that do not exist, each once. */
export function unknownIn(text: string, known: ReadonlySet<string>): string[] {
  const names = Array.from(text.matchAll(VARIABLE), ([, name = ""]) => name);
  return [...new Set(names)].filter((name) => !known.has(name));
}

/** The place of the first text with a variable that does not exist, in it or in its confirmation; -1 for none. */
export function textWithUnknown(
  { messages, confirmations, confirmation }: Draft,
  known: ReadonlySet<string>,
): number {
  return messages.findIndex((text, place) => {
    const shown = confirmation ? `${text} ${confirmations[place] ?? ""}` : text;
    return unknownIn(shown, known).length > 0;
  });
}

/** The name that is being typed at the caret, after `{`; null for none. */
export function typedVariable(text: string, caret: number): string | null {
  return /\{(\w{0,30})$/.exec(text.slice(0, caret))?.[1] ?? null;
}

export type Problem =
  | "nameRequired"
  | "nameLength"
  | "listRequired"
  | "connectionRequired"
  | "textRequired"
  | "templateRequired"
  | "variableUnknown"
  | "past";

export type Field =
  | "name"
  | "scheduledAt"
  | "whatsappId"
  | "contactListId"
  | "messages"
  | "template"
  | "variables";

type Rules = {
  /** It is to be planned or sent, not only kept. */
  isSending: boolean;
  isOfficial: boolean;
  known: ReadonlySet<string>;
  /** The company's time now, `YYYY-MM-DDTHH:mm`. */
  now: string;
};

/** What keeps a draft from being saved or sent, by field. A date that stays as it was stored is not checked again. */
export function problemsOf(
  draft: Draft,
  stored: Draft,
  { isSending, isOfficial, known, now }: Rules,
): Partial<Record<Field, Problem>> {
  const problems: Partial<Record<Field, Problem>> = {};
  const { length } = draft.name.trim();
  if (length === 0) problems.name = "nameRequired";
  else if (length < limits.nameMin || length > limits.nameMax) problems.name = "nameLength";
  const isDateKept = draft.scheduledAt === stored.scheduledAt && !isSending;
  if (draft.scheduledAt !== "" && draft.scheduledAt <= now && !isDateKept) {
    problems.scheduledAt = "past";
  }
  if (!isSending) return problems;
  if (draft.whatsappId === null) problems.whatsappId = "connectionRequired";
  if (draft.contactListId === null && draft.tagListId === null) {
    problems.contactListId = "listRequired";
  }
  if (isOfficial) {
    if (draft.template === null || hasBlank(draft.template)) problems.template = "templateRequired";
  } else if (draft.messages.every((text) => text.trim() === "")) problems.messages = "textRequired";
  const texts = draft.confirmation ? [...draft.messages, ...draft.confirmations] : draft.messages;
  if (texts.some((text) => unknownIn(text, known).length > 0)) {
    problems.variables = "variableUnknown";
  }
  return problems;
}

const hasBlank = (template: NonNullable<Draft["template"]>): boolean =>
  [template.headerParameters, template.bodyParameters, template.buttonParameters].some((values) =>
    values.some((value) => value.trim() === ""),
  );

/** The texts that are written take turns; so the place among them of the text that a person gets. */
export function textFor(position: number, messages: readonly string[]): number {
  const written = messages.flatMap((text, index) => (text.trim() === "" ? [] : [index]));
  return written[position % Math.max(1, written.length)] ?? 0;
}
