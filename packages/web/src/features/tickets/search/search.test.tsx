import { act, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { givenLayout } from "../../messages/testing/given-layout.ts";
import { givenColleague, givenHit, givenTag } from "../testing/given-choices.ts";
import { givenTicket } from "../testing/given-ticket.ts";
import type { TicketServer } from "../testing/ticket-server.ts";
import { ticketServer } from "../testing/ticket-server.ts";
import type { Address } from "../testing/tickets-screen.tsx";
import { cardNames, contactNamed, openTicketsScreen } from "../testing/tickets-screen.tsx";
import { sockets } from "../../../testing/sockets.ts";

vi.mock("../../../realtime/socket.ts", () => import("../../../testing/sockets.ts"));

const vip = { id: 5, name: "Cliente VIP", color: "#a4cccc" };
const helena = givenTicket(1, { contact: contactNamed(1, "Helena Duarte"), tags: [vip] });
const diego = givenTicket(2, { status: "pending", contact: contactNamed(2, "Diego Nascimento") });
const ana = givenTicket(3, { status: "closed", contact: contactNamed(3, "Ana Lima") });

let server: TicketServer;

beforeEach(() => {
  givenLayout();
  startSession(givenToken("t"), givenUser());
  server = ticketServer([helena, diego, ana]);
  server.tags = [givenTag(5, "Cliente VIP"), givenTag(6, "Troca")];
  server.colleagues = [givenColleague(1, "Marina Prado", []), givenColleague(8, "Caio Reis", [])];
});

afterEach(() => vi.restoreAllMocks());

async function openSearch(): Promise<Address> {
  const address = await openTicketsScreen(sockets);
  await userEvent.click(screen.getByRole("tab", { name: "Buscar" }));
  await box();
  return address;
}

const box = () => screen.findByRole("textbox", { name: "Buscar nos atendimentos" });

/** The queries of the searches so far. */
const searches = () =>
  server.requests
    .map(({ call }) => new URLSearchParams(call.split("?")[1]))
    .filter((query) => query.has("searchParam") || query.has("tags") || query.has("users"));

test("the search field has the focus and a label", async () => {
  await openSearch();
  expect(document.activeElement).toBe(await box());
  expect(screen.getByText("Busque em todos os atendimentos")).toBeTruthy();
});

test("words are sent once, in lower case, after a pause in the typing", async () => {
  await openSearch();
  await userEvent.type(await box(), "LIMA");
  expect(searches()).toEqual([]);
  await waitFor(() => expect(cardNames()).toEqual(["Ana Lima"]));
  expect(searches().map((query) => query.get("searchParam"))).toEqual(["lima"]);
  expect(searches()[0]?.get("pageNumber")).toBe("1");
  expect(searches()[0]?.has("status")).toBe(false);
});

test("tickets of all states are found; a waiting one can be accepted, the others opened", async () => {
  const address = await openSearch();
  await userEvent.type(await box(), "a{Enter}");
  await waitFor(() => {
    expect(cardNames()).toEqual(["Ana Lima", "Diego Nascimento", "Helena Duarte"]);
  });
  expect(screen.getByText("3 atendimentos encontrados")).toBeTruthy();
  const closed = screen.getByRole("link", { name: /^Ana Lima/ });
  expect(within(closed.closest("li") ?? closed).getByText("Resolvido")).toBeTruthy();
  expect(screen.queryByRole("link", { name: /^Diego/ })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: /^Aceitar atendimento de Diego/ }));
  await waitFor(() => expect(address()).toBe(`/tickets/${diego.uuid}`));
  expect(server.bodiesOf("PUT /tickets/2")).toEqual([{ status: "open", userId: 7 }]);
  // The search results stay open.
  expect(cardNames()).toHaveLength(3);
});

test("the found message is on the card, and the ticket opens at it", async () => {
  server.hits[1] = givenHit(9, ["ainda tem o ", "vestido", " verde?"]);
  const address = await openSearch();
  await userEvent.type(await box(), "vestido{Enter}");
  const link = await screen.findByRole("link", { name: /trecho encontrado: ainda tem o vestido/ });
  const card = link.closest("li") ?? link;
  expect(card.querySelector("mark")?.textContent).toBe("vestido");
  expect(link.getAttribute("href")).toBe(
    `/tickets/${helena.uuid}?message=00000000-0000-7000-8000-000000000009`,
  );
  await userEvent.click(link);
  // The address drops the message once it is shown, so that it can be opened again.
  await waitFor(() => expect(address()).toBe(`/tickets/${helena.uuid}`));
});

test("a filter searches without words, and narrows a search by words", async () => {
  await openSearch();
  await userEvent.click(screen.getByRole("button", { name: "Filtrar" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: /^Etiqueta/ }));
  await userEvent.click(await screen.findByRole("menuitemcheckbox", { name: "Cliente VIP" }));
  await waitFor(() => expect(cardNames()).toEqual(["Helena Duarte"]));
  await userEvent.keyboard("{Escape}");
  await userEvent.type(await box(), "lima{Enter}");
  expect(await screen.findByText("Nada encontrado para “lima”")).toBeTruthy();
  const query = searches().at(-1);
  expect([query?.get("searchParam"), query?.get("tags")]).toEqual(["lima", "[5]"]);
});

describe("no results", () => {
  test("names the search and offers to clear it", async () => {
    await openSearch();
    await userEvent.type(await box(), "Zulmira{Enter}");
    expect(await screen.findByText("Nada encontrado para “zulmira”")).toBeTruthy();
    const clear = screen.getAllByRole("button", { name: "Limpar busca" });
    await userEvent.click(clear.at(-1) ?? document.body);
    expect(await screen.findByText("Busque em todos os atendimentos")).toBeTruthy();
    expect(await box()).toHaveProperty("value", "");
  });

  test("is not shown while the reply for other words is pending", async () => {
    await openSearch();
    await userEvent.type(await box(), "Zulmira{Enter}");
    await screen.findByText("Nada encontrado para “zulmira”");
    server.refusals["GET /tickets"] = "never";
    await userEvent.type(await box(), "{Backspace}{Enter}");
    await waitFor(() => expect(searches().at(-1)?.get("searchParam")).toBe("zulmir"));
    expect(screen.queryByText(/Nada encontrado/)).toBeNull();
  });

  test("Escape clears the words and keeps the focus in the field", async () => {
    await openSearch();
    await userEvent.type(await box(), "lima{Enter}");
    await waitFor(() => expect(cardNames()).toEqual(["Ana Lima"]));
    await userEvent.keyboard("{Escape}");
    expect(await screen.findByText("Busque em todos os atendimentos")).toBeTruthy();
    expect(document.activeElement).toBe(await box());
  });
});

test("the arrow keys move from the field through the results and back, Enter opens", async () => {
  const address = await openSearch();
  await userEvent.type(await box(), "a{Enter}");
  await waitFor(() => expect(cardNames()).toHaveLength(3));
  await userEvent.keyboard("{ArrowDown}");
  await waitFor(() => expect(document.activeElement?.textContent).toBe("Ana Lima"));
  await userEvent.keyboard("{ArrowUp}");
  await waitFor(async () => expect(document.activeElement).toBe(await box()));
  await userEvent.keyboard("{ArrowDown}");
  await waitFor(() => expect(document.activeElement?.textContent).toBe("Ana Lima"));
  await userEvent.keyboard("{ArrowDown}{ArrowDown}");
  expect(document.activeElement?.textContent).toBe("Helena Duarte");
  await userEvent.keyboard("{Enter}");
  await waitFor(() => expect(address()).toBe(`/tickets/${helena.uuid}`));
});

test("results follow live changes, and other tickets are not added", async () => {
  await openSearch();
  await userEvent.type(await box(), "lima{Enter}");
  await waitFor(() => expect(cardNames()).toEqual(["Ana Lima"]));
  const later = "2026-11-20T15:00:00.000Z";
  const reopened = { ...ana, status: "open" as const, userId: 7, updatedAt: later };
  act(() => {
    sockets[0]?.receive("company-3-ticket", { action: "delete", ticketId: 3 });
    sockets[0]?.receive("company-3-ticket", { action: "update", ticket: reopened });
    const other = { ...helena, updatedAt: later };
    sockets[0]?.receive("company-3-ticket", { action: "update", ticket: other });
  });
  expect(await screen.findByRole("button", { name: /^Resolver atendimento de Ana/ })).toBeTruthy();
  expect(cardNames()).toEqual(["Ana Lima"]);
});

test("a deleted ticket leaves the results", async () => {
  await openSearch();
  await userEvent.type(await box(), "lima{Enter}");
  await waitFor(() => expect(cardNames()).toEqual(["Ana Lima"]));
  act(() => sockets[0]?.receive("company-3-ticket", { action: "delete", ticketId: 3 }));
  await waitFor(() => expect(cardNames()).toEqual([]));
});
