import { cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { createFakeSocket } from "../../testing/fake-socket.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { TopBar } from "./top-bar.tsx";

vi.mock("../../realtime/socket.ts", () => ({ openSocket: () => createFakeSocket() }));

beforeEach(() => {
  fakeServer({});
  startSession(givenToken("t", 3_600), givenUser());
  renderRoutes([{ path: "*", element: <TopBar /> }], "/tickets");
});

afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

test("the reload button reloads the page", async () => {
  const reload = vi.spyOn(window.location, "reload").mockImplementation(() => undefined);
  await userEvent.click(await screen.findByRole("button", { name: "Recarregar" }));
  expect(reload).toHaveBeenCalledOnce();
});

test("every page has buttons for theme, volume and unread tickets", async () => {
  for (const name of ["Usar tema escuro", "Volume das notificações", "Mensagens não lidas"]) {
    expect(await screen.findByRole("button", { name })).toBeTruthy();
  }
});
