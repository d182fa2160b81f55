import type { CompanyId, UserId } from "@balcao/contract";
import type { Tx } from "../../platform/db/database.ts";
import { quickMessages } from "../../platform/db/schema/index.ts";

/** What the boutique's people send again and again; the last one is one agent's own. */
const answers = [
  {
    shortcode: "bemvinda",
    message: "{{ms}}, {{firstName}}! Aqui é da *Boutique Aurora* 💚 Como posso ajudar?",
  },
  {
    shortcode: "pix",
    message:
      "Nossa chave PIX é o e-mail *pix@aurora.example*. Assim que pagar, envie o comprovante por aqui 😉",
  },
  {
    shortcode: "prazo",
    message: "O prazo de entrega é de 3 a 7 dias úteis, com código de rastreio por esta conversa.",
  },
  {
    shortcode: "troca",
    message:
      "A primeira troca é por nossa conta, em até 30 dias. Protocolo do atendimento: {{protocol}}",
  },
] as const;

const ownAnswer = {
  shortcode: "almoco",
  message: "Estou em horário de almoço e respondo às 13h30, tudo bem?",
};

/** Writes the demo company's quick messages, in one statement. */
export async function writeAnswers(tx: Tx, companyId: CompanyId, agentId: UserId): Promise<void> {
  await tx.orm
    .insert(quickMessages)
    .values([
      ...answers.map((answer) => ({ ...answer, companyId, geral: true })),
      { ...ownAnswer, companyId, userId: agentId },
    ]);
}
