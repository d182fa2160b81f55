import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { givenConnection } from "../tickets/testing/given-choices.ts";
import { ConnectionsPage } from "./connections-page.tsx";
import {
  connectionServer,
  openConnected,
  rowOf,
  sessionEvent,
} from "./testing/connections-screen.tsx";
import { sockets } from "../../testing/sockets.ts";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const shop = givenConnection(1, "Loja Paulista", {
  isDefault: true,
  number: "5511987654321",
  channel: "whatsapp-web",
  connectedAt: "2026-11-12T13:05:00.000Z",
});
const branch = givenConnection(2, "Filial Santos", {
  status: "DISCONNECTED",
  closeReason: "logged-out",
  channel: "whatsapp-web",
});

beforeEach(() => {
  startSession(givenToken("t", 3_600), givenUser());
});

const open = (): Promise<void> => openConnected(<ConnectionsPage />, sockets);

test("the table shows channel, status and the reason of a loss", async () => {
  connectionServer([shop, branch]);
  await open();
  const first = within(await rowOf("Loja Paulista"));
  expect(first.getByText("Padrão")).toBeTruthy();
  expect(first.getByText("Conectada")).toBeTruthy();
  expect(first.getByText("WhatsApp por QR code")).toBeTruthy();
  expect(first.getByText("5511987654321")).toBeTruthy();
  expect(first.getByText("12/11, 10:05")).toBeTruthy();
  const second = within(await rowOf("Filial Santos"));
  expect(second.queryByText("Padrão")).toBeNull();
  expect(second.getByText("Desconectada")).toBeTruthy();
  expect(second.getByText("Desconectada pelo celular")).toBeTruthy();
  expect(second.getByText("Sem número")).toBeTruthy();
});

test("a search finds a connection by number, and by name ignoring accents", async () => {
  const named = givenConnection(4, "Matriz São João", { number: "5511955550000" });
  connectionServer([shop, branch, named]);
  await open();
  const names = (): string[] =>
    screen.getAllByRole("rowheader").map(({ textContent }) => textContent ?? "");
  for (const words of ["SAO joao", "1195555"]) {
    await userEvent.clear(screen.getByRole("searchbox"));
    await userEvent.type(screen.getByRole("searchbox"), words);
    await waitFor(() => expect(names()).toEqual([expect.stringContaining("Matriz São João")]));
  }
});

test("a live event changes status, reason and buttons of its row alone", async () => {
  connectionServer([shop, branch]);
  await open();
  await rowOf("Loja Paulista");
  sessionEvent(sockets, shop, { status: "TIMEOUT", closeReason: "network" });
  const row = await rowOf("Loja Paulista");
  expect(await within(row).findByText("A rede caiu")).toBeTruthy();
  expect(within(row).getByRole("button", { name: "Desconectar: Loja Paulista" })).toBeTruthy();
  const other = within(await rowOf("Filial Santos"));
  expect(other.getByText("Desconectada pelo celular")).toBeTruthy();
});

test("trying again restarts with the present link", async () => {
  const server = connectionServer([branch]);
  await open();
  await userEvent.click(
    await screen.findByRole("button", { name: "Tentar novamente: Filial Santos" }),
  );
  expect(await screen.findByText("Conectando Filial Santos")).toBeTruthy();
  expect(server.writes()).toEqual(["POST /api/whatsappsession/2"]);
});

test("a starting connection has a disabled button with its state", async () => {
  connectionServer([givenConnection(1, "Loja Paulista", { status: "OPENING" })]);
  await open();
  const button = await screen.findByRole("button", { name: "Conectando…: Loja Paulista" });
  expect(button).toHaveProperty("disabled", true);
});

test("disconnecting asks first, and a refusal is shown in the question", async () => {
  let answer: { status: number; body: unknown } = {
    status: 403,
    body: { error: "ERR_NO_PERMISSION" },
  };
  const server = connectionServer([shop], { "DELETE /api/whatsappsession/1": () => answer });
  await open();
  await userEvent.click(await screen.findByRole("button", { name: "Desconectar: Loja Paulista" }));
  const dialog = await screen.findByRole("dialog", { name: "Desconectar Loja Paulista?" });
  expect(
    within(dialog).getByText("Tem certeza? Você precisará ler o QR code novamente."),
  ).toBeTruthy();
  expect(server.writes()).toEqual([]);
  const confirm = within(dialog).getByRole("button", { name: "Desconectar" });
  await userEvent.click(confirm);
  expect((await within(dialog).findByRole("alert")).textContent).toBe(
    "Você não tem permissão para fazer isso.",
  );
  answer = { status: 200, body: { message: "Session disconnected." } };
  await userEvent.click(confirm);
  expect(await screen.findByText("Loja Paulista desconectada")).toBeTruthy();
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("deleting names the connection, and the row is gone at once", async () => {
  const server = connectionServer([shop, branch]);
  await open();
  await userEvent.click(await screen.findByRole("button", { name: "Excluir Filial Santos" }));
  const dialog = await screen.findByRole("dialog", { name: "Excluir a conexão Filial Santos?" });
  server.connections = [shop];
  await userEvent.click(within(dialog).getByRole("button", { name: "Excluir" }));
  expect(await screen.findByText("Conexão excluída com sucesso")).toBeTruthy();
  expect(server.writes()).toEqual(["DELETE /api/whatsapp/2"]);
  expect(screen.queryByRole("row", { name: /Filial Santos/ })).toBeNull();
});

test("all connections are restarted after a question", async () => {
  const server = connectionServer([shop]);
  await open();
  await userEvent.click(await screen.findByRole("button", { name: "Reiniciar conexões" }));
  expect(server.writes()).toEqual([]);
  const dialog = await screen.findByRole("dialog", { name: "Reiniciar todas as conexões?" });
  await userEvent.click(within(dialog).getByRole("button", { name: "Reiniciar" }));
  await waitFor(() => expect(server.writes()).toEqual(["POST /api/whatsapp-restart"]));
});

test("the search narrows by name and number", async () => {
  connectionServer([shop, branch]);
  await open();
  await rowOf("Loja Paulista");
  await userEvent.type(screen.getByRole("searchbox"), "98765");
  await waitFor(() => expect(screen.queryByRole("row", { name: /Filial Santos/ })).toBeNull());
  expect(await rowOf("Loja Paulista")).toBeTruthy();
});

test("a company without connections sees what to do", async () => {
  connectionServer([]);
  await open();
  expect(await screen.findByText("Nenhum registro")).toBeTruthy();
  expect(screen.getAllByRole("button", { name: "Adicionar" }).length).toBeGreaterThan(0);
});

test("a list that fails to load shows the error and a retry", async () => {
  let isBroken = true;
  connectionServer([shop], {
    "GET /api/whatsapp": () =>
      isBroken ? { status: 400, body: { error: "ERR_INTERNAL" } } : { body: [shop] },
  });
  await open();
  const retry = await screen.findByRole("button", { name: "Tentar de novo" });
  isBroken = false;
  await userEvent.click(retry);
  expect(await rowOf("Loja Paulista")).toBeTruthy();
});

test("a hidden column stays hidden on this device", async () => {
  connectionServer([shop]);
  await open();
  await rowOf("Loja Paulista");
  await userEvent.click(screen.getByRole("button", { name: "Escolher colunas" }));
  await userEvent.click(await screen.findByRole("menuitemcheckbox", { name: "Canal" }));
  await waitFor(() => expect(screen.queryByRole("columnheader", { name: "Canal" })).toBeNull());
  expect(localStorage.getItem("balcao.hiddenColumns.connections")).toBe('["channel"]');
  cleanup();
  endSession("logout");
  startSession(givenToken("t", 3_600), givenUser());
  connectionServer([shop]);
  await open();
  await rowOf("Loja Paulista");
  expect(screen.queryByRole("columnheader", { name: "Canal" })).toBeNull();
  expect(screen.getByRole("columnheader", { name: "Número" })).toBeTruthy();
});
