import { fireEvent, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ComponentProps } from "react";
import { beforeEach, expect, test } from "vitest";
import { startSession } from "../../api/session-store.ts";
import type { SeenRequest } from "../../testing/fake-server.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { Composer } from "./composer.tsx";
import { givenMessage } from "./testing/given-message.ts";
import { renderOnCache } from "./testing/render-feature.tsx";

let requests: SeenRequest[];

beforeEach(() => {
  startSession(givenToken("t"), givenUser());
  ({ requests } = fakeServer({
    "POST /api/messages/1": () => ({ body: givenMessage(1, { fromMe: true }) }),
    "POST /api/messages/2": () => ({ body: givenMessage(1, { fromMe: true, ticketId: 2 }) }),
  }));
});

function renderComposer(props: Partial<ComponentProps<typeof Composer>> = {}) {
  return renderOnCache(
    <Composer
      ticketId={1}
      customerName="Helena Duarte"
      user={{ id: 7, name: "Marina Prado" }}
      disabledReason={null}
      mustFocus={false}
      {...props}
    />,
  );
}

const field = (): HTMLElement =>
  screen.getByRole("textbox", { name: "Mensagem para Helena Duarte" });
const sentBodies = (): unknown[] =>
  requests.map(({ body }) =>
    typeof body === "object" && body && "body" in body ? body.body : null,
  );

test("Enter sends the text with the agent's name above it and empties the field", async () => {
  renderComposer();
  await userEvent.type(field(), "Oi, Helena!{Enter}");
  await waitFor(() => expect(sentBodies()).toEqual(["*Marina Prado:*\nOi, Helena!"]));
  expect(field()).toHaveProperty("value", "");
});

test("Shift Enter is a new line", async () => {
  renderComposer();
  await userEvent.type(field(), "Oi{Shift>}{Enter}{/Shift}tudo bem?");
  expect(field()).toHaveProperty("value", "Oi\ntudo bem?");
  expect(requests).toEqual([]);
});

test("Enter belongs to the input method while it composes", async () => {
  renderComposer();
  await userEvent.type(field(), "こん");
  fireEvent.keyDown(field(), { key: "Enter", isComposing: true });
  fireEvent.keyDown(field(), { key: "Enter", keyCode: 229 });
  expect(requests).toEqual([]);
  expect(field()).toHaveProperty("value", "こん");
  fireEvent.keyDown(field(), { key: "Enter" });
  await waitFor(() => expect(sentBodies()).toEqual(["*Marina Prado:*\nこん"]));
});

test("white space alone is not sent", async () => {
  renderComposer();
  await userEvent.type(field(), "  {Enter}");
  expect(requests).toEqual([]);
  expect(screen.getByRole("button", { name: "Enviar" })).toHaveProperty("disabled", true);
});

test("without signing the text goes as it is, and the choice is kept", async () => {
  const first = renderComposer();
  expect(screen.getByRole("switch", { name: "Assinar" })).toHaveProperty("checked", true);
  await userEvent.click(screen.getByRole("switch", { name: "Assinar" }));
  await userEvent.type(field(), "Oi{Enter}");
  await waitFor(() => expect(sentBodies()).toEqual(["Oi"]));
  first.unmount();
  renderComposer();
  expect(screen.getByRole("switch", { name: "Assinar" })).toHaveProperty("checked", false);
});

test("each ticket keeps its draft", async () => {
  const first = renderComposer();
  await userEvent.type(field(), "para a Helena");
  first.unmount();
  const second = renderComposer({ ticketId: 2 });
  expect(field()).toHaveProperty("value", "");
  second.unmount();
  renderComposer();
  expect(field()).toHaveProperty("value", "para a Helena");
});

test("where nothing can be sent it says why, and keeps the draft", async () => {
  const first = renderComposer();
  await userEvent.type(field(), "rascunho");
  first.unmount();
  renderComposer({ disabledReason: "Aceite o atendimento para responder." });
  expect(field()).toHaveProperty("disabled", true);
  expect(field()).toHaveProperty("value", "rascunho");
  const reason = screen.getByText("Aceite o atendimento para responder.");
  expect(field().getAttribute("aria-describedby")).toBe(reason.id);
});
