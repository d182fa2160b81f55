import { describe, expect, test } from "vitest";
import type { ContactValues, OthersChange } from "./edit-conflict.ts";
import { reconcile } from "./edit-conflict.ts";

const at = "2026-11-19T12:00:00.000Z";
const user = { id: 3, name: "Caio Nunes" };

const base: ContactValues = {
  ...{ name: "Helena", number: "5511984562210", email: "a@a.example" },
  extraInfo: [
    { rowId: 1, name: "Tamanho", value: "M" },
    { rowId: 2, name: "Pedido", value: "88213" },
  ],
};

function theirs(
  change: Partial<OthersChange["contact"]>,
  changes: OthersChange["changes"] = [],
): OthersChange {
  const extraInfo = base.extraInfo.map(({ rowId, name, value }) => ({
    ...{ id: rowId ?? 0, name, value },
  }));
  const { name, number, email } = base;
  return { contact: { updatedAt: at, name, number, email, extraInfo, ...change }, changes };
}

describe("what is saved when somebody else saved meanwhile", () => {
  test("is each one's change, where they changed different fields", () => {
    const mine = {
      ...{ ...base, name: " Helena Duarte " },
      extraInfo: [{ rowId: 1, name: "Tamanho", value: "P" }, ...base.extraInfo.slice(1)],
    };
    const { values, conflicts } = reconcile(
      { base, mine, theirs: theirs({ email: "b@b.example", number: "5521977770000" }) },
      {},
    );
    expect(conflicts).toEqual([]);
    expect(values).toEqual({
      ...{ name: "Helena Duarte", number: "5521977770000", email: "b@b.example" },
      extraInfo: [
        { rowId: 1, name: "Tamanho", value: "P" },
        { rowId: 2, name: "Pedido", value: "88213" },
      ],
    });
  });

  test("is a choice where both changed one field, with who did it; the own value without one", () => {
    const change = { field: "email", label: "", at, user };
    const given = {
      base,
      mine: { ...base, email: "c@c.example" },
      theirs: theirs({ email: "b@b.example" }, [change]),
    };
    const open = reconcile(given, {});
    expect(open.values.email).toBe("c@c.example");
    expect(open.conflicts).toEqual([
      {
        ...{ key: "email", field: "email", label: "", change },
        ...{ mine: "c@c.example", theirs: "b@b.example" },
      },
    ]);
    expect(reconcile(given, { email: "theirs" }).values.email).toBe("b@b.example");
  });

  test("the same change of both is no conflict", () => {
    const mine = { ...base, email: "b@b.example" };
    const given = { base, mine, theirs: theirs({ email: "b@b.example" }) };
    expect(reconcile(given, {}).conflicts).toEqual([]);
  });

  test("rows of additional information: both changed, added, removed", () => {
    const mine = {
      ...base,
      extraInfo: [
        { rowId: 1, name: "Tamanho", value: "P" },
        { rowId: null, name: "Cidade", value: "Recife" },
      ],
    };
    const rows = [
      { id: 1, name: "Tamanho", value: "G" },
      { id: 2, name: "Pedido", value: "90000" },
      { id: 7, name: "Aniversário", value: "14/09" },
    ];
    const given = { base, mine, theirs: theirs({ extraInfo: rows }) };
    const { values, conflicts } = reconcile(given, { "info 1": "theirs" });
    expect(conflicts.map(({ label, mine: own, theirs: other }) => [label, own, other])).toEqual([
      ["Tamanho", "P", "G"],
    ]);
    // What somebody else edited is not removed.
    expect(values.extraInfo).toEqual([
      { rowId: 1, name: "Tamanho", value: "G" },
      { rowId: 2, name: "Pedido", value: "90000" },
      { rowId: 7, name: "Aniversário", value: "14/09" },
      { rowId: null, name: "Cidade", value: "Recife" },
    ]);
  });

  test("a row that somebody else removed goes, unless it was edited here", () => {
    const mine = {
      ...base,
      extraInfo: [{ rowId: 1, name: "Tamanho", value: "P" }, ...base.extraInfo.slice(1)],
    };
    const given = { base, mine, theirs: theirs({ extraInfo: [] }) };
    expect(reconcile(given, {}).values.extraInfo).toEqual([
      { rowId: null, name: "Tamanho", value: "P" },
    ]);
  });
});
