import type { Ticket } from "@balcao/contract";
import { call } from "../../api/client.ts";
import { sendTemplate } from "../messages/index.ts";

/** The text that the family of clients sends after Accept (wire-contract 6.1); the server fills the variables. */
function acceptanceGreeting(userName: string): string {
  return `*Mensagem Automática:*\n{{ms}} *{{name}}*, meu nome é *${userName}* e agora vou prosseguir com seu atendimento!`;
}

/** Greets the customer of a ticket just accepted, where the company wants it and a person reads it. */
export async function greetCustomer(ticket: Ticket, userName: string): Promise<void> {
  if (ticket.isGroup) return;
  const settings = await call("GET /settings", {});
  const isWanted = settings.some(
    (setting) => setting.key === "sendGreetingAccepted" && setting.value === "enabled",
  );
  if (isWanted) await sendTemplate(ticket.id, acceptanceGreeting(userName));
}
