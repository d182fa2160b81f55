import { randomBytes } from "node:crypto";
import type { Api } from "./api.ts";
import { apiOf } from "./api.ts";
import { addAdmin } from "./database.ts";
import type { Dice } from "./dice.ts";
import type { Product } from "./product.ts";

/** A customer of a crowd, with the messages that can still be changed. */
type Person = { name: string; phone: string; written: string[] };

/** Customers who write, change, take back, read and react at random. Every text occurs once. */
export type Crowd = {
  names: readonly string[];
  /** The first one, with whom there is a long conversation. */
  talker: string;
  /** One action of a random customer. */
  stir(dice: Dice): Promise<void>;
  /** A message to a customer without open ticket creates one. */
  write(name: string): Promise<void>;
  /** The first customer edits an old message, and deletes the next one. */
  changeLongAgo(): Promise<void>;
  /** The company's messages on the phones: each text with its count. */
  textsFromCompany(): Promise<Map<string, number>>;
};

/** Begins what the automatic attendant says, which says the same to many. */
const AUTOMATIC = "\u200E";

const email = "multidao@aurora.local";
const emojis = ["👍", "🙏", "😂"] as const;
const chatsPath = "/simulator/connections/:connectionId/chats" as const;
const messagePath = "/simulator/connections/:connectionId/messages/:messageId" as const;

/** Moved by an admin of its own, who is on no screen. */
export async function gatherCrowd(
  product: Product,
  size: { people: number; longTalk: number },
): Promise<Crowd> {
  const account = await addAdmin(product, product.accounts.admin, email);
  const { token } = await apiOf(product.url, null)("POST /auth/login", { body: account });
  const api = apiOf(product.url, token);
  const [connection] = await api("GET /simulator/connections");
  if (!connection) throw new Error("the demo company has no simulated connection");
  const connectionId = connection.id;
  const mark = randomBytes(2).toString("hex");
  let texts = 0;

  const people: Person[] = [];
  for (let number = 1; number <= size.people; number += 1) {
    const name = `Pessoa ${number} ${mark}`;
    const params = { connectionId };
    const { phone } = await api(`POST ${chatsPath}`, { params, body: { name } });
    people.push({ name, phone, written: [] });
  }
  const [talker] = people;
  if (!talker) throw new Error("a crowd has people");

  async function write(person: Person): Promise<void> {
    texts += 1;
    const params = { connectionId, phone: person.phone };
    const body = { body: `Pergunta ${texts} de ${person.name}` };
    const { id } = await api(`POST ${chatsPath}/:phone/messages`, { params, body });
    person.written.push(id);
  }

  async function edit(messageId: string): Promise<void> {
    texts += 1;
    const body = { body: `Corrigida ${texts} ${mark}` };
    await api(`PUT ${messagePath}`, { params: { connectionId, messageId }, body });
  }

  async function takeBack(person: Person, messageId: string): Promise<void> {
    person.written = person.written.filter((id) => id !== messageId);
    await api(`DELETE ${messagePath}`, { params: { connectionId, messageId } });
  }

  async function react(person: Person, dice: Dice): Promise<void> {
    const { phone } = person;
    const seen = await messagesOf(api, connectionId, phone);
    const message = dice.pick(seen.filter(({ isDeleted }) => !isDeleted).slice(-6));
    const emoji = dice.pick(["", ...emojis]);
    if (!message || emoji === undefined) return;
    const params = { connectionId, messageId: message.id };
    await api(`POST ${messagePath}/reactions`, { params, body: { emoji } });
  }

  for (let count = 0; count < size.longTalk; count += 1) await write(talker);
  for (const person of people.slice(1)) await write(person);

  return {
    names: people.map(({ name }) => name),
    talker: talker.name,
    async stir(dice) {
      const person = dice.pick(people) ?? talker;
      const own = dice.pick(person.written.slice(-5));
      const what = dice.between(1, 100);
      if (what <= 60 || own === undefined) return write(person);
      if (what <= 70) return edit(own);
      if (what <= 77) return takeBack(person, own);
      if (what <= 87) return react(person, dice);
      const params = { connectionId, phone: person.phone };
      await api(`POST ${chatsPath}/:phone/read`, { params });
    },
    async write(name) {
      const person = people.find((one) => one.name === name);
      if (person) await write(person);
    },
    async changeLongAgo() {
      const [first, second] = talker.written;
      if (first === undefined || second === undefined) throw new Error("nothing was written");
      await edit(first);
      await takeBack(talker, second);
    },
    async textsFromCompany() {
      const counts = new Map<string, number>();
      for (const { phone } of people) {
        for (const { fromCustomer, body } of await messagesOf(api, connectionId, phone)) {
          if (fromCustomer || body.startsWith(AUTOMATIC)) continue;
          counts.set(body, (counts.get(body) ?? 0) + 1);
        }
      }
      return counts;
    },
  };
}

function messagesOf(api: Api, connectionId: number, phone: string) {
  return api(`GET ${chatsPath}/:phone/messages`, { params: { connectionId, phone }, query: {} });
}
