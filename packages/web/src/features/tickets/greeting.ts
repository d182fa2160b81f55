import type { Ticket } from "@balcao/contract";
import { sendTemplate } from "../messages/index.ts";

/** The text that the family of clients sends after Accept (wire-contract 6.1); the server fills the variables. */
function acceptanceGreeting(userName: string): string {
  return `*Mensagem Automática:*\n{{ms}} *{{name}}*, meu nome é *${userName}* e agora vou prosseguir com seu atendimento!`;
}

/** Greets the customer of a ticket just accepted, where the company wants it and a person reads it. */
export async function greetCustomer(ticket: Ticket, userName: string): Promise<void> {
  if (ticket.isGroup) return;
  // Not needed before somebody accepts, so it is not part of the first load.
  const { readSetting } = await import("../settings/index.ts");
  const isWanted = (await readSetting("sendGreetingAccepted")) === "enabled";
  if (isWanted) await sendTemplate(ticket.id, acceptanceGreeting(userName));
}
