import { fileList, listedFileList } from "@balcao/contract";
import type { Profile } from "@balcao/contract/permissions";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { fakeUploads } from "../../testing/fake-uploads.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { FilesPage } from "./files-page.tsx";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const at = "2026-11-20T10:00:00.000Z";
const head = {
  id: 1,
  name: "Catálogo",
  message: "Verão",
  companyId: 3,
  createdAt: at,
  updatedAt: at,
};
const option = (id: number, name: string, fileName: string | null = null) => ({
  ...{ id, name, fileId: 1, fileName, path: fileName && `k${id}.pdf`, url: null },
  ...{ mediaType: null, bytes: fileName && 2_048 },
});
const known = fileList.parse({
  ...head,
  options: [option(5, "Capa", "capa.pdf"), option(6, "Preços", "precos.pdf"), option(7, "Vazia")],
});
const listed = listedFileList.parse({ ...head, optionsCount: 3 });

function open(profile: Profile, replies: Parameters<typeof fakeServer>[0] = {}) {
  const server = fakeServer({
    "GET /api/files": () => ({ body: { files: [listed], count: 1, hasMore: false } }),
    "GET /api/files/1": () => ({ body: known }),
    "DELETE /api/files/1": () => ({ body: { message: "File List deleted" } }),
    ...replies,
  });
  const uploads = fakeUploads();
  startSession(givenToken("t", 3_600), givenUser({ profile }));
  renderRoutes([{ path: "files", element: <FilesPage /> }], "/files");
  const writes = () => server.requests.filter(({ call }) => !call.startsWith("GET"));
  return { ...uploads, writes };
}

const bodiesOf = (requests: readonly { call: string; body?: unknown }[]) =>
  requests.map(({ call, body }) => [call, body]);
const file = (name: string, content = "conteúdo") => new File([content], name);
const chooser = (dialog: ReturnType<typeof within>) =>
  dialog.getByLabelText("Adicionar arquivos", { selector: "input" });

afterEach(() => {
  cleanup();
  endSession("logout");
});

test("an admin makes a list; the chosen files go to its options in their order", async () => {
  const made = { ...known, options: [option(8, "Praia"), option(9, "")] };
  const { writes, uploads } = open("admin", { "POST /api/files": () => ({ body: made }) });
  await userEvent.click(await screen.findByRole("button", { name: "Adicionar" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Nova lista de arquivos" }));
  await userEvent.type(dialog.getByLabelText("Nome"), "Ve");
  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  expect(await dialog.findByText("nome muito curto")).toBeTruthy();
  expect(dialog.getByText("Obrigatório")).toBeTruthy();
  await userEvent.type(dialog.getByLabelText("Nome"), "rão");
  await userEvent.type(dialog.getByLabelText("Mensagem"), "Para a praia");
  await userEvent.upload(chooser(dialog), [file("a.pdf"), file("b.pdf")]);
  await userEvent.type(dialog.getByLabelText("Legenda de b.pdf"), "Praia");
  await userEvent.click(dialog.getByRole("button", { name: "Mover b.pdf para cima" }));
  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  const options = [
    { id: null, name: "Praia" },
    { id: null, name: "" },
  ];
  await waitFor(() => expect(uploads).toHaveLength(1));
  expect(bodiesOf(writes())).toEqual([
    ["POST /api/files", { name: "Verão", message: "Para a praia", options }],
  ]);
  const [sent] = uploads;
  expect(sent?.call).toBe("POST /api/files/uploadList/1");
  expect(sent?.parts).toEqual(["typeArch", "fileId", "id", "id", "files", "files"]);
  expect([sent?.field("fileId"), sent?.field("id"), sent?.file().name]).toEqual([
    "1",
    "8",
    "b.pdf",
  ]);
  sent?.progress(0.5);
  const bar = await dialog.findByRole("progressbar", { name: "Enviando os arquivos" });
  expect(bar).toHaveProperty("value", 0.5);
  sent?.answer(200, { mensagem: "Arquivos atualizados" });
  expect(await screen.findByText("Lista salva")).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("a refused file is named; the second try changes the same list and sends what is missing", async () => {
  const files = Array.from({ length: 11 }, (_, number) => file(`${number}.pdf`));
  const made = { ...known, options: files.map((_, number) => option(20 + number, "")) };
  const reply = () => ({ body: made });
  const { writes, uploads } = open("admin", {
    "POST /api/files": reply,
    "PUT /api/files/1": reply,
  });
  await userEvent.click(await screen.findByRole("button", { name: "Adicionar" }));
  const dialog = within(await screen.findByRole("dialog"));
  await userEvent.type(dialog.getByLabelText("Nome"), "Verão");
  await userEvent.type(dialog.getByLabelText("Mensagem"), "m");
  await userEvent.upload(chooser(dialog), files);
  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(uploads).toHaveLength(1));
  expect(uploads[0]?.parts.filter((part) => part === "files")).toHaveLength(10);
  uploads[0]?.answer(200, { mensagem: "ok" });
  await waitFor(() => expect(uploads).toHaveLength(2));
  const code = "ERR_FILE_TYPE_FORBIDDEN";
  uploads[1]?.answer(415, { error: code, code, data: { name: "10.pdf" } });
  expect(await dialog.findByText("10.pdf: Este tipo de arquivo não é permitido.")).toBeTruthy();

  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(uploads).toHaveLength(3));
  expect(writes().map(({ call }) => call)).toEqual(["POST /api/files", "PUT /api/files/1"]);
  expect(writes()[1]?.body).toMatchObject({ options: made.options.map(({ id }) => ({ id })) });
  expect(uploads[2]?.parts.filter((part) => part === "files")).toHaveLength(1);
  expect(uploads[2]?.field("id")).toBe("30");
});

test("a known list is changed: order, a new file in the place of one, and one less", async () => {
  const changed = { ...known, options: [known.options[1], known.options[0]] };
  const { writes, uploads } = open("admin", { "PUT /api/files/1": () => ({ body: changed }) });
  await userEvent.click(await screen.findByRole("button", { name: /Editar Catálogo/ }));
  const dialog = within(await screen.findByRole("dialog", { name: "Editar lista de arquivos" }));
  expect(await dialog.findByText("Sem arquivo: não é enviado")).toBeTruthy();
  await userEvent.click(dialog.getByRole("button", { name: "Remover arquivo 3" }));
  await userEvent.click(dialog.getByRole("button", { name: "Mover capa.pdf para baixo" }));
  await userEvent.upload(
    dialog.getByLabelText("Trocar capa.pdf", { selector: "input" }),
    file("nova.pdf"),
  );
  expect(dialog.getByLabelText("Legenda de nova.pdf")).toHaveProperty("value", "Capa");
  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(uploads).toHaveLength(1));
  expect(writes()[0]?.body).toMatchObject({
    options: [
      { id: 6, name: "Preços" },
      { id: 5, name: "Capa" },
    ],
  });
  expect([uploads[0]?.field("id"), uploads[0]?.file().name]).toEqual(["5", "nova.pdf"]);
});

test("a list is deleted after a question; who does not manage lists only reads them", async () => {
  const { writes } = open("admin");
  expect(await screen.findByText("3 arquivos")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Excluir Catálogo" }));
  const question = within(await screen.findByRole("dialog", { name: /Catálogo/ }));
  expect(question.getByText(/Os 3 arquivos dela/)).toBeTruthy();
  await userEvent.click(question.getByRole("button", { name: "Excluir" }));
  await waitFor(() => expect(writes().map(({ call }) => call)).toEqual(["DELETE /api/files/1"]));
  cleanup();
  open("user");
  await screen.findByText("Catálogo");
  expect(screen.queryByRole("button", { name: /Excluir|Editar|Adicionar/ })).toBeNull();
});

const plan = {
  ...{ id: 1, name: "Plano", users: 1, connections: 1, queues: 1, value: 1 },
  ...{ useCampaigns: true, useKanban: false, useOpenAi: false, useIntegrations: false },
  ...{ useSchedules: false, useInternalChat: false, useExternalApi: false },
  ...{ createdAt: at, updatedAt: at },
};
const company = {
  ...{ id: 3, name: "Loja", email: "", phone: null, status: true, dueDate: null, createdAt: at },
  plan,
};

test.for([true, false])(
  "tabs lead to the pages that a plan has: campaigns %s",
  async (useCampaigns) => {
    const body = { ...company, plan: { ...plan, useCampaigns } };
    open("admin", { "GET /api/companies/listPlan/3": () => ({ body }) });
    await screen.findByText("Catálogo");
    if (!useCampaigns) {
      expect(screen.queryByRole("navigation", { name: "Campanhas" })).toBeNull();
      return;
    }
    const tabs = within(await screen.findByRole("navigation", { name: "Campanhas" }));
    const links = tabs
      .getAllByRole("link")
      .map((link) => [
        link.textContent,
        link.getAttribute("href"),
        link.getAttribute("aria-current"),
      ]);
    expect(links).toEqual([
      ["Campanhas", "/campaigns", null],
      ["Listas de contatos", "/contact-lists", null],
      ["Listas de arquivos", "/files", "page"],
      ["Configurações", "/campaigns-config", null],
    ]);
  },
);
