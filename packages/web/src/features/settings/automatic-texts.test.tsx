import type { AutomaticText } from "@balcao/contract";
import { automaticTextKeys, automaticTexts } from "@balcao/contract";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { later } from "../../i18n/pt/later.ts";
import type { SeenRequest } from "../../testing/fake-server.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { AutomaticTexts } from "./automatic-texts.tsx";

const standard = (): AutomaticText[] =>
  automaticTextKeys.map((key) => ({ key, text: automaticTexts[key].default, isDefault: true }));

const path = "/api/automatic-texts/transferToUser";
let requests: SeenRequest[] = [];

beforeEach(() => startSession(givenToken("t", 3_600), givenUser()));

afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

async function open(more: Parameters<typeof fakeServer>[0] = {}): Promise<void> {
  ({ requests } = fakeServer({
    "GET /api/automatic-texts": () => ({ body: standard() }),
    [`PUT ${path}`]: ({ body }) => ({
      body: { key: "transferToUser", isDefault: false, ...(body as { text: string }) },
    }),
    [`DELETE ${path}`]: () => ({
      body: standard().find(({ key }) => key === "transferToUser"),
    }),
    ...more,
  }));
  renderOnCache(<AutomaticTexts />);
  await screen.findByText("Chamada recusada");
}

const edit = (title: string): Promise<void> =>
  userEvent.click(screen.getByRole("button", { name: `Editar ${title}` }));
const dialog = (title: string) => screen.findByRole("dialog", { name: title });
const writes = (): SeenRequest[] => requests.filter(({ call }) => !call.startsWith("GET"));

test("each text is shown as a customer would get it, and one that is not sent says so", async () => {
  await open();
  const user = givenUser().name;
  expect(
    screen.getByText(new RegExp(`Foi transferido para o atendente \\*${user}\\*`)),
  ).toBeTruthy();
  expect(screen.getAllByText("Nada é enviado.").length).toBeGreaterThan(0);
});

test("a text is changed with its preview, and set back to the default", async () => {
  await open();
  await edit("Transferência para uma pessoa");
  const first = within(await dialog("Transferência para uma pessoa"));
  const field = first.getByRole("textbox", { name: "Texto" });
  await userEvent.clear(field);
  await userEvent.click(field);
  await userEvent.paste("{{firstName}}, agora é com {{user}}");
  expect(first.getByRole("region", { name: "Como o cliente vê" }).textContent).toContain(
    `Maria, agora é com ${givenUser().name}`,
  );
  await userEvent.click(first.getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(screen.getByText("própria")).toBeTruthy();
  expect(writes()).toMatchObject([
    { call: `PUT ${path}`, body: { text: "{{firstName}}, agora é com {{user}}" } },
  ]);

  await edit("Transferência para uma pessoa");
  const again = within(await dialog("Transferência para uma pessoa"));
  await userEvent.click(again.getByRole("button", { name: "Voltar ao texto padrão" }));
  await userEvent.click(again.getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(screen.queryByText("própria")).toBeNull());
  expect(writes().at(-1)?.call).toBe(`DELETE ${path}`);
});

test("a blank text and an error of the server are said at the field", async () => {
  await open({ [`PUT ${path}`]: () => ({ status: 404, body: { error: "ERR_NO_SETTING_FOUND" } }) });
  await edit("Transferência para uma pessoa");
  const shown = within(await dialog("Transferência para uma pessoa"));
  const field = shown.getByRole("textbox", { name: "Texto" });
  await userEvent.clear(field);
  await userEvent.click(shown.getByRole("button", { name: "Salvar" }));
  expect(shown.getByText("Escreva um texto ou volte ao padrão")).toBeTruthy();
  expect(writes()).toEqual([]);
  await userEvent.type(field, "Oi");
  await userEvent.click(shown.getByRole("button", { name: "Salvar" }));
  expect(await shown.findByText(later.errors.ERR_NO_SETTING_FOUND)).toBeTruthy();
});
