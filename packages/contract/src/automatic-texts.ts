import { invalidOptionText, personComesText } from "./chatbot-texts.ts";

/** The texts that a company's customers get by themselves, unless a connection or queue has its own (behaviour 2.3 to 2.12). */
export const automaticTextKeys = [
  "greetingOnAccept",
  "transferToQueue",
  "transferToUser",
  "transferToBoth",
  "completion",
  "ratingRequest",
  "ratingThanks",
  "inactive",
  "outOfHours",
  "invalidOption",
  "personComes",
  "callRefused",
] as const;
export type AutomaticTextKey = (typeof automaticTextKeys)[number];

/** Variables of one text, beside those that every message has. */
export type NameVariable = "queue" | "user";

type TextRule = {
  /** The text that is sent until the company writes its own; empty sends nothing. */
  default: string;
  names: readonly NameVariable[];
};

const transfer = (words: string): string =>
  `*Mensagem automática*:\n${words}\naguarde, já vamos te atender!`;

export const automaticTexts: Readonly<Record<AutomaticTextKey, TextRule>> = {
  greetingOnAccept: {
    default:
      "*Mensagem Automática:*\n{{ms}} *{{name}}*, meu nome é *{{user}}* e agora vou prosseguir com seu atendimento!",
    names: ["user"],
  },
  transferToQueue: {
    default: transfer("Você foi transferido para o departamento *{{queue}}*"),
    names: ["queue"],
  },
  transferToUser: {
    default: transfer("Foi transferido para o atendente *{{user}}*"),
    names: ["user"],
  },
  transferToBoth: {
    default: transfer(
      "Você foi transferido para o departamento *{{queue}}* e contará com a presença de *{{user}}*",
    ),
    names: ["queue", "user"],
  },
  completion: { default: "", names: [] },
  ratingRequest: {
    default:
      "Digite de 1 à 3 para qualificar nosso atendimento:\n*1* - _Insatisfeito_\n*2* - _Satisfeito_\n*3* - _Muito Satisfeito_\n\n",
    names: [],
  },
  ratingThanks: { default: "", names: [] },
  inactive: { default: "", names: [] },
  outOfHours: { default: "", names: [] },
  invalidOption: { default: invalidOptionText, names: [] },
  personComes: { default: personComesText, names: [] },
  callRefused: {
    default: "Não atendemos chamadas por aqui. Por favor, envie uma mensagem de texto.",
    names: [],
  },
};
