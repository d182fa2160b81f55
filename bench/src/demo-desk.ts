import type { EndpointName, ReplyOf, Ticket } from "@balcao/contract";
import { endpoints } from "@balcao/contract";
import type { Account, BuiltProduct } from "./built-product.ts";

/** An agent of the demo company at work on the built product, through its API. */
export type DemoDesk = {
  account: Account;
  token: string;
  /** A ticket that the agent serves. */
  ticket: Ticket;
  get<K extends EndpointName & `GET ${string}`>(name: K, path: string): Promise<ReplyOf<K>>;
  /** The same after another start of the product. */
  at(product: BuiltProduct): DemoDesk;
};

/** Signs the agent in; the product was started for the first time. */
export async function openDemoDesk(product: BuiltProduct): Promise<DemoDesk> {
  const { agent: account, url } = product;
  if (account === null) throw new Error("the demo company has no agent");
  const login = await fetch(`${url}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(account),
  });
  const { token } = endpoints["POST /auth/login"].reply.parse(await login.json());
  const { tickets } = await getterOf(url, token)("GET /tickets", "/tickets?status=open");
  const ticket = tickets.find(({ whatsappId }) => whatsappId !== null);
  if (!ticket) throw new Error("the agent serves no ticket");
  const at = (started: BuiltProduct): DemoDesk => {
    return { account, token, ticket, get: getterOf(started.url, token), at };
  };
  return at(product);
}

function getterOf(url: string, token: string): DemoDesk["get"] {
  return async (name, path) => {
    const reply = await fetch(`${url}/api${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}`);
    // The schema that parses is the one of this name, which the compiler cannot follow.
    return endpoints[name].reply.parse(await reply.json()) as ReplyOf<typeof name>;
  };
}
