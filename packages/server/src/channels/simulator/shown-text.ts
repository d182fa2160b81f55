import type { SimulatorContent } from "@balcao/contract";
import type { MessageDetails } from "./stored.ts";

/** What a phone shows of a content instead of a text. */
export function textOfContent(content: SimulatorContent): string {
  switch (content.kind) {
    case "location":
      return content.name ?? `${content.latitude}, ${content.longitude}`;
    case "contacts":
      return content.contacts.map(({ name }) => name).join(", ");
    case "poll":
      return content.question;
    case "poll-vote":
      return content.options.join(", ");
    case "choice":
      return content.chosen;
    case "other":
      return content.text;
    case "view-once":
    case "ad":
      return "";
  }
}

/** The line that stands for a message in the list of conversations. */
export function lineOf(message: { body: string; details: MessageDetails | null }): string {
  return message.body === "" ? (message.details?.file?.name ?? "") : message.body;
}
