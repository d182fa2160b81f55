import { randomBytes } from "node:crypto";
import type { SimulatorMember, SimulatorMessage, SimulatorNetwork, Ticket } from "@balcao/contract";
import type { Api } from "./api.ts";
import { apiOf } from "./api.ts";
import { addAdmin } from "./database.ts";
import { eventually } from "./eventually.ts";
import type { Phone } from "./phone.ts";
import { phoneOf } from "./phone.ts";
import type { Product } from "./product.ts";

/** A person with a phone on the simulated network. */
export type Customer = Phone & {
  name: string;
  phone: string;
  writes(body: string): Promise<void>;
  reads(): Promise<void>;
  /** The messages on the phone, oldest first. */
  messages(): Promise<SimulatorMessage[]>;
  /** The ticket that the customer has with the company, once there is one. */
  ticket(): Promise<Ticket>;
};

/** A group of customers: what it sends comes from one of its members. */
type Group = Customer & { members: readonly SimulatorMember[] };

/** The simulated chat network, moved by the API while people look at the screens. */
export type Network = {
  /** A new customer; the name is made unique, so that journeys do not meet each other's. */
  customer(name: string): Promise<Customer>;
  group(name: string, members: readonly string[]): Promise<Group>;
  set(part: Partial<SimulatorNetwork>): Promise<void>;
  /**
   * From here to the journey's end the company's line has its queues and its greeting again, and the automatic attendant
   * answers who writes. In all other journeys customers meet people alone.
   */
  letAttend(): Promise<void>;
  /** Puts a waiting ticket into a queue. */
  moveToQueue(ticket: Ticket, queueName: string): Promise<void>;
  /** All calls, as an admin who is on no screen. */
  api: Api;
};

const calm: SimulatorNetwork = {
  online: true,
  delayMs: 0,
  sendMode: "deliver",
  autoDeliver: true,
  autoRead: false,
  mediaMode: "deliver",
};

const networkEmail = "rede@aurora.local";

/** As an admin of its own, who is on no screen. */
export async function openNetwork(
  product: Product,
): Promise<Network & { calmDown(): Promise<void> }> {
  const account = await addAdmin(product, product.accounts.admin, networkEmail);
  const { token } = await apiOf(product.url, null)("POST /auth/login", { body: account });
  const api = apiOf(product.url, token);
  const [connection] = await api("GET /simulator/connections");
  if (!connection) throw new Error("the demo company has no simulated connection");
  const connectionId = connection.id;

  const line = await api("GET /whatsapp/:connectionId", { params: { connectionId } });
  const attended = {
    greetingMessage: line.greetingMessage,
    queueIds: line.queues.map(({ id }) => id),
  };
  let isAttended = true;
  const attend = async (wanted: boolean): Promise<void> => {
    if (wanted === isAttended) return;
    const body = wanted ? attended : { greetingMessage: "", queueIds: [] };
    await api("PUT /whatsapp/:connectionId", { params: { connectionId }, body });
    isAttended = wanted;
  };
  await attend(false);

  const set = async (part: Partial<SimulatorNetwork>): Promise<void> => {
    const params = { connectionId };
    await api("PUT /simulator/connections/:connectionId/network", { params, body: part });
  };
  const chatOf = ({ name, phone }: { name: string; phone: string }): Customer => ({
    ...customerOf(api, connectionId, { name, phone }),
    ...phoneOf(api, { url: product.url, token, connectionId, phone }),
  });
  return {
    api,
    set,
    letAttend: () => attend(true),
    async calmDown() {
      await set(calm);
      await attend(false);
    },
    async customer(wanted) {
      const params = { connectionId };
      const chat = await api("POST /simulator/connections/:connectionId/chats", {
        params,
        body: { name: unique(wanted) },
      });
      return chatOf(chat);
    },
    async group(wanted, names) {
      const params = { connectionId };
      const members = names.map((name) => ({ name: unique(name) }));
      const chat = await api("POST /simulator/connections/:connectionId/groups", {
        params,
        body: { name: unique(wanted), members },
      });
      return { ...chatOf(chat), members: chat.members };
    },
    async moveToQueue(ticket, queueName) {
      const queues = await api("GET /queue", { query: {} });
      const queue = queues.find((one) => one.name === queueName);
      if (!queue) throw new Error(`no queue ${queueName}`);
      const params = { ticketId: ticket.id };
      await api("PUT /tickets/:ticketId", { params, body: { queueId: queue.id } });
    },
  };
}

function unique(name: string): string {
  return `${name} ${randomBytes(3).toString("hex")}`;
}

function customerOf(
  api: Api,
  connectionId: number,
  { name, phone }: { name: string; phone: string },
): Omit<Customer, keyof Phone> {
  const params = { connectionId, phone };
  const path = "/simulator/connections/:connectionId/chats/:phone" as const;
  return {
    name,
    phone,
    async writes(body) {
      await api(`POST ${path}/messages`, { params, body: { body } });
    },
    async reads() {
      await api(`POST ${path}/read`, { params });
    },
    messages: () => api(`GET ${path}/messages`, { params, query: {} }),
    ticket: () =>
      eventually(`ticket of ${name}`, async () => {
        const { tickets } = await api("GET /tickets", {
          query: { showAll: "true", queueIds: undefined, tags: undefined, users: undefined },
        });
        return tickets.find((ticket) => ticket.contact.name === name);
      }),
  };
}
