import { limits } from "@balcao/contract";
import { keyedAddresses } from "../../features/contacts/index.ts";
import type { KeyedAddress } from "../../features/contacts/index.ts";
import type { Item, Move } from "./bring.ts";
import { add, bring, halved, leave, pairOf } from "./bring.ts";
import { dates } from "./setup.ts";
import type { SourceRow } from "./values.ts";
import { addressesOf, boolOf, dateOf, textOf } from "./values.ts";

type Contact = {
  id: string;
  name: string;
  email: string;
  addresses: KeyedAddress[];
  isGroup: boolean;
  active: boolean;
  disableBot: boolean;
  created: Date;
  updated: Date;
};

/** People and groups of the address book: rows that share an address become one contact. */
export async function bringContacts(move: Move): Promise<void> {
  const contacts: Contact[] = [];
  for await (const page of move.source.rows("contacts", move.from)) {
    for (const row of page) {
      const contact = readContact(move, row);
      if (contact) contacts.push(contact);
    }
  }
  const people = samePeople(contacts);
  const merged = people.filter((person) => person.length > 1);
  for (const person of merged) {
    move.tally.problem("contact", "contactsMerged", person.map(({ id }) => id).join("+"));
  }
  const known = move.ids("contact");
  const wanted = people.map((person) => ({
    person,
    id: person.find(({ id }) => known.has(id))?.id ?? person[0]?.id ?? "",
  }));
  await bring(
    move,
    "contact",
    "contacts",
    wanted.map(({ person, id }) => contactItem(person, id)),
  );
  await bringAddresses(move, wanted);
  await bringDetails(move);
}

function readContact(move: Move, row: SourceRow): Contact | null {
  const id = row["id"] ?? "";
  const addresses = keyedAddresses(addressesOf(row));
  const number = textOf(row["number"], 60);
  if (/^status(@|$)/.test(number)) {
    move.tally.problem("contact", "storiesLeftOut", id);
    move.tally.count("contact", { read: 1, left: 1 });
    return null;
  }
  if (addresses.length === 0)
    move.tally.problem("contact", "numberUnreadable", `${id} (${number})`);
  if (
    addresses.some(({ kind }) => kind === "lid") &&
    !addresses.some(({ kind }) => kind === "pn")
  ) {
    move.tally.problem("contact", "privateAddressOnly", id);
  }
  const created = dateOf(row["createdAt"]) ?? new Date(0);
  return {
    ...{ id, addresses, created, updated: dateOf(row["updatedAt"]) ?? created },
    name: textOf(row["name"], 200).trim(),
    email: textOf(row["email"], limits.emailMax).trim(),
    isGroup: addresses[0]?.kind === "group" || (boolOf(row["isGroup"]) && addresses.length === 0),
    active: boolOf(row["active"], true),
    disableBot: boolOf(row["disableBot"]),
  };
}

/** Joins rows that share an address, also through a third one. The newest row of a person comes first. */
export function samePeople<C extends { addresses: readonly KeyedAddress[]; updated: Date }>(
  contacts: readonly C[],
): C[][] {
  const leader = contacts.map((_, index) => index);
  const find = (index: number): number => {
    let top = index;
    while (leader[top] !== top) top = leader[top] ?? top;
    leader[index] = top;
    return top;
  };
  const byAddress = new Map<string, number>();
  contacts.forEach(({ addresses }, index) => {
    for (const { kind, key } of addresses) {
      const first = byAddress.get(`${kind} ${key}`);
      if (first === undefined) byAddress.set(`${kind} ${key}`, index);
      else leader[Math.max(find(first), find(index))] = Math.min(find(first), find(index));
    }
  });
  const people = new Map<number, C[]>();
  contacts.forEach((contact, index) => {
    const top = find(index);
    const person = people.get(top) ?? [];
    person.push(contact);
    people.set(top, person);
  });
  return [...people.values()].map((person) =>
    person.sort((a, b) => b.updated.getTime() - a.updated.getTime()),
  );
}

/** One contact: the newest row wins; what it lacks comes from the others. */
function contactItem(person: readonly Contact[], id: string): Item {
  const addresses = keyedAddresses(person.flatMap((row) => row.addresses));
  const main =
    addresses.find(({ kind }) => kind === "group") ?? addresses.find(({ kind }) => kind === "pn");
  const isName = (name: string) =>
    name !== "" && !/^[\d\s()+@.a-z-]*\d{6,}[\d\s()+@.a-z-]*$/.test(name);
  const name = person.find((row) => isName(row.name))?.name ?? main?.value ?? person[0]?.name ?? "";
  return {
    id,
    more: person.map((row) => row.id).filter((one) => one !== id),
    values: {
      name: name === "" ? "Sem nome" : name,
      number: main?.value ?? null,
      email: person.find((row) => row.email !== "")?.email ?? "",
      is_group: person.some((row) => row.isGroup),
      active: person.some((row) => row.active),
      disable_bot: person[0]?.disableBot ?? false,
      created_at: new Date(Math.min(...person.map((row) => row.created.getTime()))),
      updated_at: person[0]?.updated,
    },
  };
}

async function bringAddresses(
  move: Move,
  wanted: readonly { person: readonly Contact[]; id: string }[],
): Promise<void> {
  const ids = move.ids("contact");
  const rows = wanted.flatMap(({ person, id }) => {
    const contact = ids.get(id);
    if (contact === undefined) return [];
    return keyedAddresses(person.flatMap((row) => row.addresses)).map(({ kind, key, value }) => ({
      ...{ company_id: move.companyId, kind, key, value, contact_id: contact },
    }));
  });
  for (let at = 0; at < rows.length; at += 5_000) {
    await halved(
      rows.slice(at, at + 5_000),
      async (part) => {
        await move.target.transaction((load) => load.add("contact_addresses", part));
      },
      (row, error) => leave(move, "contact", `${row.contact_id}`, error),
    );
  }
}

/** Rows of the contacts' cards, and tags of the contacts themselves. */
async function bringDetails(move: Move): Promise<void> {
  const ids = move.ids("contact");
  const fields = (await move.source.all("contactFields", move.from)).flatMap((row): Item[] => {
    const contact = ids.get(row["contactId"] ?? "");
    if (contact === undefined) return [];
    const [name, value] = [textOf(row["name"], 200), textOf(row["value"], 2_000)];
    return [
      {
        id: row["id"] ?? "",
        values: { contact_id: contact, name, value, created_at: dates(row).created_at },
      },
    ];
  });
  await bring(move, "contact field", "contact_extra_info", fields);
  const tags = (await move.source.all("contactTags", move.from)).flatMap((row) =>
    pairOf(ids, row["contactId"], move.ids("tag"), row["tagId"]).map(([contact, tag]) => ({
      ...{ contact_id: contact, tag_id: tag, created_at: dates(row).created_at },
    })),
  );
  await add(move, "contact tag", "contact_tags", tags);
}
