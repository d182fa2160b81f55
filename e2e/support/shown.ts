import type { Page } from "@playwright/test";

/**
 * The content of a tickets screen, as far as it does not depend on the clock. Plain data, to be compared as a whole.
 */
export type Shown = {
  /** The numbers of the tabs; null while they are not on the screen. */
  counts: { open: number; pending: number } | null;
  list: { tab: ListTab; order: "wait" | "activity"; total: number; cards: ShownCard[] };
  /** The ticket of the address, and its conversation when that is there. */
  ticketUuid: string | null;
  conversation: ShownConversation | null;
};

export type ListTab = "open" | "pending" | "closed";

export type ShownCard = {
  id: number;
  name: string;
  text: string;
  unread: number;
  ack: string | null;
  queue: string;
};

export type ShownConversation = {
  canWrite: boolean;
  /** All messages of the ticket, without those that this browser could not send. */
  total: number;
  messages: ShownMessage[];
  /** Texts of what this browser could not send. */
  unsent: string[];
};

export type ShownMessage = {
  isOwn: boolean;
  text: string;
  ack: string | null;
  isEdited: boolean;
  isDeleted: boolean;
  reactions: string[];
};

/** Reads the whole screen at one moment. Its window must be high enough for all cards and messages to be drawn. */
export function shownOn(page: Page): Promise<Shown> {
  return page.evaluate(readScreen);
}

/** Runs in the page. */
function readScreen(): Shown {
  const numberIn = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);
  const byPosition = (a: Element, b: Element): number =>
    Number(a.ariaPosInSet) - Number(b.ariaPosInSet);
  const labelOf = (image: Element | null | undefined): string | null => image?.ariaLabel ?? null;

  const chips = [...document.querySelectorAll<HTMLElement>("button[aria-pressed]")];
  const chip = (label: string): HTMLElement | undefined =>
    chips.find((button) => new RegExp(`^${label} \\d+$`).test(button.textContent));
  const [serving, waiting] = [chip("Atendendo"), chip("Aguardando")];
  const tab = (): ListTab => {
    if (!serving || !waiting) return "closed";
    return waiting.ariaPressed === "true" ? "pending" : "open";
  };

  const items = [...document.querySelectorAll<HTMLElement>("#ticket-list li")].toSorted(byPosition);
  const cards = items.map((item): ShownCard => {
    const name = item.querySelector("article a")?.textContent ?? nameOfWaiting(item);
    const lines = item.innerText.split("\n").filter((line) => line.trim() !== "");
    // Name, time, last message, how many are unread (for eye and ear), queue.
    const [, , text = "", ...rest] = lines.slice(lines.indexOf(name));
    const queue = rest.find((line) => !/^\d+\+?$|não lidas?$/.test(line.trim()));
    return {
      id: Number(item.dataset["ticketId"]),
      name,
      text,
      unread: numberIn(item.innerText, /^(\d+) mensage(?:m|ns) não lida/m),
      ack: labelOf(
        item.querySelector(
          ":is([aria-label='na fila de envio'], [aria-label=enviada], [aria-label=entregue], [aria-label=lida])",
        ),
      ),
      queue: queue ?? "",
    };
  });

  const pane = document.querySelector<HTMLElement>("[data-conversation]");
  return {
    counts:
      serving && waiting
        ? {
            open: numberIn(serving.textContent, /(\d+)$/),
            pending: numberIn(waiting.textContent, /(\d+)$/),
          }
        : null,
    list: {
      tab: tab(),
      order:
        document.querySelector("[aria-label='Ordem da lista: Maior espera']") === null
          ? "activity"
          : "wait",
      total: Number(items[0]?.ariaSetSize ?? 0),
      cards,
    },
    ticketUuid: /^\/tickets\/([0-9a-f-]{36})/.exec(location.pathname)?.[1] ?? null,
    conversation: pane === null ? null : readConversation(pane),
  };

  /** It is no link; its buttons name it. */
  function nameOfWaiting(item: HTMLElement): string {
    const prefix = "Aceitar atendimento de ";
    const button = item.querySelector(`button[aria-label^="${prefix}"]`);
    return button?.ariaLabel?.slice(prefix.length) ?? "";
  }

  function readConversation(conversation: HTMLElement): ShownConversation {
    const articles = [
      ...conversation.querySelectorAll<HTMLElement>("[role=log] article[data-row]"),
    ].toSorted(byPosition);
    const isUnsent = (article: HTMLElement): boolean =>
      [...article.querySelectorAll("button")].some((button) => button.textContent === "Descartar");
    const unsent = articles.filter(isUnsent).map((article) => readMessage(article).text);
    const total = Number(articles[0]?.ariaSetSize ?? 0) - unsent.length;
    return {
      canWrite: conversation.querySelector("textarea")?.disabled === false,
      total,
      messages: articles.filter((article) => !isUnsent(article)).map(readMessage),
      unsent,
    };
  }

  function readMessage(article: HTMLElement): ShownMessage {
    const meta = article.querySelector("time")?.parentElement;
    const line = meta?.parentElement;
    const marks = meta?.textContent ?? "";
    const text = (line?.textContent ?? "")
      .slice(0, -marks.length || undefined)
      .replaceAll(/\s+/g, " ")
      .trim();
    const isDeleted = text === "Mensagem apagada";
    const chipsBelow = [...article.querySelectorAll("[role=group] button span:first-child")];
    return {
      isOwn: article.dataset["own"] !== undefined,
      text: isDeleted ? "" : text,
      ack: labelOf(meta?.querySelector("[role=img]")),
      isEdited: marks.includes("editada"),
      isDeleted,
      reactions: chipsBelow.map((span) => span.textContent).toSorted(),
    };
  }
}
