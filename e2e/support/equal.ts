import type { Message, Ticket } from "@balcao/contract";
import type { Page } from "@playwright/test";
import { expect } from "@playwright/test";
import type { Api } from "./api.ts";
import { apiOf } from "./api.ts";
import { eventually } from "./eventually.ts";
import { countOn, tickets } from "./screens.ts";
import { isHidden } from "./stored.ts";

const noFilter = { queueIds: undefined, tags: undefined, users: undefined };
/** As many as are on the screen together. */
const FIRST_ROWS = 5;
const LAST_ROWS = 8;

/** Waits until lists, counts and the open conversation of a page are what the server says for its user. */
export async function expectEqualToServer(page: Page, customerName: string): Promise<void> {
  const api = await apiOfPage(page);
  await expect(async () => {
    const counts = await api("GET /tickets/counts", {
      query: { showAll: "false", queueIds: undefined },
    });
    expect(await countOn(tickets.chip(page, "Atendendo"))).toBe(counts.open);
    expect(await countOn(tickets.chip(page, "Aguardando"))).toBe(counts.pending);

    const open = await api("GET /tickets", { query: { status: "open", ...noFilter } });
    expect(await shownCards(page)).toEqual(open.tickets.slice(0, FIRST_ROWS).map(cardOf));

    const ticket = open.tickets.find((one) => one.contact.name === customerName);
    if (!ticket) throw new Error(`${customerName} is not served`);
    const { count, messages } = await api("GET /messages/:ticketId", {
      params: { ticketId: ticket.id },
      query: { markRead: "false" },
    });
    const bodies = messages.map(textOf).slice(-LAST_ROWS);
    expect(await shownMessages(page)).toEqual({ count, bodies });
  }).toPass({ timeout: 60_000 });
}

/** How many tickets a chip says there are, once that is what the server says: it settles a moment after the events. */
export async function settledCount(page: Page, label: "Atendendo" | "Aguardando"): Promise<number> {
  const api = await apiOfPage(page);
  return eventually(`settled number of "${label}"`, async () => {
    const counts = await api("GET /tickets/counts", {
      query: { showAll: "false", queueIds: undefined },
    });
    const stored = label === "Atendendo" ? counts.open : counts.pending;
    return (await countOn(tickets.chip(page, label))) === stored ? stored : undefined;
  });
}

/** The server as the user of a page sees it, with the session of that page. */
export async function apiOfPage(page: Page): Promise<Api> {
  const token = await page.evaluate(() => JSON.parse(localStorage.getItem("token") ?? "null"));
  return apiOf(new URL(page.url()).origin, token);
}

type Card = { name: string; last: string };

function cardOf(ticket: Ticket): Card {
  const { name } = ticket.contact;
  const text = isHidden(ticket)
    ? "Mensagem de outra fila"
    : asShown(ticket.lastMessage) || "Sem mensagens";
  if (ticket.lastMessageFailed) return { name, last: `Não enviada: ${text}` };
  return { name, last: ticket.lastMessageUnconfirmed ? `Não confirmada: ${text}` : text };
}

/** Name and last message of the first cards; the rest of a card depends on the clock. */
async function shownCards(page: Page): Promise<Card[]> {
  const cards = tickets.list(page).getByRole("listitem");
  const found = await cards.evaluateAll((items) =>
    items
      .toSorted((a, b) => Number(a.ariaPosInSet) - Number(b.ariaPosInSet))
      .map((item) => ({
        name: item.querySelector("a")?.textContent ?? "",
        lines: item instanceof HTMLElement ? item.innerText.split("\n") : [],
      })),
  );
  return found.slice(0, FIRST_ROWS).map(({ name, lines }) => {
    // Name, time, last message.
    const last = lines[lines.indexOf(name) + 2] ?? "";
    return { name, last: asShown(last) };
  });
}

function textOf(message: Message): string {
  return asShown(message.body);
}

/** The screen shows the text on one line, without the signature and without the marks of its format. */
function asShown(body: string): string {
  return body
    .replace(/^\*[^*\n]+:\*\n/, "")
    .replaceAll(/[*_~`]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

async function shownMessages(page: Page): Promise<{ count: number; bodies: string[] }> {
  const articles = await tickets
    .messages(page)
    .getByRole("article")
    .evaluateAll((items) =>
      items.map((item) => ({
        position: Number(item.ariaPosInSet),
        total: Number(item.ariaSetSize),
        text: item.textContent,
      })),
    );
  const inOrder = articles.toSorted((a, b) => a.position - b.position);
  // After the text come the time and the sign; before it, in our own, the name.
  const bodies = inOrder.map(({ text }) =>
    asShown(text.replace(/^Marina Prado:/, "").replace(/\d\d:\d\d.*$/, "")),
  );
  return { count: inOrder[0]?.total ?? 0, bodies: bodies.slice(-LAST_ROWS) };
}
