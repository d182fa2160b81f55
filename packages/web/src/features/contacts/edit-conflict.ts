import type { ErrorData } from "@balcao/contract";

/** What the form holds of a contact. */
export type ContactValues = {
  name: string;
  number: string;
  email: string;
  extraInfo: { rowId: number | null; name: string; value: string }[];
};

/** A contact as somebody else left it, and who changed what. */
export type OthersChange = ErrorData["ERR_CONTACT_CHANGED"];

/** A field that both changed. */
export type Conflict = {
  key: string;
  /** `name`, `number`, `email`, or null for a field of the extra information. */
  field: "name" | "number" | "email" | null;
  /** The name of a field of the extra information. */
  label: string;
  mine: string;
  theirs: string;
  change: OthersChange["changes"][number] | undefined;
};

export type Choices = Readonly<Record<string, "mine" | "theirs">>;

const plainFields = ["name", "number", "email"] as const;

/**
 * What to save when somebody else saved meanwhile: each field as the one who changed it left it. Where both changed it the
 * choice decides, and the own value without one; those fields are returned as conflicts.
 */
export function reconcile(
  { base, mine, theirs }: { base: ContactValues; mine: ContactValues; theirs: OthersChange },
  choices: Choices,
): { values: ContactValues; conflicts: Conflict[] } {
  const conflicts: Conflict[] = [];
  const now = theirs.contact;

  function pick(conflict: Omit<Conflict, "change">, before: string | null): string {
    const { key, field, label, mine: own, theirs: other } = conflict;
    if (own === before || own === other) return other;
    if (other === before) return own;
    const change = theirs.changes.find(
      (one) => one.field === (field ?? "extraInfo") && one.label === label,
    );
    conflicts.push({ ...conflict, change });
    return choices[key] === "theirs" ? other : own;
  }

  const [name, number, email] = plainFields.map((field) =>
    pick(
      { key: field, field, label: "", mine: mine[field].trim(), theirs: now[field] },
      base[field],
    ),
  );
  const kept = now.extraInfo.flatMap((row) => {
    const own = mine.extraInfo.find(({ rowId }) => rowId === row.id);
    const before = base.extraInfo.find(({ rowId }) => rowId === row.id);
    // A row that somebody else edited is not removed.
    if (!own) return before && isSame(before, row) ? [] : [toValues(row)];
    if (before && own.name !== before.name) return [own];
    const label = row.name;
    const known = { key: `info ${row.id}`, field: null, label };
    const value = pick({ ...known, mine: own.value, theirs: row.value }, before?.value ?? null);
    return [{ rowId: row.id, name: label, value }];
  });
  const added = mine.extraInfo.filter(({ rowId, ...row }) => {
    if (rowId === null) return !now.extraInfo.some((one) => isSame(row, one));
    const before = base.extraInfo.find((one) => one.rowId === rowId);
    const isThere = now.extraInfo.some(({ id }) => id === rowId);
    // Removed by somebody else, but changed here.
    return !isThere && before !== undefined && !isSame(before, row);
  });
  const values = {
    ...{ name: name ?? "", number: number ?? "", email: email ?? "" },
    extraInfo: [
      ...kept,
      ...added.map((row) => ({ rowId: null, name: row.name, value: row.value })),
    ],
  };
  return { values, conflicts };
}

type Row = { name: string; value: string };

const isSame = (one: Row, other: Row): boolean =>
  one.name === other.name && one.value === other.value;

const toValues = ({ id, name, value }: OthersChange["contact"]["extraInfo"][number]) => ({
  ...{ rowId: id, name, value },
});
