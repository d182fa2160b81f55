import type { Role } from "@balcao/contract";
import { role } from "@balcao/contract";
import type { RolePermission } from "@balcao/contract/role-permissions";
import { permissionsOfProfile } from "@balcao/contract/role-permissions";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { pages } from "../../app/pages.ts";
import { Router } from "../../router/index.tsx";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { memorySteps } from "../../testing/memory-steps.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { isAllowed } from "@balcao/contract/permissions";
import { menuRows } from "./api.ts";
import { RolesPanel } from "./roles-panel.tsx";

afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

const leader: Role = role.parse({
  ...{ id: 5, companyId: 3, name: "Líder", profile: "supervisor", usersCount: 2 },
  permissions: [...permissionsOfProfile("supervisor"), "dashboard:view"],
  ...{ createdAt: "2026-11-01T12:00:00.000Z", updatedAt: "2026-11-01T12:00:00.000Z" },
});

/** The page of somebody who has these permissions by a role, or is an admin. */
function open(permissions?: RolePermission[]) {
  const plan = {
    ...{ useCampaigns: true, useKanban: true, useOpenAi: false, useIntegrations: true },
    ...{ useSchedules: true, useInternalChat: true, useExternalApi: true },
  };
  const server = fakeServer({
    "GET /api/roles": () => ({ body: [leader] }),
    "POST /api/roles": ({ body }) => ({ body: { ...leader, id: 6, ...(body as object) } }),
    "PUT /api/roles/5": ({ body }) => ({ body: { ...leader, ...(body as object) } }),
    "DELETE /api/roles/5": () => ({ body: { message: "Role deleted" } }),
  });
  const user = givenUser({
    profile: "admin",
    ...(permissions === undefined ? {} : { role: { id: leader.id, name: "Chefia", permissions } }),
  });
  startSession(givenToken("t", 3_600), { ...user, company: { ...user.company, plan } });
  renderOnCache(
    <Router steps={memorySteps("/users?tab=roles")}>
      <RolesPanel />
    </Router>,
  );
  return {
    writes: () => server.requests.filter(({ call }) => !call.startsWith("GET")),
  };
}

async function openDialog(button: string, title: string) {
  await userEvent.click(await screen.findByRole("button", { name: button }));
  return within(await screen.findByRole("dialog", { name: title }));
}

test("profiles stand above the roles and are only read; roles say how they differ and who has them", async () => {
  open();
  const row = within(await screen.findByRole("row", { name: /Líder/ }));
  expect(row.getByText("1 a mais")).toBeTruthy();
  expect(row.getByText("2 pessoas")).toBeTruthy();
  const names = screen.getAllByRole("row").map((one) => one.textContent);
  expect(names.findIndex((one) => one.includes("Administrador"))).toBeLessThan(
    names.findIndex((one) => one.includes("Líder")),
  );
  expect(screen.queryByRole("button", { name: "Excluir Supervisor" })).toBeNull();
  const dialog = await openDialog("Editar Supervisor", "Supervisor");
  expect(dialog.queryByRole("button", { name: "Salvar" })).toBeNull();
  const boxes = dialog.getAllByRole<HTMLInputElement>("checkbox");
  expect(boxes.every(({ disabled }) => disabled)).toBe(true);
});

test("a role is made in the matrix, which shows differences, what the caller and the plan lack, and the menu", async () => {
  const held = permissionsOfProfile("admin").filter((one) => one !== "invoices:pay");
  const { writes } = open(held);
  const dialog = await openDialog("Adicionar", "Novo perfil");
  const menu = within(dialog.getByRole("complementary", { name: "O que a pessoa vê no menu" }));
  expect(menu.queryByText("Relatórios")).toBeNull();
  await userEvent.click(dialog.getByRole("checkbox", { name: /^Ver relatórios/ }));
  expect(menu.getByText("Relatórios")).toBeTruthy();
  await userEvent.click(dialog.getByRole("checkbox", { name: /^Usar o chat interno/ }));
  const box = (name: RegExp) => dialog.getByRole<HTMLInputElement>("checkbox", { name });
  // Permissions of everybody stay, those that the caller lacks cannot be given, and those that the plan lacks are marked.
  expect([box(/^Atender/).checked, box(/^Atender/).disabled]).toEqual([true, true]);
  expect(box(/^Pagar faturas/).disabled).toBe(true);
  expect(dialog.getByText(/Você não tem esta permissão/)).toBeTruthy();
  expect(dialog.getAllByText(/Não está no plano da empresa/).length).toBeGreaterThan(0);
  await userEvent.click(dialog.getByRole("switch", { name: "Só as diferenças" }));
  expect(dialog.getAllByRole("checkbox")).toHaveLength(2);
  await userEvent.type(dialog.getByRole("searchbox", { name: "Buscar permissão" }), "relat");
  expect(dialog.getAllByRole("checkbox")).toHaveLength(1);
  // Another base keeps what was chosen as the difference from it.
  await userEvent.click(dialog.getByRole("radio", { name: "Supervisor" }));
  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  expect(dialog.getByText("Obrigatório")).toBeTruthy();
  await userEvent.type(dialog.getByRole("textbox", { name: "Nome" }), "Escuta");
  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  const expected = permissionsOfProfile("supervisor").filter((one) => one !== "chats:use");
  expect(writes()).toMatchObject([
    { call: "POST /api/roles", body: { name: "Escuta", profile: "supervisor" } },
  ]);
  expect(writes()[0]?.body).toMatchObject({ permissions: expected });
});

test("a role that users have is deleted with the choice of what they get", async () => {
  const { writes } = open();
  const question = await openDialog("Excluir Líder", "Excluir Líder?");
  expect(question.getByText(/2 pessoas têm este perfil/)).toBeTruthy();
  const choice = question.getByRole<HTMLSelectElement>("combobox", {
    name: "Novo perfil destas pessoas",
  });
  expect(choice.value).toBe("profile");
  await userEvent.click(question.getByRole("button", { name: "Excluir" }));
  await waitFor(() =>
    expect(writes()).toMatchObject([{ call: "DELETE /api/roles/5?toRoleId=profile" }]),
  );
});

test("the preview knows the pages of the menu", () => {
  const plan = {
    ...{ useCampaigns: true, useKanban: true, useOpenAi: true, useIntegrations: true },
    ...{ useSchedules: true, useInternalChat: true, useExternalApi: true },
  };
  const admin = { profile: "admin" as const, super: false, plan };
  const ofCompanies = pages.filter(({ permission }) => isAllowed(admin, permission));
  expect(menuRows).toEqual(
    ofCompanies.map(({ path, label, permission, tabOf }) => ({
      ...{ path, label, permission },
      ...(tabOf === undefined ? {} : { tabOf }),
    })),
  );
});
