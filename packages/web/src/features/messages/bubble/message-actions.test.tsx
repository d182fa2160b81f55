import type { Message } from "@balcao/contract";
import { act, renderHook, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import type { SeenRequest } from "../../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { aimComposer, onUndone, useComposerTarget } from "../list/conversation.ts";
import { MessageList } from "../list/message-list.tsx";
import { conversationServer } from "../testing/conversation-server.ts";
import { givenLayout } from "../testing/given-layout.ts";
import { givenMedia } from "../testing/given-media.ts";
import { givenMessage, messageIdOf } from "../testing/given-message.ts";
import { renderOnCache } from "../testing/render-feature.tsx";

let requests: SeenRequest[];
let stored: Message[];
let isRefused: boolean;
const now = (): string => new Date().toISOString();
const own = (fields: Parameters<typeof givenMessage>[1] = {}) =>
  givenMessage(1, { fromMe: true, body: "Bom dia", createdAt: now(), ack: 2, ...fields });

beforeEach(() => {
  givenLayout();
  startSession(givenToken("t"), givenUser());
  isRefused = false;
  aimComposer(1, null);
  const refusal = (error: string) => ({ status: 400, body: { error, code: error } });
  ({ requests } = conversationServer(() => stored, {
    "GET /api/aiService/offer": () => ({ body: { helps: false, transcribes: true } }),
    [`POST /api/messages/${messageIdOf(1)}/transcript`]: () => ({
      body: { ...stored[0], transcript: "Qual é o prazo?", updatedAt: now() },
    }),
    [`POST /api/messages/${messageIdOf(1)}/reactions`]: ({ body }) => {
      if (isRefused) return refusal("ERR_REACTION_WAPP_MSG");
      const { type } = body as { type: string };
      const own = { emoji: type, fromMe: true, contactId: null, name: "Marina Prado" };
      return { body: { ...stored[0], reactions: type === "" ? [] : [own], updatedAt: now() } };
    },
    [`DELETE /api/messages/${messageIdOf(1)}`]: () =>
      isRefused
        ? refusal("ERR_DELETE_WAPP_MSG")
        : { body: { ...stored[0], isDeleted: true, updatedAt: now() } },
    [`DELETE /api/messages/undo/${messageIdOf(1)}`]: () =>
      isRefused ? refusal("ERR_MESSAGE_SENT") : { body: { message: "ok" } },
  }));
});

afterEach(() => vi.restoreAllMocks());

async function show(message: Message, canWrite = true): Promise<HTMLElement> {
  stored = [message, givenMessage(2, { createdAt: now() })];
  renderOnCache(
    <MessageList
      ticketId={1}
      customerName="Helena"
      unread={0}
      isReader={false}
      canWrite={canWrite}
    />,
  );
  await screen.findByRole("log", { name: "Mensagens" });
  const first = screen.getAllByRole("article")[0];
  if (!first) throw new Error("no message is shown");
  return first;
}

async function openMenu(message: HTMLElement): Promise<HTMLElement> {
  await userEvent.click(within(message).getByRole("button", { name: "Opções da mensagem" }));
  return screen.findByRole("menu");
}

const itemsOf = (menu: HTMLElement): (string | null)[] =>
  within(menu)
    .getAllByRole("menuitem")
    .map((item) => item.textContent)
    .filter((text) => /[a-z]/.test(text));

const passOn = ["Encaminhar", "Selecionar mensagens"];

describe("the menu of a message", () => {
  test("offers all for an own text of the last 15 minutes", async () => {
    const menu = await openMenu(await show(own()));
    expect(itemsOf(menu)).toEqual(["ResponderR", ...passOn, "Copiar texto", "Editar", "Apagar"]);
  });

  test("offers no edit after 15 minutes", async () => {
    const createdAt = new Date(Date.now() - 15 * 60_000 - 1).toISOString();
    const menu = await openMenu(await show(own({ createdAt })));
    expect(itemsOf(menu)).toEqual(["ResponderR", ...passOn, "Copiar texto", "Apagar"]);
  });

  test("offers neither edit nor deletion for the customer's messages", async () => {
    const menu = await openMenu(await show(own({ fromMe: false })));
    expect(itemsOf(menu)).toEqual(["ResponderR", ...passOn, "Copiar texto"]);
  });

  test("offers the download, and no edit, for a file", async () => {
    const menu = await openMenu(await show(own({ body: "foto.jpg", media: givenMedia() })));
    expect(itemsOf(menu)).toEqual(["ResponderR", ...passOn, "Baixar", "Apagar"]);
    const link = within(menu).getByRole("menuitem", { name: "Baixar" });
    expect(link.getAttribute("href")).toBe("/files/foto.jpg");
  });

  test("only offers Copy if the ticket is not open", async () => {
    const menu = await openMenu(await show(own(), false));
    expect(itemsOf(menu)).toEqual([...passOn, "Copiar texto"]);
  });

  test("does not exist for a deleted message", async () => {
    const message = await show(own({ isDeleted: true }));
    expect(within(message).queryByRole("button", { name: "Opções da mensagem" })).toBeNull();
  });

  test("returns the focus to its message", async () => {
    const message = await show(own());
    await openMenu(message);
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(document.activeElement).toBe(message));
  });
});

describe("the composer", () => {
  test.each([
    ["Responder", "reply"],
    ["Editar", "edit"],
  ])("%s sets its target to the message", async (name, kind) => {
    const { result } = renderHook(() => useComposerTarget(1));
    const menu = await openMenu(await show(own()));
    await userEvent.click(within(menu).getByRole("menuitem", { name: new RegExp(`^${name}`) }));
    expect(result.current).toMatchObject({ kind, message: { id: messageIdOf(1) } });
  });
});

describe("a reaction", () => {
  const sent = (): unknown[] =>
    requests.filter((one) => one.call.includes("reactions")).map((one) => one.body);

  test("is shown at once, and a press on it removes it", async () => {
    const message = await show(own());
    const menu = await openMenu(message);
    await userEvent.click(within(menu).getByRole("menuitem", { name: "Reagir com 👍" }));
    const chip = await within(message).findByRole("button", { name: /^👍 de Marina Prado/ });
    await userEvent.click(chip);
    await waitFor(() => expect(within(message).queryByText("👍")).toBeNull());
    await waitFor(() => expect(sent()).toEqual([{ type: "👍" }, { type: "" }]));
  });

  test("that is refused is reverted with an error", async () => {
    isRefused = true;
    const message = await show(own());
    const menu = await openMenu(message);
    await userEvent.click(within(menu).getByRole("menuitem", { name: "Reagir com 👍" }));
    await waitFor(() => expect(sent()).toHaveLength(1));
    await waitFor(() => expect(within(message).queryByText("👍")).toBeNull());
  });

  test("shows its authors, and is disabled if the ticket cannot be answered", async () => {
    const reactions = [
      { emoji: "👍", fromMe: false, contactId: null, name: "Helena" },
      { emoji: "👍", fromMe: true, contactId: null, name: "Marina" },
    ];
    const message = await show(own({ reactions }), false);
    const chip = within(message).getByRole("button", { name: "👍 2 de Helena, Marina" });
    expect(chip).toHaveProperty("disabled", true);
    expect(chip.textContent).toBe("👍2");
  });
});

describe("deleting", () => {
  async function choose(): Promise<HTMLElement> {
    const message = await show(own());
    const menu = await openMenu(message);
    await userEvent.click(within(menu).getByRole("menuitem", { name: "Apagar" }));
    await screen.findByRole("dialog", { name: "Apagar esta mensagem?" });
    return message;
  }
  const deletions = (): number =>
    requests.filter((one) => one.call.startsWith("DELETE /api/messages")).length;

  test("asks first, then the message no longer shows its text", async () => {
    const message = await choose();
    expect(deletions()).toBe(0);
    await userEvent.click(screen.getByRole("button", { name: "Apagar" }));
    await within(message).findByText("Mensagem apagada");
    expect(within(message).queryByText("Bom dia")).toBeNull();
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  test("that is not confirmed deletes nothing", async () => {
    const message = await choose();
    await userEvent.click(screen.getByRole("button", { name: "Cancelar" }));
    expect(deletions()).toBe(0);
    expect(within(message).getByText("Bom dia")).toBeTruthy();
  });

  test("that is refused keeps the message and the question open", async () => {
    isRefused = true;
    const message = await choose();
    await userEvent.click(screen.getByRole("button", { name: "Apagar" }));
    await waitFor(() => expect(deletions()).toBe(1));
    expect(within(message).getByText("Bom dia")).toBeTruthy();
    expect(screen.getByRole("dialog")).toBeTruthy();
  });
});

describe("undo", () => {
  // Far from its end, also for slow tests.
  const undoUntil = (): string => new Date(Date.now() + 60_000).toISOString();
  const undone: string[] = [];
  beforeEach(() => {
    undone.length = 0;
    return onUndone(1, (message) => undone.push(message.body));
  });

  test("removes the message and returns its text to the composer", async () => {
    const message = await show(own({ ack: 0, undoUntil: undoUntil() }));
    await userEvent.click(within(message).getByRole("button", { name: /^Desfazer \(\d+\)$/ }));
    await waitFor(() => expect(screen.queryByText("Bom dia")).toBeNull());
    expect(undone).toEqual(["Bom dia"]);
  });

  test("that comes too late keeps the message", async () => {
    isRefused = true;
    const message = await show(own({ ack: 0, undoUntil: undoUntil() }));
    await userEvent.click(within(message).getByRole("button", { name: /^Desfazer/ }));
    await waitFor(() => expect(requests.some((one) => one.call.includes("undo"))).toBe(true));
    expect(screen.getByText("Bom dia")).toBeTruthy();
    expect(undone).toEqual([]);
  });

  test("is not offered after its time is over", async () => {
    const message = await show(own({ undoUntil: new Date(Date.now() - 1).toISOString() }));
    expect(within(message).queryByRole("button", { name: /^Desfazer/ })).toBeNull();
  });
});

describe("a voice note", () => {
  const media = givenMedia({ kind: "voice", mime: "audio/ogg", url: "/files/voz.ogg" });
  const voice = (fields: Partial<Message> = {}) =>
    givenMessage(1, { body: "Áudio", mediaType: "audio", createdAt: now(), media, ...fields });

  test("is written down on demand, where the AI service offers that", async () => {
    const menu = await openMenu(await show(voice()));
    await userEvent.click(await within(menu).findByRole("menuitem", { name: "Transcrever" }));
    const note = await screen.findByRole("note", { name: "Transcrição" });
    expect(note.textContent).toBe("Qual é o prazo?");
    expect(screen.queryByText("Transcrevendo…")).toBeNull();
  });

  test("that was written down offers its text instead", async () => {
    const menu = await openMenu(await show(voice({ transcript: "Bom dia" })));
    expect(itemsOf(menu)).toContain("Copiar texto");
    expect(within(menu).queryByRole("menuitem", { name: "Transcrever" })).toBeNull();
  });
});

describe("by keyboard", () => {
  test("arrows move between messages, R replies to the focused one", async () => {
    const { result } = renderHook(() => useComposerTarget(1));
    const message = await show(own());
    act(() => screen.getByRole("log").focus());
    await userEvent.keyboard("{ArrowUp}{ArrowUp}");
    expect(document.activeElement).toBe(message);
    await userEvent.keyboard("r");
    expect(result.current).toMatchObject({ kind: "reply", message: { id: messageIdOf(1) } });
    await userEvent.keyboard("{End}");
    expect(document.activeElement).toBe(screen.getAllByRole("article")[1]);
  });

  test("M opens the menu of the focused message", async () => {
    await show(own());
    act(() => screen.getByRole("log").focus());
    await userEvent.keyboard("{Home}m");
    expect(itemsOf(await screen.findByRole("menu"))).toContain("Apagar");
  });
});
