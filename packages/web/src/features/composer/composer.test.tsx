import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../api/session-store.ts";
import { createFakeSocket } from "../../testing/fake-socket.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { aimComposer } from "../messages/index.ts";
import { publishUndone } from "../messages/list/conversation.ts";
import { givenMessage } from "../messages/testing/given-message.ts";
import { composerServer } from "./testing/composer-server.ts";
import { field, renderComposer } from "./testing/render-composer.tsx";

vi.mock("../../realtime/socket.ts", () => ({ openSocket: () => createFakeSocket() }));

let server: ReturnType<typeof composerServer>;

beforeEach(() => {
  startSession(givenToken("t"), givenUser());
  server = composerServer();
});

test("Enter sends the text with the agent's name above it and empties the field", async () => {
  renderComposer();
  await userEvent.type(field(), "Oi, Helena!{Enter}");
  await waitFor(() => expect(server.sentBodies()).toEqual(["*Marina Prado:*\nOi, Helena!"]));
  expect(field().value).toBe("");
});

test("Ctrl Enter sends too, Shift Enter is a new line", async () => {
  renderComposer();
  await userEvent.type(field(), "Oi{Shift>}{Enter}{/Shift}tudo bem?");
  expect(field().value).toBe("Oi\ntudo bem?");
  expect(server.sent()).toEqual([]);
  await userEvent.type(field(), "{Control>}{Enter}{/Control}");
  await waitFor(() => expect(server.sentBodies()).toEqual(["*Marina Prado:*\nOi\ntudo bem?"]));
});

test("Enter does not send while an input method composes", async () => {
  renderComposer();
  await userEvent.type(field(), "こん");
  fireEvent.keyDown(field(), { key: "Enter", isComposing: true });
  fireEvent.keyDown(field(), { key: "Enter", keyCode: 229 });
  expect(server.sent()).toEqual([]);
  expect(field().value).toBe("こん");
  fireEvent.keyDown(field(), { key: "Enter" });
  await waitFor(() => expect(server.sentBodies()).toEqual(["*Marina Prado:*\nこん"]));
});

test("a text of white space is not sent", async () => {
  renderComposer();
  await userEvent.type(field(), "  {Enter}");
  expect(server.sent()).toEqual([]);
  expect(screen.getByRole("button", { name: "Enviar" })).toHaveProperty("disabled", true);
});

test("without the signature the text is sent unchanged, and the choice is stored", async () => {
  const first = renderComposer();
  expect(screen.getByRole("switch", { name: "Assinar" })).toHaveProperty("checked", true);
  await userEvent.click(screen.getByRole("switch", { name: "Assinar" }));
  await userEvent.type(field(), "Oi{Enter}");
  await waitFor(() => expect(server.sentBodies()).toEqual(["Oi"]));
  first.unmount();
  renderComposer();
  expect(screen.getByRole("switch", { name: "Assinar" })).toHaveProperty("checked", false);
});

test("a composer that cannot send shows the reason and keeps the draft", async () => {
  const first = renderComposer();
  await userEvent.type(field(), "rascunho");
  first.unmount();
  renderComposer({ disabledReason: "Aceite o atendimento para responder." });
  expect(field().disabled).toBe(true);
  expect(field().value).toBe("rascunho");
  const reason = screen.getByText("Aceite o atendimento para responder.");
  expect(field().getAttribute("aria-describedby")).toBe(reason.id);
  expect(screen.getByRole("button", { name: "Gravar áudio" })).toHaveProperty("disabled", true);
});

test("a reply is sent with the replied message, and Escape cancels the reply", async () => {
  renderComposer();
  act(() => aimComposer(1, { kind: "reply", message: givenMessage(3, { body: "Qual o prazo?" }) }));
  expect(screen.getByRole("group", { name: "Respondendo a Helena Duarte" })).toBeTruthy();
  expect(document.activeElement).toBe(field());
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("group", { name: "Respondendo a Helena Duarte" })).toBeNull();

  act(() => aimComposer(1, { kind: "reply", message: givenMessage(3) }));
  await userEvent.type(field(), "30 dias{Enter}");
  await waitFor(() => expect(server.sent()).toHaveLength(1));
  expect(server.sent()[0]).toMatchObject({ quotedMsg: { id: givenMessage(3).id } });
  expect(screen.queryByRole("group", { name: "Respondendo a Helena Duarte" })).toBeNull();
});

test("an undone text returns to the composer", async () => {
  renderComposer();
  act(() =>
    publishUndone(1, givenMessage(4, { fromMe: true, body: "*Marina Prado:*\ncom um erro" })),
  );
  expect(field().value).toBe("com um erro");
});

test("undo is off by default; enabled, texts wait 5 seconds", async () => {
  renderComposer();
  await userEvent.type(field(), "um{Enter}");
  await waitFor(() => expect(server.sent()[0]).toMatchObject({ undoSeconds: 0 }));
  await userEvent.click(screen.getByRole("button", { name: "Mais opções de envio" }));
  await userEvent.click(
    await screen.findByRole("menuitemcheckbox", { name: "Desfazer envio por 5 s" }),
  );
  await userEvent.type(field(), "dois{Enter}");
  await waitFor(() => expect(server.sent()[1]).toMatchObject({ undoSeconds: 5 }));
});

test("send later passes on the text of the field", async () => {
  const onSendLater = vi.fn();
  renderComposer({ onSendLater });
  await userEvent.type(field(), "amanhã ");
  await userEvent.click(screen.getByRole("button", { name: "Mais opções de envio" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Enviar depois" }));
  expect(onSendLater).toHaveBeenCalledWith("amanhã");
});
