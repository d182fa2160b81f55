import type { QueueOption, QueueOptionChange } from "@balcao/contract";
import { hasCode } from "../../api/client.ts";
import { i18n } from "../../i18n/index.ts";
import { errorText, notifyError } from "../../ui/index.ts";
import { saveOption } from "./chatbot-api.ts";

/** The fields of an option that are typed. */
export type OptionField = "title" | "message" | "option";

export type OptionDraft = {
  /** What was typed and is not saved. */
  values: Readonly<Partial<Record<OptionField, string>>>;
  /** Why the last try failed. */
  failure: Error | null;
  /** The texts that cannot be saved as they are. */
  wrong: readonly OptionField[];
};

export type Drafts = ReadonlyMap<number, OptionDraft>;

/** So long after the last key a text is saved by itself. A number is not: "1" is on the way to "12". */
const SAVE_AFTER_MS = 800;

const none: OptionDraft = { values: {}, failure: null, wrong: [] };

let drafts: Drafts = new Map();
const queueOf = new Map<number, number>();
const timers = new Map<number, ReturnType<typeof setTimeout>>();
const underWay = new Map<number, Promise<void>>();
/** What was to be saved while another save of the same option was on its way. */
const wanted = new Map<number, Set<OptionField>>();
const listeners = new Set<() => void>();

/**
 * What is typed into options and not saved yet, of all queues. It stays here until the server has it, also when the
 * editor is closed meanwhile.
 */
export const optionDrafts = {
  all: (): Drafts => drafts,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/** Somebody types: shown at once, saved after a short pause. */
export function typeInto(option: QueueOption, field: OptionField, text: string): void {
  const draft = drafts.get(option.id) ?? none;
  queueOf.set(option.id, option.queueId);
  const values = { ...draft.values, [field]: text };
  set(option.id, { ...draft, values, wrong: draft.wrong.filter((one) => one !== field) });
  clearTimeout(timers.get(option.id));
  if (field === "option") return;
  timers.set(
    option.id,
    setTimeout(() => void saveTyped(option.id, ["title", "message"]), SAVE_AFTER_MS),
  );
}

/**
 * Saves what is typed now: a field was left, or Enter was pressed. Done once nothing of it is on its way any more;
 * failures stand in the draft. With `keepalive` it waits for nothing and outlives the page.
 */
export function saveTyped(
  id: number,
  fields: readonly OptionField[] = ["title", "message", "option"],
  wish: { keepalive: boolean } = { keepalive: false },
): Promise<void> {
  clearTimeout(timers.get(id));
  const before = underWay.get(id);
  if (before && !wish.keepalive) {
    wanted.set(id, new Set([...(wanted.get(id) ?? []), ...fields]));
    return before;
  }
  const saving = sendTyped(id, fields, wish).finally(() => underWay.delete(id));
  underWay.set(id, saving);
  return saving;
}

async function sendTyped(
  id: number,
  fields: readonly OptionField[],
  wish: { keepalive: boolean },
): Promise<void> {
  const draft = drafts.get(id);
  const queueId = queueOf.get(id);
  if (!draft || queueId === undefined) return;
  const typed = fields.filter((field) => draft.values[field] !== undefined);
  const wrong = typed.filter((field) => !isValid(field, draft.values[field] ?? ""));
  const good = typed.filter((field) => !wrong.includes(field));
  if (good.length === 0) {
    if (wrong.length > 0) set(id, { ...draft, wrong });
    return;
  }
  const sent = Object.fromEntries(good.map((field) => [field, draft.values[field] ?? ""]));
  set(id, { ...draft, wrong, failure: null });
  try {
    await saveOption(queueId, id, changeOf(sent), wish);
  } catch (error) {
    wanted.delete(id);
    if (hasCode(error, "ERR_NO_QUEUE_OPTION_FOUND")) {
      // A colleague has deleted the option; there is no row left that could say so.
      notifyError(errorText(i18n.t, error));
      dropTyped(id);
      return;
    }
    const failure = error instanceof Error ? error : new Error(String(error));
    set(id, { ...(drafts.get(id) ?? none), failure });
    return;
  }
  const after = drafts.get(id) ?? none;
  const left = Object.entries(after.values).filter(([field, text]) => sent[field] !== text);
  set(id, { ...after, values: Object.fromEntries(left) });
  const next = wanted.get(id);
  wanted.delete(id);
  if (next) await sendTyped(id, [...next], wish);
}

/** Saves all that is typed into the options of a queue; answers whether nothing is left to save. */
export async function saveAllTyped(
  queueId: number,
  wish: { keepalive: boolean } = { keepalive: false },
): Promise<boolean> {
  const ids = [...drafts.keys()].filter((id) => queueOf.get(id) === queueId);
  await Promise.all(ids.map((id) => saveTyped(id, undefined, wish)));
  return ids.every((id) => (drafts.get(id) ?? none).failure === null);
}

/** The option is as the server has it: Escape, or it is deleted. */
export function dropTyped(id: number): void {
  clearTimeout(timers.get(id));
  set(id, none);
}

/** The options as they will be once everything that is typed is saved. */
export function withDrafts(options: readonly QueueOption[], typed: Drafts): readonly QueueOption[] {
  return options.map((option) => {
    const draft = typed.get(option.id);
    if (!draft) return option;
    const { title = option.title, message = option.message } = draft.values;
    return { ...option, title, message };
  });
}

function changeOf(sent: Readonly<Record<string, string>>): QueueOptionChange {
  const { title, message, option } = sent;
  return {
    ...(title === undefined ? {} : { title: title.trim() }),
    ...(message === undefined ? {} : { message }),
    ...(option === undefined ? {} : { option: option.trim() }),
  };
}

function isValid(field: OptionField, text: string): boolean {
  if (field === "title") return text.trim() !== "";
  return field !== "option" || /^[1-9]\d{0,2}$/.test(text.trim());
}

function set(id: number, draft: OptionDraft): void {
  const isEmpty = Object.keys(draft.values).length === 0 && draft.failure === null;
  const next = new Map(drafts);
  if (isEmpty) next.delete(id);
  else next.set(id, draft);
  drafts = next;
  for (const listener of listeners) listener();
}
