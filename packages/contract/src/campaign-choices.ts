// Without the schemas, so that the web can use it.

/** The choices of the specification (9). Seconds, a number of messages, seconds. */
export const messageIntervals = [0, 5, 10, 15, 20] as const;
export const greaterIntervals = [0, 1, 5, 10, 15, 20, 30, 40, 60, 80, 100, 120] as const;

export const usualCampaignSettings = {
  messageInterval: 20,
  longerIntervalAfter: 20,
  greaterInterval: 60,
  variables: [],
  varies: false,
  hours: null,
  pausesOnHolidays: false,
  limitsByDay: false,
  isDecided: false,
  optOutWords: ["SAIR", "PARAR", "STOP", "CANCELAR", "REMOVER", "DESCADASTRAR"],
  optOutReply: "Pronto, você não recebe mais nossas promoções. Se precisar de algo, é só chamar.",
};

/** What is offered for a linked phone: as careful as the network wants new numbers to be (stack-2, 10). */
export const carefulCampaignSettings = {
  varies: true,
  hours: { weekdays: [1, 2, 3, 4, 5, 6], from: "08:00", to: "20:00" },
  pausesOnHolidays: true,
  limitsByDay: true,
} as const;
