import type { ContactAttendance, ContactEvent, MergeSide, Message } from "@balcao/contract";
import type { Profile } from "@balcao/contract/permissions";
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, describe, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { useLiveConnection } from "../../realtime/live.ts";
import { Router } from "../../router/index.tsx";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { memorySteps } from "../../testing/memory-steps.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { sockets } from "../../testing/sockets.ts";
import { givenMessage } from "../messages/testing/given-message.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { choicesOf, fieldsOf, staysFirst } from "./merge-choices.ts";
import { OneContact } from "./one-contact.tsx";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const at = "2026-11-20T13:00:00.000Z";

const helena = {
  ...{ id: 7, name: "Helena Duarte", number: "5511984562210", email: "h@exemplo.com.br" },
  ...{ profilePicUrl: "", isGroup: false, active: true, disableBot: false, companyId: 3 },
  ...{ whatsappId: null, createdAt: at, updatedAt: at, optOut: null },
  extraInfo: [{ id: 1, name: "Tamanho", value: "M", contactId: 7 }],
};

const summary = {
  ...{ tags: [{ id: 4, name: "Cliente VIP", color: "#16808d" }], listCount: 12 },
  ...{ connections: [{ id: 1, name: "Loja Paulista" }], lastContactAt: at },
  ...{ otherNumbers: ["5511977770000"], lists: [{ id: 5, name: "Clientes VIP" }] },
  ...{ openTicketId: null, noteTicketId: 11, duplicateId: null },
};

const attendance = (id: number, fields: Partial<ContactAttendance> = {}) => ({
  ...{ id, ticketId: 11, ticketUuid: "uuid-11", whatsapp: null, queue: null, user: null },
  ...{ closedBy: null, createdAt: at, queuedAt: null, startedAt: at, finishedAt: at },
  ...{ rated: false, reason: null, firstMessageId: null, snoozes: [] },
  ...{ isAccessible: true, messageCount: 3 },
  ...fields,
});

type Someone = { id: number; name: string };

const event = (id: number, change: ContactEvent["change"], user: Someone | null = null) => ({
  ...{ id, at, change, user },
});

const none = { count: 0, hasMore: false };

type Answers = Partial<Parameters<typeof fakeServer>[0]>;

function start(answers: Answers = {}, profile: Profile = "admin") {
  const server = fakeServer({
    "GET /api/contacts/7": () => ({ body: helena }),
    "GET /api/contacts/7/summary": () => ({ body: summary }),
    "GET /api/contacts/7/attendances": () => ({ body: { attendances: [], ...none } }),
    "GET /api/contacts/7/history": () => ({ body: { events: [], ...none } }),
    "GET /api/contacts/7/notes": () => ({ body: { notes: [], ...none } }),
    "GET /api/contacts/7/files": () => ({ body: { messages: [], ...none } }),
    "GET /api/schedules": () => ({ body: { schedules: [], ...none } }),
    ...(answers as Parameters<typeof fakeServer>[0]),
  });
  startSession(givenToken("t", 3_600), givenUser({ profile }));
  return server;
}

function open(answers?: Answers, profile?: Profile) {
  return {
    ...start(answers, profile),
    ...renderRoutes([{ path: "*", element: <OneContact id={7} /> }], "/contacts/7"),
  };
}

function LiveContact(): ReactNode {
  useLiveConnection(3);
  return (
    <Router steps={memorySteps("/contacts/7")}>
      <OneContact id={7} />
    </Router>
  );
}

afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

const card = (name: string) => screen.findByRole("region", { name });

describe("the page of a contact", () => {
  test("has its tags, numbers, lists, and says what is empty", async () => {
    open();
    expect(await screen.findByText("Cliente VIP")).toBeTruthy();
    expect(screen.getAllByText("+55 11 98456-2210")).toHaveLength(1);
    expect(screen.getByText("+55 11 97777-0000")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Clientes VIP" })).toBeTruthy();
    expect(screen.getByText(/e mais 11/)).toBeTruthy();
    expect(await screen.findByText("Nenhum atendimento ainda")).toBeTruthy();
    expect(await screen.findByText("Nenhum arquivo")).toBeTruthy();
    expect(await screen.findByText("Nada mudou ainda")).toBeTruthy();
  });

  test("shows seven attendances, then all; one out of reach has no link", async () => {
    const attendances = Array.from({ length: 9 }, (_, n) =>
      attendance(n + 1, { isAccessible: n > 0 }),
    );
    open({
      "GET /api/contacts/7/attendances": () => ({
        body: { attendances, count: 9, hasMore: false },
      }),
    });
    const table = within(await card("Atendimentos"));
    await waitFor(() => expect(table.getAllByRole("row")).toHaveLength(8));
    expect(table.getAllByRole("link")).toHaveLength(6);
    expect(table.getByText("Sem acesso")).toBeTruthy();
    await userEvent.click(table.getByRole("button", { name: "Ver os 9 atendimentos" }));
    expect(table.getAllByRole("row")).toHaveLength(10);
  });

  test("a card that cannot be read says so alone, and is read again on request", async () => {
    let isBroken = true;
    open({
      "GET /api/contacts/7/history": () =>
        isBroken
          ? { status: 403, body: { error: "ERR_NO_PERMISSION", code: "ERR_NO_PERMISSION" } }
          : { body: { events: [event(1, { kind: "optOutEnded" })], count: 1, hasMore: false } },
    });
    const history = within(await card("Histórico do contato"));
    expect(await history.findByRole("alert")).toBeTruthy();
    expect(await screen.findByText("Nenhum arquivo")).toBeTruthy();
    isBroken = false;
    await userEvent.click(history.getByRole("button", { name: "Tentar de novo" }));
    expect(await history.findByText("Voltou a receber mensagens")).toBeTruthy();
  });

  test("a customer's file appears when it has come", async () => {
    const foto = { kind: "image", name: "foto.png", mime: "image/png" } as const;
    const facts = { bytes: 2_048, width: 40, height: 30, durationMs: null, waveform: null };
    const address = { url: "/public/foto.png", thumbnailUrl: null };
    const media = { ...foto, ...facts, ...address, isViewOnce: false, state: "ready" } as const;
    const message = givenMessage(1, { media, contactId: 7 });
    let messages: Message[] = [];
    start({
      "GET /api/contacts/7/files": ({ call }) => ({
        body: call.includes("kind=pictures")
          ? { messages, count: messages.length, hasMore: false }
          : { messages: [], ...none },
      }),
    });
    renderOnCache(<LiveContact />);
    await waitFor(() => expect(sockets).toHaveLength(1));
    act(() => sockets[0]?.receive("ready"));
    const files = within(await card("Arquivos"));
    expect(await files.findByText("Nenhum arquivo")).toBeTruthy();
    messages = [message];
    act(() => sockets[0]?.receive("company-3-appMessage", { action: "update", message }));
    expect(await files.findByRole("link", { name: /^Foto, foto\.png/ })).toBeTruthy();
  });

  test("the history tells every kind of event in words", async () => {
    const caio = { id: 2, name: "Caio Nunes" };
    const events = [
      event(5, {
        kind: "merged",
        contact: { name: "Helena D.", number: "5521977770000", email: "" },
        lost: [{ field: "extraInfo", label: "Tamanho", value: "M" }],
      }),
      event(4, { kind: "optedOut", source: "person" }, caio),
      event(3, { kind: "numberChanged", from: null, to: "5511984562210" }),
      event(
        2,
        { kind: "edited", fields: [{ field: "email", label: "", from: "", to: "h@a.b" }] },
        caio,
      ),
      event(1, {
        kind: "edited",
        fields: [
          { field: "disableBot", label: "", from: "false", to: "true" },
          { field: "extraInfo", label: "Cidade", from: "Recife", to: "" },
        ],
      }),
    ];
    open({
      "GET /api/contacts/7/history": () => ({ body: { events, count: 5, hasMore: false } }),
    });
    const history = within(await card("Histórico do contato"));
    await waitFor(() => expect(history.getAllByRole("listitem")).toHaveLength(5));
    const texts = history.getAllByRole("listitem").map(({ textContent }) => textContent);
    expect(texts[0]).toContain("Unido com Helena D., +55 21 97777-0000Antes, Tamanho: M");
    expect(texts[1]).toContain("Pediu para não receber mensagensCaio Nunes");
    expect(texts[2]).toContain("Número: vazio → +55 11 98456-2210Automático");
    expect(texts[3]).toContain("E-mail alteradoE-mail: vazio → h@a.b");
    expect(texts[4]).toContain("Chatbot: ligado → desligadoCidade: Recife → vazio");
  });

  test("a new note belongs to the newest ticket in sight", async () => {
    const note = {
      ...{ id: 1, note: "Gosta de linho.", companyId: 3, ticketId: 11, contactId: 7, userId: 1 },
      ...{ user: { id: 1, name: "Ana", email: "" }, contact: { id: 7, name: "Helena" } },
      ...{ ticket: { id: 11, status: "open", createdAt: at }, mentions: [] },
      ...{ createdAt: at, updatedAt: at },
    };
    const { requests } = open({
      "POST /api/ticket-notes": () => ({ body: note }),
    });
    const region = within(await card("Observações"));
    await userEvent.click(await region.findByRole("button", { name: "Nova" }));
    await userEvent.type(region.getByRole("textbox"), "Gosta de linho.");
    await userEvent.click(region.getByRole("button", { name: "Adicionar observação" }));
    expect(await region.findByRole("button", { name: "Nova" })).toBeTruthy();
    expect(requests.find(({ call }) => call === "POST /api/ticket-notes")?.body).toMatchObject({
      ...{ ticketId: 11, note: "Gosta de linho." },
    });
  });
});

describe("two contacts beside each other", () => {
  const side = (fields: object, counts: Partial<MergeSide> = {}): MergeSide =>
    ({
      contact: { ...helena, extraInfo: [], ...fields },
      ...{ attendances: 0, messages: 0, schedules: 0, notes: 0, lists: 0 },
      ...counts,
    }) as MergeSide;
  const info = (name: string, value: string) => ({ id: 1, name, value, contactId: 7 });

  test("a field is chosen only where both have another value; the rest stays by itself", () => {
    const own = side({ email: "", extraInfo: [info("Tamanho", "M"), info("Pedido", "1")] });
    const other = side({ id: 9, name: "Helena D.", extraInfo: [info("Tamanho ", "P")] });
    const fields = fieldsOf({ own, other }, { name: "other" });
    expect(fields.map(({ key, chosen }) => [key, chosen])).toEqual([
      ["name", "other"],
      ["number", undefined],
      ["email", undefined],
      ["info Tamanho", "own"],
      ["info Pedido", undefined],
    ]);
    expect(choicesOf({ own, other }, fields)).toMatchObject({
      ...{ otherId: 9, name: "other", number: "own", email: "own" },
      extraInfo: [{ name: "Tamanho", from: "own" }],
    });
  });

  test("the one with more messages stays, else the older one", () => {
    const preview = { reason: null, inTheWay: [] };
    const few = side({}, { messages: 1 });
    const many = side({}, { messages: 2 });
    const old = side({ createdAt: "2020-01-01T00:00:00.000Z" }, { messages: 1 });
    expect(staysFirst({ ...preview, own: few, other: many })).toBe(false);
    expect(staysFirst({ ...preview, own: few, other: old })).toBe(false);
    expect(staysFirst({ ...preview, own: old, other: few })).toBe(true);
  });
});
