import type { SimulatorConnection, SimulatorMessage } from "@balcao/contract";
import { simulatorConnection } from "@balcao/contract";
import { act, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { LiveSession, useStoredSession } from "../auth/index.ts";
import type { SeenRequest } from "../../testing/fake-server.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { SimulatorPage } from "./simulator-page.tsx";
import { sockets } from "../../testing/sockets.ts";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const HELENA = "5511984562210";
const chats = "/api/simulator/connections/1/chats";
const newCustomer = {
  ...{ phone: "5511900000001", lastMessage: "", lastMessageAt: null, unread: 0 },
  ...{ isGroup: false, members: [] },
};
const network = {
  online: true,
  delayMs: 0,
  sendMode: "deliver",
  autoDeliver: true,
  autoRead: false,
  mediaMode: "deliver",
};

let messages: SimulatorMessage[];
let connection: SimulatorConnection;
let requests: SeenRequest[];
let sendingFails: boolean;

function givenConnection(changes: Partial<SimulatorConnection> = {}): SimulatorConnection {
  return simulatorConnection.parse({
    id: 1,
    name: "Loja Paulista",
    status: "CONNECTED",
    linked: true,
    qrcode: "",
    network,
    ...changes,
  });
}

function givenMessage(changes: Partial<SimulatorMessage>): SimulatorMessage {
  const at = "2026-11-12T13:00:00.000Z";
  return {
    id: "m",
    fromCustomer: true,
    kind: "text",
    body: "Oi",
    at,
    ack: 2,
    author: null,
    file: null,
    content: null,
    call: null,
    quoted: null,
    reactions: [],
    isEdited: false,
    isDeleted: false,
    isForwarded: false,
    isViewOnce: false,
    ...changes,
  };
}

beforeEach(() => {
  sendingFails = false;
  connection = givenConnection();
  messages = [givenMessage({ id: "m1", body: "Boa tarde", ack: 4 })];
  ({ requests } = fakeServer({
    "GET /api/simulator/connections": () => ({ body: [connection] }),
    [`GET ${chats}`]: () => ({
      body: [
        {
          phone: HELENA,
          name: "Helena Duarte",
          lastMessage: "Boa tarde",
          lastMessageAt: "2026-11-12T13:00:00.000Z",
          unread: 0,
          isGroup: false,
          members: [],
        },
      ],
    }),
    [`POST ${chats}`]: ({ body }) => {
      const { name } = body as { name: string };
      return { body: { ...newCustomer, name } };
    },
    [`GET ${chats}/${newCustomer.phone}/messages`]: () => ({ body: [] }),
    [`GET ${chats}/${HELENA}/messages`]: () => ({ body: messages }),
    [`POST ${chats}/${HELENA}/messages`]: ({ body }) => {
      if (sendingFails) return "unreachable";
      const { messageId, body: text } = body as { messageId: string; body: string };
      const sent = givenMessage({ id: messageId, body: text, ack: 1 });
      messages = [...messages, sent];
      return { body: sent };
    },
    [`POST ${chats}/${HELENA}/read`]: () => ({ body: { message: "ok" } }),
    [`POST ${chats}/${HELENA}/typing`]: () => ({ body: { message: "ok" } }),
    "PUT /api/simulator/connections/1/network": ({ body }) => {
      const changed = body as Partial<SimulatorConnection["network"]>;
      connection = { ...connection, network: { ...connection.network, ...changed } };
      return { body: connection };
    },
    "POST /api/simulator/connections/1/scan": () => {
      connection = givenConnection({ status: "CONNECTED" });
      return { body: { message: "ok" } };
    },
  }));
  startSession(givenToken("t", 3_600), givenUser());
});

afterEach(() => {
  endSession("logout");
});

function Screen() {
  const session = useStoredSession();
  return session ? (
    <>
      <LiveSession session={session} />
      <SimulatorPage />
    </>
  ) : null;
}

function open(address = `/simulator?connection=1&phone=${HELENA}`) {
  return renderRoutes([{ path: "/simulator", element: <Screen /> }], address);
}

const made = (call: string): SeenRequest[] => requests.filter((request) => request.call === call);
const conversation = (): HTMLElement => screen.getByRole("log");
const field = (): HTMLElement => screen.getByLabelText("Mensagem do cliente");

test("a customer is chosen from the list and is in the address", async () => {
  const { address } = open("/simulator");
  expect(await screen.findByText("Escolha um cliente")).toBeTruthy();
  await userEvent.click(await screen.findByRole("button", { name: /Helena Duarte/ }));
  expect(await within(conversation()).findByText("Boa tarde")).toBeTruthy();
  expect(address()).toBe(`/simulator?connection=1&phone=${HELENA}`);
});

describe("the customer", () => {
  test("writes with Enter and sees the message waiting for the company", async () => {
    open();
    await userEvent.type(await screen.findByLabelText("Mensagem do cliente"), "Tem P?{Enter}");
    expect(await within(conversation()).findByText("Tem P?")).toBeTruthy();
    expect(await screen.findByRole("img", { name: "Esperando a empresa" })).toBeTruthy();
    expect(made(`POST ${chats}/${HELENA}/messages`)).toHaveLength(1);
    expect(field()).toHaveProperty("value", "");
  });

  test("makes a new line with Shift Enter and sends nothing", async () => {
    open();
    await userEvent.type(
      await screen.findByLabelText("Mensagem do cliente"),
      "Oi{Shift>}{Enter}{/Shift}tudo bem",
    );
    expect(field()).toHaveProperty("value", "Oi\ntudo bem");
    expect(made(`POST ${chats}/${HELENA}/messages`)).toEqual([]);
  });

  test("sends no blank message", async () => {
    open();
    await userEvent.type(await screen.findByLabelText("Mensagem do cliente"), "   {Enter}");
    expect(made(`POST ${chats}/${HELENA}/messages`)).toEqual([]);
  });

  test("keeps a message that could not be sent, and a retry sends the same one", async () => {
    sendingFails = true;
    open();
    await userEvent.type(await screen.findByLabelText("Mensagem do cliente"), "Tem P?{Enter}");
    expect((await screen.findByRole("alert")).textContent).toMatch(/^Não enviada/);
    sendingFails = false;
    await userEvent.click(screen.getByRole("button", { name: "Tentar de novo" }));
    await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
    const ids = made(`POST ${chats}/${HELENA}/messages`).map(({ body }) => body);
    expect(ids).toHaveLength(2);
    expect(ids[0]).toEqual(ids[1]);
    expect(within(conversation()).getAllByText("Tem P?")).toHaveLength(1);
  });

  test("is seen typing once, not at every key", async () => {
    open();
    await userEvent.type(await screen.findByLabelText("Mensagem do cliente"), "Tem P?");
    const signals = made(`POST ${chats}/${HELENA}/typing`).map(({ body }) => body);
    expect(signals).toEqual([{ on: true }]);
  });
});

describe("messages of the company", () => {
  beforeEach(() => {
    messages = [givenMessage({ id: "m2", fromCustomer: false, body: "*Marina:*\nTemos", ack: 3 })];
  });

  test("are read while the customer looks", async () => {
    open();
    expect(await within(await screen.findByRole("log")).findByText("Marina:")).toBeTruthy();
    await waitFor(() => expect(made(`POST ${chats}/${HELENA}/read`)).toHaveLength(1));
  });

  test("stay unread when reading is switched off", async () => {
    localStorage.setItem("balcao.simulator.reading", "off");
    open();
    expect(await within(await screen.findByRole("log")).findByText("Marina:")).toBeTruthy();
    expect(made(`POST ${chats}/${HELENA}/read`)).toEqual([]);
  });

  test("appear after the simulator's event", async () => {
    open();
    expect(await within(await screen.findByRole("log")).findByText("Marina:")).toBeTruthy();
    messages = [...messages, givenMessage({ id: "m3", fromCustomer: false, body: "Separei" })];
    await waitFor(() => expect(sockets).toHaveLength(1));
    act(() => sockets[0]?.receive("company-3-simulator", { connectionId: 1, phone: HELENA }));
    expect(await within(conversation()).findByText("Separei")).toBeTruthy();
  });
});

test("the acknowledgements of the customer's messages have words", async () => {
  messages = [
    givenMessage({ id: "a", ack: 1 }),
    givenMessage({ id: "b", ack: 2 }),
    givenMessage({ id: "c", ack: 4 }),
  ];
  open();
  for (const name of ["Esperando a empresa", "Recebida pela empresa", "Lida por um atendente"]) {
    expect(await screen.findByRole("img", { name })).toBeTruthy();
  }
});

test("a connection that waits for its QR code is linked by the button", async () => {
  connection = givenConnection({ status: "qrcode", linked: false, qrcode: "link#2@abc" });
  open();
  expect(await screen.findByRole("img", { name: "QR code da conexão" })).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Ler o QR code" }));
  expect(await screen.findByText("Conectada")).toBeTruthy();
  expect(made("POST /api/simulator/connections/1/scan").map(({ body }) => body)).toEqual([
    { code: "link#2@abc" },
  ]);
});

test("the network is changed by its switches at once", async () => {
  open();
  await userEvent.click(await screen.findByRole("switch", { name: "Rede no ar" }));
  expect(screen.getByRole("switch", { name: "Rede no ar" })).toHaveProperty("checked", false);
  expect(await screen.findByText("Sem rede: as mensagens esperam.")).toBeTruthy();
  expect(made("PUT /api/simulator/connections/1/network").map(({ body }) => body)).toEqual([
    { online: false },
  ]);
});

test("a company without a simulated connection sees an explanation", async () => {
  fakeServer({ "GET /api/simulator/connections": () => ({ body: [] }) });
  open();
  expect(await screen.findByText("Nenhuma conexão simulada")).toBeTruthy();
});

test("a failed load shows the error and a retry", async () => {
  fakeServer({
    "GET /api/simulator/connections": () => ({
      status: 404,
      body: { error: "ERR_NO_WAPP_FOUND", code: "ERR_NO_WAPP_FOUND" },
    }),
  });
  open();
  expect(await screen.findByText("Conexão não encontrada.")).toBeTruthy();
  fakeServer({ "GET /api/simulator/connections": () => ({ body: [] }) });
  await userEvent.click(screen.getByRole("button", { name: "Tentar de novo" }));
  expect(await screen.findByText("Nenhuma conexão simulada")).toBeTruthy();
});

test("a test customer has a made-up name and a free number, and writes at once", async () => {
  const { address } = open("/simulator?connection=1");
  await userEvent.click(await screen.findByText("Cliente de teste"));
  await waitFor(() => expect(address()).toContain(`phone=${newCustomer.phone}`));
  const name = /^\S+ \S+ \(teste\)$/;
  expect(made(`POST ${chats}`).map(({ body }) => body)).toEqual([
    { name: expect.stringMatching(name) },
  ]);
  await waitFor(() => expect(document.activeElement).toBe(field()));
});

test("opening a customer does not focus the text field", async () => {
  open();
  await screen.findByText("Boa tarde", { selector: "[role=log] *" });
  expect(document.activeElement).not.toBe(field());
});
