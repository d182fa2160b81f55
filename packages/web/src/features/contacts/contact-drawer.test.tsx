import { contact } from "@balcao/contract";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ReactNode } from "react";
import { useState } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import type { SeenRequest } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { givenMessage } from "../messages/testing/given-message.ts";
import { givenTicket } from "../tickets/testing/given-ticket.ts";
import { ContactDrawer } from "./contact-drawer.tsx";

const at = "2026-11-20T13:00:00.000Z";
const known = {
  ...contact.parse({
    id: 1,
    name: "Beatriz Rocha",
    number: "5511984562210",
    email: "bia@exemplo.com.br",
    profilePicUrl: "",
    isGroup: false,
    active: true,
    disableBot: false,
    companyId: 3,
    whatsappId: null,
    optOut: null,
    createdAt: at,
    updatedAt: at,
  }),
  extraInfo: [{ id: 5, name: "CPF", value: "123.456.789-00", contactId: 1 }],
};

const attendance = {
  id: 8,
  ticketId: 1,
  ticketUuid: "00000000-0000-4000-8000-000000000001",
  whatsapp: { id: 1, name: "Loja Paulista" },
  queue: { id: 1, name: "Suporte", color: "#3b82c4" },
  user: { id: 1, name: "Ana Lima" },
  closedBy: null,
  createdAt: at,
  queuedAt: at,
  startedAt: at,
  finishedAt: "2026-11-20T14:30:00.000Z",
  rated: false,
  reason: null,
  firstMessageId: "m1",
};

const note = {
  id: 3,
  note: "Prefere ser chamada à tarde",
  companyId: 3,
  ticketId: 1,
  contactId: 1,
  userId: 99,
  user: { id: 99, name: "Bruno Alves", email: "" },
  contact: { id: 1, name: "Beatriz Rocha" },
  ticket: { id: 1, status: "open", createdAt: at },
  createdAt: at,
  updatedAt: at,
};

function Screen(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        abrir
      </button>
      {isOpen ? <ContactDrawer ticket={givenTicket(1)} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

async function open(handlers: Parameters<typeof fakeServer>[0] = {}) {
  const server = fakeServer({
    "GET /api/contacts/1": () => ({ body: known }),
    "GET /api/contacts/1/attendances": () => ({
      body: { attendances: [attendance], count: 1, hasMore: false },
    }),
    "GET /api/ticket-notes/list": () => ({ body: [note] }),
    "GET /api/messages/1/shared": () => ({ body: { messages: [], olderId: null } }),
    "GET /api/companies/listPlan/3": () => ({ status: 503, body: { error: "none" } }),
    ...handlers,
  });
  startSession(givenToken("t", 3_600), givenUser({ profile: "user" }));
  renderRoutes([{ path: "*", element: <Screen /> }], "/x");
  await userEvent.click(screen.getByRole("button", { name: "abrir" }));
  await screen.findByText("Beatriz Rocha");
  return { ...server, panel: screen.getByRole("complementary", { name: "Dados do contato" }) };
}

afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

const writes = (requests: SeenRequest[]) => requests.filter(({ call }) => !call.startsWith("GET"));

test("shows details, extra information, notes and the history", async () => {
  const { panel } = await open();
  expect(within(panel).getByText("+55 11 98456-2210")).toBeTruthy();
  for (const [name, value] of [
    ["E-mail", "bia@exemplo.com.br"],
    ["Conexão", "Loja Paulista"],
    ["Fila", "Suporte"],
    ["Atendente", "Marina Prado"],
  ]) {
    expect(within(panel).getByText(`${name}`).parentElement?.textContent).toBe(`${name}${value}`);
  }
  expect(within(panel).getByText("123.456.789-00")).toBeTruthy();
  expect(await within(panel).findByText("Prefere ser chamada à tarde")).toBeTruthy();
  const entry = await within(panel).findByRole("link", { name: /Suporte · Ana Lima/ });
  expect(entry.getAttribute("href")).toBe(`/tickets/${attendance.ticketUuid}?message=m1`);
});

test("the number is copied as it is written", async () => {
  const { panel } = await open();
  const writeText = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  await userEvent.click(within(panel).getByRole("button", { name: "Copiar o número" }));
  expect(await within(panel).findByRole("button", { name: "Copiado" })).toBeTruthy();
  expect(writeText).toHaveBeenCalledWith("+55 11 98456-2210");
});

test("shows the files and links that were exchanged, and older ones on request", async () => {
  const facts = { bytes: 2_048, width: 40, height: 30, durationMs: null, waveform: null };
  const ready = { ...facts, state: "ready", isViewOnce: false, thumbnailUrl: null } as const;
  const nota = { name: "nota.pdf", url: "/public/nota.pdf", mime: "application/pdf" };
  const media = { ...ready, ...nota, kind: "document" as const };
  const foto = { name: "foto.png", url: "/public/foto.png", mime: "image/png" };
  const picture = { ...ready, ...foto, kind: "image" as const };
  const { panel, requests } = await open({
    "GET /api/messages/1/shared": ({ call }) =>
      !call.includes("beforeId=m3")
        ? {
            body: {
              messages: [
                givenMessage(1, { media }),
                givenMessage(2, { media: picture }),
                givenMessage(3, { body: "Veja https://loja.exemplo.com.br/trocas." }),
              ],
              olderId: "m3",
            },
          }
        : { body: { messages: [], olderId: null } },
  });
  const section = within(await within(panel).findByRole("region", { name: "Arquivos e links" }));
  const file = await section.findByRole("link", { name: /nota\.pdf/ });
  expect([file.getAttribute("href"), file.getAttribute("download")]).toEqual([
    "/public/nota.pdf",
    "nota.pdf",
  ]);
  expect(section.getByRole("link", { name: /^Foto, foto\.png/ })).toBeTruthy();
  const link = section.getByRole("link", { name: /loja\.exemplo\.com\.br\/trocas/ });
  expect(link.getAttribute("href")).toBe("https://loja.exemplo.com.br/trocas");
  await userEvent.click(section.getByRole("button", { name: "Procurar mais antigos" }));
  await waitFor(() => expect(section.queryByRole("button")).toBeNull());
  expect(requests.filter(({ call }) => call.includes("/shared"))).toHaveLength(2);
});

test("takes the focus, and Escape returns it to the opener", async () => {
  await open();
  expect(document.activeElement?.getAttribute("aria-label")).toBe("Fechar os dados do contato");
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("complementary")).toBeNull();
  expect(document.activeElement?.textContent).toBe("abrir");
});

test("the form sends what changed, keeps the rows' ids and adds new ones", async () => {
  const { panel, requests } = await open({
    "PUT /api/contacts/1": ({ body }) => ({
      body: { ...known, ...(body as object), number: known.number },
    }),
  });
  await userEvent.click(within(panel).getByRole("button", { name: "Editar" }));
  const name = await within(panel).findByLabelText("Nome");
  await userEvent.clear(name);
  await userEvent.type(name, "B");
  await userEvent.click(within(panel).getByRole("button", { name: "Salvar" }));
  expect(await within(panel).findByText("Use de 2 a 50 caracteres")).toBeTruthy();
  expect(writes(requests)).toEqual([]);

  await userEvent.type(name, "ia Rocha");
  await userEvent.click(within(panel).getByRole("button", { name: "Adicionar informação" }));
  await userEvent.type(within(panel).getByLabelText("Nome da informação 2"), "Cidade");
  await userEvent.type(within(panel).getByLabelText("Valor da informação 2"), "Recife");
  await userEvent.click(within(panel).getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(writes(requests)).toHaveLength(1));
  expect(writes(requests)[0]?.body).toEqual({
    name: "Bia Rocha",
    number: "",
    email: "bia@exemplo.com.br",
    extraInfo: [
      { id: 5, name: "CPF", value: "123.456.789-00" },
      { id: null, name: "Cidade", value: "Recife" },
    ],
    ifUpdatedAt: at,
  });
});

test("a number of another contact shows the error at the field and keeps the input", async () => {
  const { panel } = await open({
    "PUT /api/contacts/1": () => ({
      status: 400,
      body: { error: "ERR_DUPLICATED_CONTACT", code: "ERR_DUPLICATED_CONTACT" },
    }),
  });
  await userEvent.click(within(panel).getByRole("button", { name: "Editar" }));
  const number = await within(panel).findByLabelText<HTMLInputElement>("Número");
  await userEvent.clear(number);
  await userEvent.type(number, "5511900001111");
  await userEvent.click(within(panel).getByRole("button", { name: "Salvar" }));
  expect(await within(panel).findByText("Outro contato já tem este número.")).toBeTruthy();
  expect(number.value).toBe("5511900001111");
});

test("a note needs two characters; an agent cannot delete a colleague's note", async () => {
  const { panel, requests } = await open({
    "POST /api/ticket-notes": ({ body }) => ({
      body: {
        ...note,
        id: 4,
        userId: 7,
        ...(body as object),
        user: { id: 7, name: "Marina Prado", email: "" },
      },
    }),
  });
  expect(await within(panel).findByText("Prefere ser chamada à tarde")).toBeTruthy();
  expect(within(panel).queryByRole("button", { name: /^Excluir a observação/ })).toBeNull();
  const field = within(panel).getByRole("textbox", { name: "Nova observação" });
  await userEvent.type(field, " a ");
  await userEvent.click(within(panel).getByRole("button", { name: "Adicionar observação" }));
  expect(await within(panel).findByText("Escreva pelo menos 2 caracteres")).toBeTruthy();
  expect(writes(requests)).toEqual([]);
  await userEvent.type(field, "b");
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  await waitFor(() =>
    expect(writes(requests)).toMatchObject([
      { call: "POST /api/ticket-notes", body: { ticketId: 1, note: "a b" } },
    ]),
  );
  await waitFor(() => expect((field as HTMLTextAreaElement).value).toBe(""));
});
