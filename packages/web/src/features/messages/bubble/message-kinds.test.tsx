import type { Message } from "@balcao/contract";
import { act, fireEvent, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import type { SeenRequest } from "../../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { writeMessageEvent } from "../history/message-history.ts";
import { MessageList } from "../list/message-list.tsx";
import { conversationServer } from "../testing/conversation-server.ts";
import { givenLayout } from "../testing/given-layout.ts";
import { givenMedia } from "../testing/given-media.ts";
import { givenMessage } from "../testing/given-message.ts";
import { renderOnCache } from "../testing/render-feature.tsx";

let requests: SeenRequest[];
const onTalkTo = vi.fn<(contact: { name: string; phone: string }) => void>();

beforeEach(() => {
  givenLayout();
  startSession(givenToken("t"), givenUser());
});

afterEach(() => {
  vi.restoreAllMocks();
  onTalkTo.mockReset();
});

async function show(...fields: Parameters<typeof givenMessage>[1][]): Promise<HTMLElement> {
  const messages: Message[] = fields.map((one, index) => givenMessage(index + 1, one));
  ({ requests } = conversationServer(() => messages));
  renderOnCache(
    <MessageList
      ticketId={1}
      customerName="Helena"
      unread={0}
      isReader={false}
      canWrite
      isGroup={messages.some((message) => message.contact !== null)}
      onTalkTo={onTalkTo}
    />,
  );
  await screen.findByRole("log", { name: "Mensagens" });
  const first = screen.getAllByRole("article")[0];
  if (!first) throw new Error("no message is shown");
  return first;
}

test("a message that cannot be rendered breaks only itself, and is tried again by a press or when it changes", async () => {
  const reported = vi.fn();
  vi.stubGlobal("reportError", reported);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const body = "Ana";
  await show({ body: "antes" }, { body }, { body: "depois" });
  const details = { kind: "contacts", contacts: null } as unknown as Message["details"];
  const updatedAt = "2026-11-20T22:00:00.000Z";
  const broken = { ...givenMessage(2, { body, updatedAt }), details };
  act(() => writeMessageEvent({ action: "update", message: broken }));
  expect(screen.getByText("antes")).toBeTruthy();
  expect(screen.getByText("depois")).toBeTruthy();
  const place = await screen.findByRole("group", {
    name: "Não foi possível mostrar esta mensagem.",
  });
  await userEvent.click(within(place).getByRole("button", { name: "Tentar de novo" }));
  expect(reported).toHaveBeenCalledTimes(2);
  const mended = givenMessage(2, { body, updatedAt: "2026-11-20T23:00:00.000Z" });
  act(() => writeMessageEvent({ action: "update", message: mended }));
  expect(await screen.findByText("Ana")).toBeTruthy();
  expect(screen.queryByText("Não foi possível mostrar esta mensagem.")).toBeNull();
});

describe("a picture", () => {
  test("reserves its space before it loads, and its name is no caption", async () => {
    const message = await show({ body: "foto.jpg", media: givenMedia() });
    const button = within(message).getByRole("button", { name: "Abrir: Foto" });
    expect(button.style.width).toBe("268px");
    expect(button.style.aspectRatio).toBe("268 / 201");
    expect(button.querySelector("img")?.getAttribute("src")).toBe("/files/foto-small.jpg");
    expect(within(message).queryByText("foto.jpg")).toBeNull();
    expect(message.getAttribute("aria-label")).toBe("Helena, Foto, 07:01");
  });

  test("that could not be loaded leaves its room with its name, and is tried again by a press", async () => {
    const message = await show({ body: "foto.jpg", media: givenMedia() });
    const picture = message.querySelector("img");
    if (!picture) throw new Error("there is no picture");
    fireEvent.error(picture);
    const room = within(message).getByRole("group", { name: "foto.jpg" });
    expect(room.textContent).toContain("Não foi possível abrir");
    await userEvent.click(within(room).getByRole("button", { name: "Tentar de novo" }));
    expect(message.querySelector("img")?.getAttribute("src")).toBe("/files/foto-small.jpg");
  });

  test("with a caption shows it", async () => {
    const message = await show({ body: "Veio assim", media: givenMedia() });
    expect(within(message).getByText("Veio assim")).toBeTruthy();
  });

  test("that fails to load shows a text instead of a broken image", async () => {
    const message = await show({ body: "foto.jpg", media: givenMedia() });
    const picture = message.querySelector("img");
    if (!picture) throw new Error("no picture");
    fireEvent.error(picture);
    expect(within(message).getByText("Não foi possível abrir")).toBeTruthy();
  });

  test("that is loading or unavailable shows that in the same space", async () => {
    const away = { url: null, thumbnailUrl: null };
    await show(
      { body: "foto.jpg", media: givenMedia({ ...away, state: "loading" }) },
      { body: "foto.jpg", media: givenMedia({ ...away, state: "unavailable" }) },
    );
    expect(screen.getByText("Recebendo o arquivo").parentElement?.style.width).toBe("268px");
    expect(screen.getByText("Arquivo indisponível").parentElement?.style.width).toBe("268px");
    expect(screen.queryByRole("button", { name: /Abrir/ })).toBeNull();
  });
});

test("a document is downloaded under its own name", async () => {
  const media = givenMedia({ kind: "document", name: "contrato.pdf", mime: "application/pdf" });
  const message = await show({ body: "contrato.pdf", media: { ...media, url: "/files/x" } });
  const link = within(message).getByRole("link", { name: /^Baixar contrato\.pdf/ });
  expect(link.getAttribute("href")).toBe("/files/x");
  expect(link.getAttribute("download")).toBe("contrato.pdf");
  expect(within(message).getByText("PDF, 235 kB")).toBeTruthy();
});

test("a voice message shows its length", async () => {
  const media = givenMedia({ kind: "voice", durationMs: 14_000, waveform: [10, 90] });
  const message = await show({ body: "Áudio", media });
  expect(message.getAttribute("aria-label")).toBe("Helena, Mensagem de voz, 0:14, 07:01");
  expect(await within(message).findByRole("slider", { name: "Posição no áudio" })).toBeTruthy();
  expect(within(message).getByText("0:14")).toBeTruthy();
});

test("a location is a link, and showing it sends no request to the map service", async () => {
  const place = { latitude: -23.5614, longitude: -46.6559, name: "MASP", address: "Av. Paulista" };
  const message = await show({ details: { kind: "location", isLive: false, ...place } });
  const link = await within(message).findByRole("link", { name: /MASP/ });
  expect(link.getAttribute("href")).toContain("q=-23.5614%2C-46.6559");
  expect(message.querySelectorAll("img, iframe")).toHaveLength(0);
});

describe("a contact card", () => {
  const details = {
    kind: "contacts" as const,
    contacts: [{ name: "Otávio", phones: ["+55 11 98888-7777"] }],
  };

  test("sends no request when it is shown", async () => {
    await show({ details });
    expect(await screen.findByText("Otávio")).toBeTruthy();
    expect(requests.filter((one) => one.call.includes("contacts"))).toEqual([]);
    expect(onTalkTo).not.toHaveBeenCalled();
  });

  test("starts a conversation with that number only when it is pressed", async () => {
    const message = await show({ details });
    await userEvent.click(
      await within(message).findByRole("button", {
        name: "Conversar com Otávio, +55 11 98888-7777",
      }),
    );
    expect(onTalkTo).toHaveBeenCalledWith({ name: "Otávio", phone: "+55 11 98888-7777" });
  });
});

test("a poll shows its question and options, a vote the chosen option", async () => {
  const poll = { kind: "poll" as const, question: "Quando?", options: ["Manhã", "Tarde"] };
  await show(
    { details: { ...poll, severalAllowed: true } },
    { details: { kind: "poll-vote", options: ["Manhã"] } },
  );
  expect(await screen.findByText("Quando?")).toBeTruthy();
  expect(screen.getAllByRole("listitem").map((one) => one.textContent)).toEqual(["Manhã", "Tarde"]);
  expect(screen.getByText("Votou em: Manhã")).toBeTruthy();
});

test("a poll shows how many voted for each option, and who", async () => {
  const vote = { fromMe: false, contactId: 7, name: "Helena", options: ["Tarde"] };
  const votes = [
    vote,
    { ...vote, contactId: 8, name: "Caio" },
    { ...vote, contactId: 9, options: [] },
  ];
  const poll = { kind: "poll" as const, question: "Quando?", options: ["Manhã", "Tarde"] };
  await show({ details: { ...poll, severalAllowed: false, votes } });
  const [morning, afternoon] = screen.getAllByRole("listitem");
  expect(morning?.textContent).toBe("Manhã");
  expect(afternoon?.textContent).toBe("TardeHelena, Caio: 2");
  expect(screen.getByText("2 votos")).toBeTruthy();
});

test.each([
  ["productMessage", "[productMessage] Vestido Lia\nR$ 199,90", "Produto", "Vestido Lia"],
  ["order", "[order] 2 × SKU-1", "Pedido", "2 × SKU-1"],
  ["groupInviteMessage", "[groupInviteMessage] Clientes", "Convite para um grupo", "Clientes"],
  ["newsletterThing", "[newsletterThing]", "Mensagem que só aparece no celular", ""],
])("a %s is shown in words", async (mediaType, body, words, text) => {
  const message = await show({ mediaType, body });
  expect(await within(message).findByText(words)).toBeTruthy();
  expect(message.textContent).toContain(text);
  expect(message.textContent).not.toContain("[");
});

test("a picture without text has its time on it, one with text below", async () => {
  const image = { media: givenMedia({ kind: "image", name: "a.jpg" }), mediaType: "image" };
  await show({ ...image, body: "a.jpg" }, { ...image, body: "olha" });
  const bare = [...document.querySelectorAll("[data-look=picture]")].map((bubble) =>
    bubble.hasAttribute("data-bare"),
  );
  expect(bare).toEqual([true, false]);
});

test("a missed call is a line without a menu", async () => {
  const message = await show({ details: { kind: "call", isVideo: true } });
  const line = within(message).getByText("Chamada de vídeo perdida");
  expect(line.hasAttribute("data-notice")).toBe(false);
  expect(within(message).queryByRole("button", { name: "Opções da mensagem" })).toBeNull();
});

test("a changed number of the contact is a line with the author, without a menu", async () => {
  const details = { kind: "number-changed", from: "5511911112222", to: "5511933334444" } as const;
  const message = await show({ details, fromMe: true, user: { id: 3, name: "Ana" } });
  const text = "Ana: O número do contato mudou de 5511911112222 para 5511933334444";
  // A neutral notice, unlike a missed call.
  expect(within(message).getByText(text).hasAttribute("data-notice")).toBe(true);
  expect(within(message).queryByRole("button", { name: "Opções da mensagem" })).toBeNull();
});

test("a view-once message says that only the phone can show it", async () => {
  const message = await show({ details: { kind: "view-once" } });
  expect(
    await within(message).findByText("Mensagem de visualização única. Abra no celular."),
  ).toBeTruthy();
});

describe("an advertisement", () => {
  const ad = { kind: "ad" as const, title: "Oferta", body: "Tudo", sourceUrl: "https://l.br/o" };

  test("is shown once, above the customer's text", async () => {
    const body = "*Oferta*\nTudo\nhttps://l.br/o\n\nOi, vi o anúncio";
    const message = await show({ body, details: ad });
    expect(await within(message).findAllByText("Oferta")).toHaveLength(1);
    expect(within(message).getByText("Oi, vi o anúncio")).toBeTruthy();
  });

  test("is no link unless its address is a web address", async () => {
    const message = await show({ details: { ...ad, sourceUrl: "javascript:alert(1)" } });
    expect(await within(message).findByText("Oferta")).toBeTruthy();
    expect(within(message).queryByRole("link")).toBeNull();
  });
});

test("a forwarded message is marked", async () => {
  const message = await show({ isForwarded: true });
  expect(within(message).getByText("Encaminhada")).toBeTruthy();
});

test("messages of the chatbot name it once per group, signed ones their agent", async () => {
  const bot = { fromMe: true, isAutomatic: true };
  const signed = { fromMe: true, body: "*Marina Prado:*\nPosso ajudar?" };
  await show({ ...bot, body: "Olá!" }, { ...bot, body: "Escolha uma fila" }, signed, signed);
  expect(screen.getAllByText("Chatbot")).toHaveLength(1);
  expect(screen.getAllByText("Marina Prado:")).toHaveLength(1);
  expect(screen.getAllByRole("article", { name: /^Chatbot/ })).toHaveLength(2);
  expect(screen.getAllByRole("article", { name: /^Marina Prado/ })).toHaveLength(2);
});

test("in a group chat the first message of each author shows the name", async () => {
  const person = (id: number, name: string) => ({
    contactId: id,
    contact: { id, name, number: "1", email: "", profilePicUrl: "" },
  });
  await show(person(7, "Ana"), person(7, "Ana"), person(8, "Bia"));
  expect(screen.getAllByText("Ana")).toHaveLength(1);
  expect(screen.getAllByText("Bia")).toHaveLength(1);
  const names = screen.getAllByRole("article").map((one) => one.getAttribute("aria-label"));
  expect(names).toEqual(["Ana, 07:01", "Ana, 07:02", "Bia, 07:03"]);
});

test("the tooltip of the time names the agent who wrote a message", async () => {
  const message = await show({ fromMe: true, user: { id: 9, name: "Bruno" } });
  expect(within(message).getByTitle("Enviada por Bruno")).toBeTruthy();
});

test("a change that did not reach the customer is shown below the message", async () => {
  const message = await show({ fromMe: true, changeFailedCode: "ERR_EDITING_WAPP_MSG" });
  expect(within(message).getByText("A última alteração não chegou ao cliente.")).toBeTruthy();
});
