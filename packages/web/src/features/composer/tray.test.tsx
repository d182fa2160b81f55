import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { createFakeSocket } from "../../testing/fake-socket.ts";
import type { FakeUpload } from "../../testing/fake-uploads.ts";
import { fakeUploads } from "../../testing/fake-uploads.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { givenMessage } from "../messages/testing/given-message.ts";
import { composerServer } from "./testing/composer-server.ts";
import { trayOf } from "./tray-store.ts";
import { field, renderComposer } from "./testing/render-composer.tsx";

vi.mock("../../realtime/socket.ts", () => ({ openSocket: () => createFakeSocket() }));

let server: ReturnType<typeof composerServer>;
let uploads: FakeUpload[];

beforeEach(() => {
  endSession("logout");
  startSession(givenToken("t"), givenUser());
  server = composerServer();
  ({ uploads } = fakeUploads());
});

const pdf = (name: string): File => new File(["conteúdo"], name, { type: "application/pdf" });
const tray = () => screen.findByRole("list", { name: "Arquivos para enviar" });
const names = async (): Promise<string[]> =>
  within(await tray())
    .getAllByRole("textbox")
    .map((caption) => caption.getAttribute("aria-label") ?? "");

function drop(files: File[]): void {
  const target = document.querySelector("[data-conversation]");
  const dataTransfer = { types: ["Files"], files };
  for (const kind of ["dragEnter", "dragOver", "drop"] as const) {
    if (target) fireEvent[kind](target, { dataTransfer });
  }
}

async function answer(count: number): Promise<FakeUpload> {
  await waitFor(() => expect(uploads).toHaveLength(count));
  const upload = uploads[count - 1];
  if (!upload) throw new Error("nothing was uploaded");
  const clientId = upload.field("clientId");
  act(() => upload.answer(200, givenMessage(20 + count, { fromMe: true, clientId })));
  return upload;
}

test("files dropped on the conversation wait in the tray and are sent in order with captions", async () => {
  renderComposer();
  drop([pdf("a.pdf"), pdf("b.pdf")]);
  expect(await names()).toEqual(["Legenda de a.pdf", "Legenda de b.pdf"]);
  await userEvent.type(screen.getByRole("textbox", { name: "Legenda de a.pdf" }), "o contrato");
  await userEvent.click(screen.getByRole("button", { name: "Mover b.pdf para antes" }));
  expect(await names()).toEqual(["Legenda de b.pdf", "Legenda de a.pdf"]);
  await userEvent.type(field(), "Seguem os dois{Enter}");

  await waitFor(() => expect(server.sentBodies()).toEqual(["*Marina Prado:*\nSeguem os dois"]));
  expect((await answer(1)).file().name).toBe("b.pdf");
  const second = await answer(2);
  expect([second.file().name, second.field("body")]).toEqual([
    "a.pdf",
    "*Marina Prado:*\no contrato",
  ]);
  expect(screen.queryByRole("list", { name: "Arquivos para enviar" })).toBeNull();
  expect(field().value).toBe("");
});

test("the text beside one file is its caption", async () => {
  renderComposer();
  drop([pdf("a.pdf")]);
  await tray();
  await userEvent.type(field(), "o contrato{Enter}");
  expect((await answer(1)).field("body")).toBe("*Marina Prado:*\no contrato");
  expect(server.sent()).toEqual([]);
});

test("a pasted picture is attached; a paste from a table is text, despite its picture", async () => {
  renderComposer();
  const picture = new File(["x"], "image.png", { type: "image/png" });
  fireEvent.paste(field(), {
    clipboardData: { types: ["text/plain", "text/html", "Files"], files: [picture] },
  });
  expect(trayOf(1).files).toEqual([]);
  fireEvent.paste(field(), { clipboardData: { types: ["Files"], files: [picture] } });
  expect(await names()).toEqual(["Legenda de image.png"]);
});

test("the eleventh file is refused with a notice that can be dismissed", async () => {
  renderComposer();
  drop(Array.from({ length: 11 }, (_, index) => pdf(`${index}.pdf`)));
  const refusal = await screen.findByRole("alert");
  expect(refusal.textContent).toContain("10.pdf");
  expect(refusal.textContent).toContain("Há arquivos demais de uma só vez.");
  expect(await names()).toHaveLength(10);
  await userEvent.click(screen.getByRole("button", { name: "Dispensar" }));
  expect(screen.queryByRole("alert")).toBeNull();
});

test("removing a file keeps the focus in the tray, or in the field if none is left", async () => {
  renderComposer();
  drop([pdf("a.pdf"), pdf("b.pdf")]);
  await tray();
  await userEvent.click(screen.getByRole("button", { name: "Remover a.pdf" }));
  expect(await names()).toEqual(["Legenda de b.pdf"]);
  expect(document.activeElement?.getAttribute("aria-label")).toBe("Legenda de b.pdf");
  await userEvent.click(screen.getByRole("button", { name: "Remover b.pdf" }));
  expect(document.activeElement).toBe(field());
});

test("chosen files stay during a visit to another ticket", async () => {
  const first = renderComposer();
  drop([pdf("a.pdf")]);
  await tray();
  first.unmount();
  const second = renderComposer({ ticketId: 2 });
  expect(screen.queryByRole("list", { name: "Arquivos para enviar" })).toBeNull();
  second.unmount();
  renderComposer();
  expect(await names()).toEqual(["Legenda de a.pdf"]);
});

test("a composer that cannot send accepts no files", () => {
  const closed = renderComposer({ disabledReason: "Aceite o atendimento para responder." });
  drop([pdf("a.pdf")]);
  expect(trayOf(1).files).toEqual([]);
  closed.unmount();
  renderComposer();
  drop([pdf("a.pdf")]);
  expect(trayOf(1).files).toHaveLength(1);
});
