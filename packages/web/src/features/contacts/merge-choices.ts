import type { MergeChoices, MergePreview } from "./contact-page-api.ts";

/** Whose value stays. */
type Side = "own" | "other";

/** A field of two contacts beside each other. */
export type MergeField = {
  /** `name`, `number`, `email`, or the label of a field of the extra information. */
  key: string;
  /** Null for the first three, which have a text of their own. */
  label: string | null;
  own: string;
  other: string;
  /** Undefined where there is nothing to choose: the values are equal, or one is empty. */
  chosen: Side | undefined;
};

const plainFields = ["name", "number", "email"] as const;

/** The fields with a value on either side; what was not chosen yet stays as the contact that stays has it. */
export function fieldsOf(
  { own, other }: Pick<MergePreview, "own" | "other">,
  chosen: Readonly<Record<string, Side>>,
): MergeField[] {
  const field = (key: string, label: string | null, a: string, b: string): MergeField => {
    const isOpen = a !== b && a !== "" && b !== "";
    const known = { key, label, own: a, other: b };
    return { ...known, chosen: isOpen ? (chosen[key] ?? "own") : undefined };
  };
  const valueOf = ({ contact }: MergePreview["own"], name: string): string =>
    contact.extraInfo
      .filter((row) => row.name.trim() === name)
      .map(({ value }) => value)
      .join(", ");
  const rows = [...own.contact.extraInfo, ...other.contact.extraInfo];
  const names = [...new Set(rows.map(({ name }) => name.trim()))];
  return [
    ...plainFields.map((key) => field(key, null, own.contact[key], other.contact[key])),
    ...names.map((name) => field(infoKey(name), name, valueOf(own, name), valueOf(other, name))),
  ].filter((one) => one.own !== "" || one.other !== "");
}

const infoKey = (name: string): string => `info ${name}`;

/** The choices as the server asks for them; fields without a choice stay from both. */
export function choicesOf(
  { own, other }: Pick<MergePreview, "own" | "other">,
  fields: readonly MergeField[],
): MergeChoices {
  const chosen = (key: string): Side => fields.find((field) => field.key === key)?.chosen ?? "own";
  return {
    otherId: other.contact.id,
    ...{ updatedAt: own.contact.updatedAt, otherUpdatedAt: other.contact.updatedAt },
    ...{ name: chosen("name"), number: chosen("number"), email: chosen("email") },
    extraInfo: fields.flatMap(({ label, chosen: from }) =>
      label === null || from === undefined ? [] : [{ name: label, from }],
    ),
  };
}

/** The contact that stays, unless somebody chooses otherwise: with more messages, else the older one. */
export function staysFirst(preview: MergePreview): boolean {
  const { own, other } = preview;
  if (own.messages !== other.messages) return own.messages > other.messages;
  return own.contact.createdAt <= other.contact.createdAt;
}
