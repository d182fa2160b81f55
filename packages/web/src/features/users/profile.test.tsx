import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
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

async function open(profile: "user" | "admin") {
  const server = fakeServer({
    "PUT /api/users/7": () => ({ body: givenUser({ name: "Marina Reis", profile }) }),
    "GET /api/queue": () => ({ body: [] }),
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

test("everybody changes his own name and password, and sees himself so at once", async () => {
  const { dialog, writes } = await open("user");
  const name = dialog.getByRole<HTMLInputElement>("textbox", { name: "Nome" });
  expect(name.value).toBe("Marina Prado");
  await userEvent.clear(name);
  await userEvent.type(name, "Marina Reis");
  await userEvent.type(dialog.getByLabelText("Nova senha"), "segredo-456");
  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(writes()[0]?.body).toEqual({ name: "Marina Reis", password: "segredo-456" });
  expect(currentSession()?.user.name).toBe("Marina Reis");
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "profile" }));
});

test("an agent is not offered what only admins decide", async () => {
  const { dialog } = await open("user");
  expect(dialog.queryByRole("combobox", { name: "Perfil" })).toBeNull();
  expect(dialog.queryByRole("switch")).toBeNull();
});

test("an admin decides here what he may do", async () => {
  const { dialog, writes } = await open("admin");
  await userEvent.click(dialog.getByRole("switch", { name: /^Ver atendimentos sem fila/ }));
  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(writes()[0]?.body).toEqual({ allTicket: "desabled" }));
});
