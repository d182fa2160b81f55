import { listedContact } from "@balcao/contract";
import type { ListedContact } from "@balcao/contract";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import type { SeenRequest } from "../../testing/fake-server.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { readFilter, wireFilter, writeFilter } from "./contact-filter.ts";
import { ContactsPage } from "./contacts-page.tsx";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const at = "2026-11-20T13:00:00.000Z";

function given(id: number, fields: Partial<ListedContact> = {}): ListedContact {
  return listedContact.parse({
    ...{ id, name: `Cliente ${id}`, number: `551198456221${id}`, email: "", profilePicUrl: "" },
    ...{ isGroup: false, active: true, disableBot: false, companyId: 3, whatsappId: null },
    ...{ optOut: null, createdAt: at, updatedAt: at, tickets: [], tags: [], lastContactAt: null },
    ...fields,
  });
}

const rows = [
  given(1, { tags: [{ id: 4, name: "Cliente VIP", color: "#16808d" }] as never }),
  given(2, { name: "5511980001111", number: "5511980001111" }),
  given(3, { optOut: { at, source: "person", user: null } }),
];

function open(at_ = "/contacts") {
  const server = fakeServer({
    "GET /api/contacts": () => ({ body: { contacts: rows, count: 3, hasMore: true } }),
    "GET /api/tags/list": () => ({ body: [] }),
    "GET /api/whatsapp": () => ({ body: [] }),
    "GET /api/companies/listPlan/3": () => ({ status: 503, body: { error: "none" } }),
  });
  startSession(givenToken("t", 3_600), givenUser({ profile: "user" }));
  return { ...server, ...renderRoutes([{ path: "*", element: <ContactsPage /> }], at_) };
}

afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

/** The queries of the requests for the list, in order. */
const asked = (requests: readonly SeenRequest[]): Record<string, string>[] =>
  requests
    .filter(({ call }) => call.startsWith("GET /api/contacts?"))
    .map(({ call }) => Object.fromEntries(new URLSearchParams(call.split("?")[1])));

test("a row has the number as people write it, and marks who opted out and who has no name", async () => {
  open();
  const [, first, second, third] = await screen.findAllByRole("row");
  expect(first?.textContent).toContain("+55 11 98456-2211");
  expect(first?.textContent).toContain("Cliente VIP");
  expect(within(second ?? document.body).getByText("Sem nome")).toBeTruthy();
  expect(within(third ?? document.body).getByText("Não enviar")).toBeTruthy();
});

test("the server sorts: no further page is read for it, and the last contact begins with the newest", async () => {
  const { requests } = open();
  await userEvent.click(await screen.findByRole("button", { name: "Último contato" }));
  await waitFor(() =>
    expect(asked(requests).at(-1)).toMatchObject({ sort: "lastContact", descending: "true" }),
  );
  expect(asked(requests).map((query) => query["pageNumber"])).not.toContain("2");
});

test("the filter of the address is asked for and can be removed", async () => {
  const filter = encodeURIComponent(JSON.stringify({ optedOut: true, tags: [4, "x"] }));
  const { requests } = open(`/contacts?filter=${filter}`);
  await screen.findAllByRole("row");
  expect(asked(requests)[0]).toMatchObject({ optedOut: "true", tags: "[4]" });
  await userEvent.click(screen.getByRole("button", { name: "Remover o filtro Não enviar" }));
  await waitFor(() => expect(asked(requests).at(-1)).not.toHaveProperty("optedOut"));
  expect(asked(requests).at(-1)).toMatchObject({ tags: "[4]" });
});

test.each([
  ["", {}],
  ["no JSON", {}],
  ['{"created":5,"lastContact":-90,"unnamed":"yes"}', { lastContact: -90 }],
  ['{"created":30,"tags":[1,2],"connections":"3"}', { created: 30, tags: [1, 2] }],
])("of the address %j stays what is a filter", (text, filter) => {
  expect(readFilter(text)).toEqual(filter);
  expect(readFilter(writeFilter(filter))).toEqual(filter);
});

test("days of a filter count back from today", () => {
  const nowMs = Date.parse("2026-11-23T15:00:00.000Z");
  expect(wireFilter({ created: 7, lastContact: -90 }, nowMs)).toEqual({
    dateStart: "2026-11-16",
    lastEnd: "2026-08-25",
  });
});
