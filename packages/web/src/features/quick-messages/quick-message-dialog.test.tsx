import type { QuickMessage } from "@balcao/contract";
import { quickMessage } from "@balcao/contract";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import type { SeenRequest } from "../../testing/fake-server.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import type { FakeUpload } from "../../testing/fake-uploads.ts";
import { fakeUploads } from "../../testing/fake-uploads.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderScreen } from "../../testing/render.tsx";
import { QuickMessageDialog } from "./quick-message-dialog.tsx";

const known: QuickMessage = quickMessage.parse({
  ...{ id: 1, shortcode: "tabela", message: "Segue a tabela", geral: false, status: true },
  ...{ folder: "Tabelas", usedCount: 0 },
  ...{ isMedia: true, mediaPath: "/public/x", mediaName: "tabela.pdf", mediaMime: null },
  ...{ userId: 7, companyId: 3 },
  ...{ createdAt: "2026-11-20T10:00:00.000Z", updatedAt: "2026-11-20T10:00:00.000Z" },
});

let requests: SeenRequest[];
let uploads: FakeUpload[];
const onClose = vi.fn();

beforeEach(() => {
  startSession(givenToken("t", 3_600), givenUser());
  ({ uploads } = fakeUploads());
  ({ requests } = fakeServer({
    "POST /api/quick-messages": () => ({ body: { ...known, id: 2, mediaName: null } }),
    "PUT /api/quick-messages/1": () => ({ body: known }),
    "DELETE /api/quick-messages/1/media-upload": () => ({ body: { mensagem: "ok" } }),
  }));
  onClose.mockReset();
});

afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

async function open(of: QuickMessage | null): Promise<HTMLElement> {
  renderScreen(<QuickMessageDialog quickMessage={of} onClose={onClose} />);
  return screen.findByRole("dialog");
}

const fileInput = (dialog: HTMLElement): HTMLInputElement => {
  const input = dialog.querySelector<HTMLInputElement>("input[type=file]");
  if (!input) throw new Error("there is no place for a file");
  return input;
};
const pdf = (name: string): File => new File(["x"], name, { type: "application/pdf" });
const writes = (): string[] =>
  requests.map(({ call }) => call).filter((call) => !call.startsWith("GET"));

test("the text has room for seven lines", async () => {
  const dialog = await open(null);
  expect(within(dialog).getByLabelText("Mensagem").getAttribute("rows")).toBe("7");
});

test("one file is attached; a second one replaces it", async () => {
  const dialog = await open(null);
  await userEvent.type(within(dialog).getByLabelText("Atalho"), "tabela");
  expect(fileInput(dialog).multiple).toBe(false);
  await userEvent.upload(fileInput(dialog), pdf("velha.pdf"));
  expect(within(dialog).getByText("velha.pdf")).toBeTruthy();
  await userEvent.upload(fileInput(dialog), pdf("nova.pdf"));
  expect(within(dialog).queryByText("velha.pdf")).toBeNull();
  await userEvent.click(within(dialog).getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(uploads).toHaveLength(1));
  expect([uploads[0]?.call, uploads[0]?.file().name]).toEqual([
    "POST /api/quick-messages/2/media-upload",
    "nova.pdf",
  ]);
  uploads[0]?.answer(200, { mensagem: "Arquivo Anexado" });
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
});

test("the stored file is shown and can be removed", async () => {
  const dialog = await open(known);
  await userEvent.click(within(dialog).getByRole("button", { name: "Remover o anexo tabela.pdf" }));
  expect(within(dialog).queryByText("tabela.pdf")).toBeNull();
  expect(writes()).toEqual([]);
  await userEvent.click(within(dialog).getByRole("button", { name: "Salvar" }));
  await waitFor(() =>
    expect(writes()).toEqual([
      "PUT /api/quick-messages/1",
      "DELETE /api/quick-messages/1/media-upload",
    ]),
  );
});
