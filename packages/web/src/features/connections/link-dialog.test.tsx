import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../api/session-store.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { givenConnection } from "../tickets/testing/given-choices.ts";
import { ConnectionsPage } from "./connections-page.tsx";
import { connectionServer, openConnected, sessionEvent } from "./testing/connections-screen.tsx";
import { sockets } from "../../testing/sockets.ts";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const shop = givenConnection(1, "Loja Paulista", {
  status: "qrcode",
  qrcode: "code-1",
  channel: "whatsapp-web",
});
const branch = givenConnection(2, "Filial Santos", { channel: "whatsapp-web" });
const away = givenConnection(1, "Loja Paulista", {
  status: "DISCONNECTED",
  channel: "whatsapp-web",
});

beforeEach(() => {
  startSession(givenToken("t", 3_600), givenUser());
});

const dialog = (): HTMLElement | null =>
  screen.queryByRole("dialog", { name: "Conectar Loja Paulista" });
const drawn = (): string | undefined =>
  screen
    .queryByRole("img", { name: "QR code para conectar Loja Paulista" })
    ?.querySelector("path:last-of-type")
    ?.getAttribute("d") ?? undefined;
/** The error in the dialog, not in a toast. */
const failure = async (): Promise<string | null> =>
  (await within(await screen.findByRole("dialog")).findByRole("alert")).textContent;

async function openCode(): Promise<void> {
  connectionServer([shop, branch]);
  await openConnected(<ConnectionsPage />, sockets);
  await userEvent.click(await screen.findByRole("button", { name: "QR code: Loja Paulista" }));
  expect(
    await screen.findByRole("img", { name: "QR code para conectar Loja Paulista" }),
  ).toBeTruthy();
}

test("a new code replaces the old one", async () => {
  await openCode();
  const first = drawn();
  sessionEvent(sockets, shop, { qrcode: "code-2" });
  await waitFor(() => expect(drawn()).not.toBe(first));
  expect(dialog()).toBeTruthy();
});

test("it closes with a notice once the phone is connected", async () => {
  await openCode();
  sessionEvent(sockets, shop, { status: "CONNECTED", qrcode: "" });
  expect(await screen.findByText("Loja Paulista conectada")).toBeTruthy();
  await waitFor(() => expect(dialog()).toBeNull());
});

test("events of another connection leave it open, even an empty code", async () => {
  await openCode();
  const first = drawn();
  sessionEvent(sockets, branch, { status: "DISCONNECTED", qrcode: "" });
  expect(await screen.findByText("Desconectada")).toBeTruthy();
  expect(dialog()).toBeTruthy();
  expect(drawn()).toBe(first);
});

test("an event of the connection without a code leaves it open", async () => {
  await openCode();
  sessionEvent(sockets, shop, { retries: 2 });
  sessionEvent(sockets, branch, { status: "TIMEOUT" });
  expect(await screen.findByText("Sem resposta")).toBeTruthy();
  expect(dialog()).toBeTruthy();
});

test("it closes at once when the code is gone; the result is shown later", async () => {
  await openCode();
  sessionEvent(sockets, shop, { status: "PAIRING", qrcode: "" });
  expect(await screen.findByText("Código lido. Conectando Loja Paulista…")).toBeTruthy();
  await waitFor(() => expect(dialog()).toBeNull());
  sessionEvent(sockets, shop, { status: "CONNECTED", qrcode: "" });
  expect(await screen.findByText("Loja Paulista conectada")).toBeTruthy();
});

test("it closes with the reason when the codes expire", async () => {
  await openCode();
  sessionEvent(sockets, shop, { status: "DISCONNECTED", qrcode: "", closeReason: "qr-expired" });
  expect(
    await screen.findByText("Loja Paulista não conectou: Ninguém leu o código a tempo."),
  ).toBeTruthy();
  await waitFor(() => expect(dialog()).toBeNull());
});

test("a new code is requested, awaited and shown", async () => {
  const server = connectionServer([away]);
  await openConnected(<ConnectionsPage />, sockets);
  await userEvent.click(await screen.findByRole("button", { name: "Novo QR code: Loja Paulista" }));
  expect(await screen.findByText("Preparando o código…")).toBeTruthy();
  await waitFor(() => expect(server.writes()).toEqual(["PUT /api/whatsappsession/1"]));
  sessionEvent(sockets, away, { status: "OPENING", qrcode: "" });
  sessionEvent(sockets, away, { status: "qrcode", qrcode: "code-1" });
  expect(
    await screen.findByRole("img", { name: "QR code para conectar Loja Paulista" }),
  ).toBeTruthy();
  expect(server.writes()).toHaveLength(1);
});

test("the wait for a code shows that the service does not answer", async () => {
  connectionServer([away]);
  await openConnected(<ConnectionsPage />, sockets);
  await userEvent.click(await screen.findByRole("button", { name: "Novo QR code: Loja Paulista" }));
  expect(await screen.findByText("Preparando o código…")).toBeTruthy();
  sessionEvent(sockets, away, { status: "TIMEOUT", retries: 1 });
  expect(await screen.findByText("O WhatsApp não respondeu. Tentando de novo…")).toBeTruthy();
});

test("an attempt that ends without a code shows the reason and offers another", async () => {
  const server = connectionServer([away]);
  await openConnected(<ConnectionsPage />, sockets);
  await userEvent.click(await screen.findByRole("button", { name: "Novo QR code: Loja Paulista" }));
  await waitFor(() => expect(server.writes()).toHaveLength(1));
  sessionEvent(sockets, away, { status: "OPENING" });
  expect(await screen.findByText("Abrindo")).toBeTruthy();
  sessionEvent(sockets, away, { status: "DISCONNECTED", closeReason: "outdated" });
  expect(await failure()).toBe("O código expirou: O WhatsApp não aceita mais esta versão.");
  await userEvent.click(screen.getByRole("button", { name: "Gerar novo código" }));
  await waitFor(() => expect(server.writes()).toHaveLength(2));
});

test("a refused request for a code shows the error in the dialog", async () => {
  connectionServer([away], {
    "PUT /api/whatsappsession/1": () => ({ status: 404, body: { error: "ERR_NO_WAPP_FOUND" } }),
  });
  await openConnected(<ConnectionsPage />, sockets);
  await userEvent.click(await screen.findByRole("button", { name: "Novo QR code: Loja Paulista" }));
  expect(await failure()).toBe("Conexão não encontrada.");
});

test("a phone number gives a code to type, and the old code to scan does not return", async () => {
  await openCode();
  const own = within(dialog() ?? document.body);
  await userEvent.click(own.getByRole("button", { name: "Conectar com um número de telefone" }));
  const phone = own.getByRole("textbox", { name: "Telefone da empresa" });
  await userEvent.type(phone, "1234");
  await userEvent.click(own.getByRole("button", { name: "Gerar código" }));
  expect(own.getByText("Informe de 8 a 15 dígitos, com código do país e DDD")).toBeTruthy();
  expect(document.activeElement).toBe(phone);
  await userEvent.clear(phone);
  await userEvent.type(phone, "+55 (11) 98765-4321");
  await userEvent.click(own.getByRole("button", { name: "Gerar código" }));
  sessionEvent(sockets, shop, { status: "OPENING", qrcode: "" });
  sessionEvent(sockets, shop, { status: "qrcode", qrcode: "", pairingCode: "K2R7WX4M" });
  expect(
    (await own.findByRole("status", { name: "Código para digitar no celular" })).textContent,
  ).toBe("K2R7-WX4M");
  sessionEvent(sockets, shop, { status: "CONNECTED", qrcode: "", pairingCode: "" });
  expect(await screen.findByText("Loja Paulista conectada")).toBeTruthy();
});

test("a code to type is asked for after the answer about a code to scan, which would replace it", async () => {
  const first = Promise.withResolvers<{ body: unknown }>();
  const server = connectionServer([away], {
    "PUT /api/whatsappsession/1": ({ body }) =>
      Object.keys(body ?? {}).length === 0 ? first.promise : { body: { message: "ok" } },
  });
  await openConnected(<ConnectionsPage />, sockets);
  await userEvent.click(await screen.findByRole("button", { name: "Novo QR code: Loja Paulista" }));
  const own = within(await screen.findByRole("dialog"));
  await userEvent.click(own.getByRole("button", { name: "Conectar com um número de telefone" }));
  await userEvent.type(own.getByRole("textbox"), "5511987654321{Enter}");
  expect(server.writes()).toHaveLength(1);
  first.resolve({ body: { message: "ok" } });
  await waitFor(() => expect(server.writes()).toHaveLength(2));
  expect(server.bodyOf("PUT /api/whatsappsession/1")).toEqual({ pairingPhone: "5511987654321" });
});
