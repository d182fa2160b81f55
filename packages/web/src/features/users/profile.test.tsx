import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { queryClient } from "../../api/query-client.ts";
import { currentSession, endSession, startSession } from "../../api/session-store.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderScreen } from "../../testing/render.tsx";
import { openProfile, ProfileHost } from "./index.ts";

afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

async function open(
  profile: "user" | "admin",
  answer: Parameters<typeof fakeServer>[0][string] = () => ({
    body: givenUser({ name: "Marina Reis", profile }),
  }),
) {
  // The product's own query cache, which has the settings.
  queryClient.clear();
  const server = fakeServer({
    "PUT /api/users/7": answer,
    "GET /api/settings": () => ({ body: [{ key: "passwordMinLength", value: "8" }] }),
    "GET /api/queue": () => ({ body: [] }),
    "GET /api/roles": () => ({ body: [] }),
    "GET /api/whatsapp": () => ({ body: [] }),
    "GET /api/companies/listPlan/3": () => ({ status: 503, body: { error: "none" } }),
  });
  startSession(givenToken("t", 3_600), givenUser({ profile }));
  renderScreen(
    <>
      <button type="button" onClick={openProfile}>
        profile
      </button>
      <ProfileHost />
    </>,
  );
  await userEvent.click(screen.getByRole("button", { name: "profile" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Meu perfil" }));
  return { dialog, writes: () => server.requests.filter(({ call }) => call.startsWith("PUT")) };
}

test("a user changes the own name and password, and the new name shows at once", async () => {
  const { dialog, writes } = await open("user");
  const name = dialog.getByRole<HTMLInputElement>("textbox", { name: "Nome" });
  expect(name.value).toBe("Marina Prado");
  await userEvent.clear(name);
  await userEvent.type(name, "Marina Reis");
  expect(dialog.queryByLabelText("Senha atual")).toBeNull();
  await userEvent.type(dialog.getByLabelText("Nova senha"), "segredo-456");
  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  expect(dialog.getByText("Obrigatório")).toBeTruthy();
  expect(writes()).toEqual([]);
  await userEvent.type(dialog.getByLabelText("Senha atual"), "a-de-hoje");
  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  const password = { password: "segredo-456", currentPassword: "a-de-hoje" };
  expect(writes()[0]?.body).toEqual({ name: "Marina Reis", ...password });
  expect(currentSession()?.user.name).toBe("Marina Reis");
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "profile" }));
});

test("a wrong present password shows its error at the field, and a new e-mail requires it too", async () => {
  const { dialog, writes } = await open("user", () => ({
    status: 400,
    body: { error: "A senha atual não está correta.", code: "ERR_PASSWORD_WRONG" },
  }));
  const email = dialog.getByRole("textbox", { name: "E-mail" });
  await userEvent.type(email, ".net");
  const present = dialog.getByLabelText("Senha atual");
  await userEvent.type(present, "errada");
  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(present.getAttribute("aria-invalid")).toBe("true"));
  expect(dialog.getByText("A senha atual não está correta.")).toBeTruthy();
  expect(dialog.queryByRole("alert")).toBeNull();
  expect(writes()[0]?.body).toEqual({
    email: "marina@aurora.com.br.net",
    currentPassword: "errada",
  });
  // The present password is sent only if needed.
  await userEvent.clear(email);
  await userEvent.type(email, "marina@aurora.com.br");
  expect(dialog.queryByLabelText("Senha atual")).toBeNull();
});

test("a new password shows its strength and why it is refused", async () => {
  const { dialog, writes } = await open("user");
  const field = dialog.getByLabelText("Nova senha");
  const seen: Record<string, string | null> = {};
  for (const password of [
    "     ",
    "12345",
    "Marina Prado",
    "gw7kq2ps",
    "o gato dorme no telhado",
  ]) {
    await userEvent.clear(field);
    await userEvent.type(field, password);
    seen[password] = (await dialog.findByText(/^Força/)).textContent;
  }
  expect(seen).toEqual({
    "     ": "Força: não aceita",
    "12345": "Força: não aceita",
    "Marina Prado": "Força: não aceita",
    gw7kq2ps: "Força: razoável",
    "o gato dorme no telhado": "Força: forte",
  });
  await userEvent.clear(field);
  await userEvent.type(field, "Senha1234");
  await userEvent.type(dialog.getByLabelText("Senha atual"), "a-de-hoje");
  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  expect(await dialog.findByText("Esta senha é fácil de adivinhar. Escolha outra.")).toBeTruthy();
  await userEvent.clear(field);
  await userEvent.type(field, "x7k2pq9");
  expect(dialog.getByText("Muito curto: no mínimo 8 caracteres")).toBeTruthy();
  expect(writes()).toEqual([]);
});

test("an agent does not see the fields of admins", async () => {
  const { dialog } = await open("user");
  expect(dialog.queryByRole("radiogroup", { name: "Perfil" })).toBeNull();
  expect(dialog.queryByRole("switch")).toBeNull();
});

test("an admin changes the own rights here", async () => {
  const { dialog, writes } = await open("admin");
  await userEvent.click(dialog.getByRole("switch", { name: /^Ver atendimentos sem fila/ }));
  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(writes()[0]?.body).toEqual({ allTicket: "desabled" }));
});
