import type { Locator } from "@playwright/test";
import * as files from "../support/files.ts";
import { expect, test } from "../support/journey.ts";
import { acceptWaiting, tickets } from "../support/screens.ts";

test("every kind of message that a customer sends is shown as its kind", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.marina);
  const customer = await network.customer("Helena Duarte");
  await customer.writes("*Oi!* _tudo_ ~bem~ `sim`\nVejam https://exemplo.com.br/vestido");
  await acceptWaiting(agent, customer.name);
  const messages = tickets.messages(agent).getByRole("article");
  const card = tickets.card(agent, customer.name);

  await test.step("a formatted text, with a link that tells the other side nothing", async () => {
    const first = messages.first();
    await expect(first.locator("strong")).toHaveText("Oi!");
    await expect(first.locator("em")).toHaveText("tudo");
    await expect(first.locator("s, del")).toHaveText("bem");
    const link = first.getByRole("link", { name: "https://exemplo.com.br/vestido" });
    await expect(link).toHaveAttribute("rel", /noopener/);
    await expect(link).toHaveAttribute("target", "_blank");
  });

  await test.step("a place, a poll and a vote in it", async () => {
    await customer.sends({
      content: { kind: "location", latitude: -8.0631, longitude: -34.8711, name: "Marco Zero" },
    });
    const place = messages.nth(1).getByRole("link");
    await expect(place).toContainText("Marco Zero");
    await expect(place).toHaveAttribute("href", /^https:\/\/maps\.google\.com\/maps\?q=-8\.0631/);
    await expect(card.getByRole("img", { name: "Localização" })).toBeVisible();

    const poll = await customer.sends({
      content: { kind: "poll", question: "Qual horário?", options: ["Manhã", "Tarde"] },
    });
    await expect(messages.nth(2)).toContainText("Enquete");
    await expect(messages.nth(2).getByRole("listitem")).toHaveText(["Manhã", "Tarde"]);
    await customer.sends({
      content: { kind: "poll-vote", options: ["Tarde"] },
      quotedId: poll.id,
    });
    await expect(messages.nth(3)).toContainText("Votou em: Tarde");
  });

  await test.step("a choice, an unknown kind, a view-once message, an advertisement", async () => {
    await customer.sends({
      content: { kind: "choice", type: "listResponseMessage", chosen: "Tamanho P" },
    });
    await expect(messages.nth(4)).toContainText("Tamanho P");
    await customer.sends({
      content: { kind: "other", type: "productMessage", text: "Vestido Aurora" },
    });
    await expect(messages.nth(5)).toHaveText(/Produto\s*Vestido Aurora/);
    await customer.sends({ content: { kind: "view-once" } });
    await expect(messages.nth(6)).toContainText("Mensagem de visualização única. Abra no celular.");
    await customer.sends({
      body: "Vi o anúncio",
      content: {
        kind: "ad",
        title: "Promoção de primavera",
        body: "Tudo com 20%",
        sourceUrl: "https://exemplo.com.br/promo",
      },
    });
    const ad = messages.nth(7);
    await expect(ad.getByRole("link")).toContainText("Veio por um anúncio");
    await expect(ad.getByRole("link")).toContainText("Promoção de primavera");
    await expect(ad).toContainText("Vi o anúncio");
    await expect(ad.getByText("https://exemplo.com.br/promo")).toHaveCount(0);
  });

  await test.step("shared contacts, which are shown without creating a contact", async () => {
    const before = await network.api("GET /contacts", { query: { searchParam: "Paulo Souza" } });
    await customer.sends({
      content: {
        kind: "contacts",
        contacts: [{ name: "Paulo Souza", phones: ["+55 81 98811-2233"] }],
      },
    });
    const shared = messages.nth(8);
    await expect(shared).toContainText("+55 81 98811-2233");
    await expect(card.getByRole("img", { name: "Contato" })).toBeVisible();
    const after = await network.api("GET /contacts", { query: { searchParam: "Paulo Souza" } });
    expect(after.count).toBe(before.count);

    await shared.getByRole("button", { name: "Conversar com Paulo Souza" }).click();
    const dialog = agent.getByRole("dialog", { name: "Novo atendimento" });
    await expect(dialog.getByRole("textbox", { name: "Nome" })).toHaveValue("Paulo Souza");
    await agent.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
  });

  await test.step("missed calls, as lines of their own; the caller gets the reason", async () => {
    await customer.calls();
    await expect(tickets.message(agent, "Chamada de voz perdida")).toHaveCount(1);
    await expect(tickets.message(agent, "Não atendemos chamadas por aqui")).toHaveCount(1);
    await customer.calls({ isVideo: true });
    await expect(tickets.message(agent, "Chamada de vídeo perdida")).toHaveCount(1);
  });

  await test.step("typing and recording, while it lasts", async () => {
    await customer.types({ on: true, isRecording: true });
    await expect(tickets.pane(agent, customer.name).getByText("gravando áudio…")).toBeVisible();
    await customer.types({ on: false });
    await expect(tickets.pane(agent, customer.name).getByText("gravando áudio…")).toBeHidden();
  });

  await test.step("after a reload all messages are there again", async () => {
    await agent.reload();
    await expect(tickets.message(agent, "Chamada de vídeo perdida")).toHaveCount(1);
    await expect(messages.nth(3)).toContainText("Votou em: Tarde");
    await expect(messages.nth(8)).toContainText("Paulo Souza");
  });

  await test.step("the end stays in view when the steps of the attendance are read after the messages", async () => {
    const other = await network.customer("Rui Barros");
    await other.writes("Bom dia");
    await acceptWaiting(agent, other.name);
    await expect(tickets.message(agent, "Bom dia")).toHaveCount(1);
    // All of it is a little higher than the pane, so that the step comes between what is shown.
    const paneHeightPx = await tickets.messages(agent).evaluate((area) => area.clientHeight);
    const lines = Array.from(
      { length: Math.round((paneHeightPx - 153) / 20) },
      (_, n) => `item ${n + 1} da lista`,
    );
    await other.writes(lines.join("\n"));
    await expect(tickets.message(agent, lines.at(-1) ?? "")).toHaveCount(1);
    const { promise: areShown, resolve: goOn } = Promise.withResolvers<void>();
    await agent.route("**/attendances?**", async (route) => {
      await areShown;
      await route.continue();
    });
    await agent.reload();
    await expect(tickets.message(agent, lines.at(-1) ?? "")).toBeVisible();
    const step = tickets.messages(agent).getByText("iniciou o atendimento");
    await expect(step).toHaveCount(0);
    goOn();
    await expect(step).toBeVisible();
    await expect
      .poll(() =>
        tickets
          .messages(agent)
          .evaluate((area) => area.scrollHeight - area.scrollTop - area.clientHeight),
      )
      .toBeLessThan(2);
    await expect(step).toBeInViewport();
  });
});

test("a customer's replies, edits, deletions and reactions change the shown messages", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.marina);
  const customer = await network.customer("Otávio Ramos");
  const question = await customer.sends({ body: "Vocês abrem no domingo?" });
  for (let number = 1; number <= 25; number += 1) await customer.writes(`Linha ${number}`);
  await acceptWaiting(agent, customer.name);
  const card = tickets.card(agent, customer.name);

  await test.step("a reply leads to its quoted message, however far above", async () => {
    await customer.sends({ body: "Era sobre isto", quotedId: question.id });
    const answer = tickets.message(agent, "Era sobre isto");
    await answer.getByRole("button", { name: "Vocês abrem no domingo?" }).click();
    const original = tickets.messages(agent).getByRole("article").first();
    await expect(original).toBeInViewport();
    await expect(original).toContainText("Vocês abrem no domingo?");
    await agent.getByRole("button", { name: "Ir para a última mensagem" }).click();
    await expect(answer).toBeInViewport();
  });

  const last = await customer.sends({ body: "Chego as 15h" });
  const message = tickets.message(agent, "Chego");
  await test.step("an edited message shows the new text and a mark", async () => {
    await customer.edits(last, "Chego às 16h");
    await expect(message).toContainText("Chego às 16h");
    await expect(message).toContainText("editada");
    await expect(card).toContainText("Chego às 16h");
  });

  await test.step("a reaction stands below, is changed and removed", async () => {
    const reactions = message.getByRole("group", { name: "Reações" }).getByRole("button");
    await customer.reacts(last, "👍");
    await expect(reactions).toHaveAccessibleName(`👍 de ${customer.name}`);
    await customer.reacts(last, "😂");
    await expect(reactions).toHaveAccessibleName(`😂 de ${customer.name}`);
    await customer.reacts(last, "");
    await expect(reactions).toHaveCount(0);
  });

  await test.step("a deleted message leaves a mark without its text", async () => {
    await customer.deletes(last);
    await expect(tickets.messages(agent).getByText("Mensagem apagada")).toBeVisible();
    await expect(tickets.messages(agent).getByText("Chego às 16h")).toHaveCount(0);
    await expect(card).toContainText("Mensagem Apagada");
    await agent.reload();
    await expect(tickets.messages(agent).getByText("Mensagem apagada")).toBeVisible();
    await expect(tickets.messages(agent).getByText("Chego às 16h")).toHaveCount(0);
  });
});

test("a group is one ticket, whose messages name their authors", async ({
  signedIn,
  staff,
  network,
}) => {
  const key = { key: "CheckMsgIsGroup" };
  await network.api("PUT /settings/:key", { params: key, body: { value: "disabled" } });
  try {
    const agent = await signedIn(staff.marina);
    const group = await network.group("Turma da Aurora", ["Ana", "Bruno"]);
    const [ana, bruno] = group.members;
    await group.sends({ body: "Oi da Ana", ...(ana && { author: ana.phone }) });
    await acceptWaiting(agent, group.name);
    await group.sends({ body: "E do Bruno", ...(bruno && { author: bruno.phone }) });
    await expect(tickets.message(agent, "Oi da Ana")).toContainText(String(ana?.name));
    await expect(tickets.message(agent, "E do Bruno")).toContainText(String(bruno?.name));
    await expect(tickets.card(agent, group.name).getByRole("img", { name: "Grupo" })).toBeVisible();

    await tickets.composer(agent, group.name).fill("Bom dia a todos");
    await tickets.composer(agent, group.name).press("Enter");
    await expect(tickets.message(agent, "Bom dia a todos")).toHaveCount(1);
    await expect.poll(async () => (await group.messages()).at(-1)?.body).toContain("Bom dia");
    expect((await group.ticket()).isGroup).toBe(true);
  } finally {
    await network.api("PUT /settings/:key", { params: key, body: { value: "enabled" } });
  }
});

test.describe("files of customers", () => {
  test("pictures, videos, sounds, documents and stickers are seen, heard and downloaded", async ({
    signedIn,
    staff,
    network,
  }) => {
    const agent = await signedIn(staff.marina);
    const customer = await network.customer("Clínica Vida Plena");
    await customer.sendsFile(files.picture("vestido.png"), { as: "image", caption: "É este" });
    await acceptWaiting(agent, customer.name);
    const messages = tickets.messages(agent).getByRole("article");
    const viewer = agent.getByRole("dialog", { name: "Fotos e vídeos" });

    await test.step("a picture with its caption; it and a video open in the viewer", async () => {
      const photo = messages.first().getByRole("button", { name: "Abrir: Foto" });
      await expect.poll(() => paintedWidth(photo.locator("img"))).toBeGreaterThan(0);
      await expect(messages.first()).toContainText("É este");
      await customer.sendsFile(await files.video(agent, "desfile.webm"), { as: "video" });
      const film = messages.nth(1).getByRole("button", { name: "Abrir: Vídeo" });
      await expect.poll(() => paintedWidth(film.locator("img"))).toBeGreaterThan(0);

      await photo.focus();
      await agent.keyboard.press("Enter");
      await expect.poll(() => paintedWidth(viewer.locator("img").first())).toBe(120);
      await agent.keyboard.press("ArrowRight");
      await expect(viewer.locator("video")).toBeVisible();
      await agent.keyboard.press("ArrowLeft");
      await agent.keyboard.press("Escape");
      await expect(viewer).toHaveCount(0);
      await expect(photo).toBeFocused();
    });

    await test.step("a voice message plays, at several speeds", async () => {
      await customer.sendsFile(files.tone("voz.wav", 20), { as: "voice", durationMs: "20000" });
      const voice = messages.nth(2);
      await voice.getByRole("button", { name: "Ouvir" }).click();
      await expect(voice.getByRole("button", { name: "Pausar" })).toBeVisible();
      await expect(voice.getByRole("slider", { name: "Posição no áudio" })).not.toHaveValue("0");
      await voice.getByRole("button", { name: "Velocidade, 1×" }).click();
      await voice.getByRole("button", { name: "Velocidade, 1,5×" }).click();
      await expect(voice.getByRole("button", { name: "Velocidade, 2×" })).toBeVisible();
      await voice.getByRole("button", { name: "Pausar" }).click();
      await voice.getByRole("button", { name: "Velocidade, 2×" }).click();
      const card = tickets.card(agent, customer.name);
      await expect(card.getByRole("img", { name: "Mensagem de voz" })).toBeVisible();
    });

    await test.step("a document is downloaded under its name, as it was sent", async () => {
      const sent = files.pdf("Nota fiscal 88213.pdf");
      await customer.sendsFile(sent, { as: "document" });
      const link = messages.nth(3).getByRole("link", { name: "Baixar Nota fiscal 88213.pdf" });
      const download = agent.waitForEvent("download");
      await link.click();
      expect((await download).suggestedFilename()).toBe("Nota fiscal 88213.pdf");
      const reply = await agent.request.get(String(await link.getAttribute("href")));
      expect(await reply.body()).toEqual(sent.buffer);
    });

    await test.step("a sticker, and a view-once picture", async () => {
      await customer.sendsFile(files.picture("figurinha.png", [200, 80, 60]), { as: "sticker" });
      const sticker = messages.nth(4).getByRole("img", { name: "Figurinha" });
      await expect.poll(() => paintedWidth(sticker)).toBeGreaterThan(0);
      const secret = files.picture("segredo.png", [60, 80, 200]);
      await customer.sendsFile(secret, { as: "image", isViewOnce: "true" });
      await expect(messages.nth(5)).toContainText("Visualização única");
    });
  });

  test("an unavailable file is marked, and the message stays", async ({
    signedIn,
    staff,
    network,
  }) => {
    const agent = await signedIn(staff.marina);
    const customer = await network.customer("Rui Sá");
    await network.set({ mediaMode: "gone" });
    await customer.sendsFile(files.picture("perdida.png"), { as: "image", caption: "Olha isto" });
    await customer.writes("Conseguiram ver?");
    await acceptWaiting(agent, customer.name);
    const lost = tickets.message(agent, "Olha isto");
    await expect(lost).toContainText("Arquivo indisponível");
    await expect(tickets.message(agent, "Conseguiram ver?")).toBeVisible();

    await network.set({ mediaMode: "fail-once" });
    await customer.sendsFile(files.picture("de-novo.png"), { as: "image", caption: "De novo" });
    const second = tickets.message(agent, "De novo").getByRole("button", { name: "Abrir: Foto" });
    await expect(second).toBeVisible();
    await agent.reload();
    await expect(tickets.messages(agent).getByRole("article")).toHaveCount(3);
    await expect(lost).toContainText("Arquivo indisponível");
  });
});

/** Width in pixels of what a picture really shows; 0 while, or when, it shows nothing. */
async function paintedWidth(picture: Locator): Promise<number> {
  return picture.evaluate((image) => (image instanceof HTMLImageElement ? image.naturalWidth : 0));
}
