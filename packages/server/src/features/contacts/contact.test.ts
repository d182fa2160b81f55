import { expect, test } from "vitest";
import type { CompanyId, ContactId } from "@balcao/contract";
import { keyedAddresses } from "./address.ts";
import type { ContactRow, Person } from "./contact.ts";
import { betterName, initialName, toContactRef } from "./contact.ts";

const phone = { kind: "pn", value: "5511987654321" } as const;
const privateId = { kind: "lid", value: "77000" } as const;

function person(fields: Partial<Person> = {}): Person {
  return { addresses: keyedAddresses([phone]), isGroup: false, ...fields };
}

function contact(fields: Partial<ContactRow> = {}): ContactRow {
  const id = 5 as ContactId;
  const companyId = 3 as CompanyId;
  return {
    id,
    companyId,
    name: "Ana",
    number: null,
    email: "",
    pictureKey: null,
    isGroup: false,
    isOptedOut: false,
    ...fields,
  };
}

test.each<[why: string, person: Person, name: string]>([
  ["by its push name", person({ pushName: "  Ana \n Lima " }), "Ana Lima"],
  ["by the number without one", person(), "5511987654321"],
  [
    "by the number when the push name is one",
    person({ pushName: "+55 11 98765" }),
    "5511987654321",
  ],
  ["by a name of signs only", person({ pushName: "🔥" }), "🔥"],
  ["by the private id", person({ addresses: keyedAddresses([privateId]) }), "77000"],
  ["cut to the length of a name", person({ pushName: "ã".repeat(60) }), "ã".repeat(50)],
  ["without NUL", person({ pushName: "A\u0000na" }), "Ana"],
  [
    "a group by its subject",
    person({
      addresses: keyedAddresses([{ kind: "group", value: "55-14" }]),
      isGroup: true,
      pushName: "Turma da Ana",
    }),
    "Turma da Ana",
  ],
  [
    "a group by its id without one",
    person({ addresses: keyedAddresses([{ kind: "group", value: "55-14" }]), isGroup: true }),
    "55-14",
  ],
])("a new contact is called %s", (_why, who, name) => {
  expect(initialName(who)).toBe(name);
});

test.each<[why: string, contact: ContactRow, person: Person, name: string | null]>([
  [
    "digits give way to a name",
    contact({ name: "5511987654321" }),
    person({ pushName: "Ana" }),
    "Ana",
  ],
  ["digits stay without one", contact({ name: "5511987654321" }), person(), null],
  ["a name stays", contact({ name: "Dona Ana" }), person({ pushName: "Ana" }), null],
  [
    "a group's id gives way to its subject",
    contact({ name: "55-14", isGroup: true }),
    person({ isGroup: true, pushName: "Turma da Ana" }),
    "Turma da Ana",
  ],
])("a known contact: %s", (_why, known, who, name) => {
  expect(betterName(known, who)).toBe(name);
});

test("a contact without number has an empty one on the wire", () => {
  expect(toContactRef(contact(), () => "/signed")).toEqual({
    id: 5,
    name: "Ana",
    number: "",
    email: "",
    profilePicUrl: "",
  });
});
