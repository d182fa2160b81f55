import type { Announcement } from "@balcao/contract";
import { announcement } from "@balcao/contract";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { PermittedOnly } from "../../app/guards.tsx";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { AnnouncementsPage } from "./announcements-page.tsx";

afterEach(() => {
  cleanup();
  endSession("logout");
});

const at = "2026-11-20T10:00:00.000Z";
const given = (id: number, fields: Partial<Announcement> = {}): Announcement =>
  announcement.parse({
    ...{ id, title: `Aviso ${id}`, text: `Texto ${id}`, priority: 3, status: true },
    ...{ mediaPath: null, mediaName: null, companyId: 1 },
    ...{ publishedAt: at, createdAt: at, updatedAt: at, ...fields },
  });

function open(isSuper = true) {
  const records = [
    given(1, { priority: 1, mediaName: "quadro.png", mediaPath: "/public/company1/a.png" }),
    given(2, { status: false }),
  ];
  const server = fakeServer({
    "GET /api/announcements": () => ({ body: { records, count: 2, hasMore: false } }),
    "POST /api/announcements": () => ({ body: given(3) }),
    "PUT /api/announcements/1": () => ({ body: given(1) }),
    "DELETE /api/announcements/1": () => ({ body: { message: "Announcement deleted" } }),
    "DELETE /api/announcements/1/media-upload": () => ({ body: { mensagem: "Arquivo excluído" } }),
  });
  startSession(givenToken("t", 3_600), givenUser({ super: isSuper }));
  const page = (
    <PermittedOnly permission="announcements:manage" saysRefusal>
      <AnnouncementsPage />
    </PermittedOnly>
  );
  const routes = [
    { path: "/announcements", element: page },
    { path: "*", element: <p>home</p> },
  ];
  return { ...server, ...renderRoutes(routes, "/announcements") };
}

const dialog = (name: string) => screen.findByRole("dialog", { name });

test("the table shows title, priority, attachment and status, also of inactive ones", async () => {
  open();
  const rows = await screen.findAllByRole("row");
  expect(rows.slice(1).map(({ textContent }) => textContent)).toEqual([
    "Aviso 1Urgentequadro.pngAtivo",
    "Aviso 2InformativoSem anexoInativo",
  ]);
});

test("a new one needs title and text, and is shown below the form as everybody will see it", async () => {
  const { requests } = open();
  await userEvent.click(await screen.findByRole("button", { name: "Adicionar" }));
  const form = within(await dialog("Novo aviso"));
  await userEvent.click(form.getByRole("button", { name: "Salvar" }));
  expect(await form.findAllByText("Obrigatório")).toHaveLength(2);
  await userEvent.type(form.getByLabelText("Título"), "Manutenção");
  await userEvent.type(form.getByLabelText("Texto"), "<b>Na madrugada</b>");
  await userEvent.click(form.getByLabelText("Urgente"));
  const preview = within(form.getByRole("article"));
  expect(preview.getByRole("heading", { name: "Manutenção" })).toBeTruthy();
  expect(preview.getByText("<b>Na madrugada</b>")).toBeTruthy();
  expect(preview.getByText("Urgente")).toBeTruthy();
  await userEvent.click(form.getByRole("button", { name: "Salvar" }));
  const body = { title: "Manutenção", text: "<b>Na madrugada</b>", priority: 1, status: true };
  await waitFor(() =>
    expect(requests.filter(({ call }) => call.startsWith("POST"))).toMatchObject([
      { call: "POST /api/announcements", body },
    ]),
  );
});

test("the image is removed with the form, and the announcement deleted after a question", async () => {
  const { requests } = open();
  await userEvent.click(await screen.findByRole("button", { name: "Editar Aviso 1" }));
  const form = within(await dialog("Editar aviso"));
  expect(form.getByAltText("Aviso 1")).toBeTruthy();
  await userEvent.click(form.getByRole("button", { name: "Remover a imagem quadro.png" }));
  expect(form.queryByAltText("Aviso 1")).toBeNull();
  await userEvent.click(form.getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await userEvent.click(screen.getByRole("button", { name: "Excluir Aviso 1" }));
  const question = within(await dialog("Excluir o aviso Aviso 1?"));
  await userEvent.click(question.getByRole("button", { name: "Excluir" }));
  await waitFor(() =>
    expect(requests.map(({ call }) => call).filter((call) => !call.startsWith("GET"))).toEqual([
      "PUT /api/announcements/1",
      "DELETE /api/announcements/1/media-upload",
      "DELETE /api/announcements/1",
    ]),
  );
});

test("a user without the super flag is told that, and sent home", async () => {
  const { address, requests } = open(false);
  const refusal =
    "Esta empresa não possui permissão para acessar essa página! Estamos lhe redirecionando.";
  expect(await screen.findByText(refusal)).toBeTruthy();
  await waitFor(() => expect(address()).not.toBe("/announcements"));
  expect(requests.filter(({ call }) => call.includes("announcements"))).toEqual([]);
});
