/** The customer's texts for the main menu, and for the level above. */
export const mainMenuAnswer = "#";
export const previousLevelAnswer = "0";

/** The answer to the first message that chooses nothing of a menu (behaviour 2.3). */
export const invalidOptionText = "Opção inválida, por favor, escolha uma opção válida.";

/** How often in a row a menu or level is sent again to answers that choose nothing. */
export const menuRepeatsMax = 2;

/** The answer to the first one after that; later ones get none. */
export const personComesText =
  "Não consegui entender sua resposta. Uma pessoa da nossa equipe vai continuar este atendimento.";

/** One line of a menu: what to write, and what one gets for it. */
export function optionLine(answer: string | number, title: string): string {
  return `*[ ${answer} ]* - ${title}`;
}

/** The main menu of a connection with several queues, which are numbered in their order (behaviour 2.3). */
export function menuText(greeting: string, queueNames: readonly string[]): string {
  return blocks(greeting, lines(queueNames.map((name, index) => optionLine(index + 1, name))));
}

export type ChatbotOption = { number: number; title: string };

/** The root level of a queue: its greeting and the options to begin with, in their order (behaviour 2.4). */
export function rootLevelText(greeting: string, options: readonly ChatbotOption[]): string {
  return blocks(greeting, optionLines(options), optionLine(mainMenuAnswer, "Menu inicial"));
}

/** A level below an option: its message and what can be chosen there; without that, the message alone (behaviour 2.4). */
export function optionLevelText(message: string, children: readonly ChatbotOption[]): string {
  if (children.length === 0) return message;
  const ways = [
    optionLine(previousLevelAnswer, "Menu anterior"),
    optionLine(mainMenuAnswer, "Menu inicial"),
  ];
  return blocks(message, optionLines(children), lines(ways));
}

/** The out-of-hours text of a queue that was chosen from the main menu, with the way back to it (behaviour 2.6). */
export function closedChoiceText(outOfHoursMessage: string): string {
  return blocks(outOfHoursMessage, optionLine(mainMenuAnswer, "Voltar ao Menu Principal"));
}

function optionLines(options: readonly ChatbotOption[]): string {
  return lines(options.map(({ number, title }) => optionLine(number, title)));
}

function lines(all: readonly string[]): string {
  return all.join("\n");
}

/** With a blank line between them; what is empty leaves no gap. */
function blocks(...all: readonly string[]): string {
  return all.filter((block) => block !== "").join("\n\n");
}
