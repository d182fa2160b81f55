import type { Page } from "@playwright/test";
import {
  attach,
  chooseOption,
  dragFiles,
  openOptions,
  pasteFiles,
  tray,
} from "../support/conversation.ts";
import * as files from "../support/files.ts";
import type { Customer } from "../support/network.ts";
import { expect, test } from "../support/journey.ts";
import { acceptWaiting, answer, recordedFor, tickets } from "../support/screens.ts";

test("several files go out in their order with their captions, chosen, dragged or pasted", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.marina);
  const customer = await network.customer("Helena Duarte");
  await customer.writes("Podem mandar as fotos?");
  await acceptWaiting(agent, customer.name);
  const composer = tickets.composer(agent, customer.name);

  await test.step("chosen, dragged and pasted, put in order, one taken out", async () => {
    await attach(agent, files.picture("verde.png"), files.pdf("tabela.pdf"));
    await expect(tray(agent)).toHaveCount(2);
    const pane = tickets.pane(agent, customer.name);
    const dragged = await dragFiles(pane, [files.picture("azul.png", [40, 80, 180])]);
    await expect(agent.getByText("Solte os arquivos para anexar")).toBeVisible();
    await dragged.drop();
    await expect(agent.getByText("Solte os arquivos para anexar")).toHaveCount(0);
    await pasteFiles(composer, [files.picture("colada.png", [180, 80, 40])]);
    await expect(tray(agent)).toHaveCount(4);

    await agent.getByRole("button", { name: "Remover colada.png" }).click();
    await agent.getByRole("button", { name: "Mover azul.png para antes" }).click();
    await expect(tray(agent)).toHaveText([/verde\.png/, /azul\.png/, /tabela\.pdf/]);
    await agent.getByRole("textbox", { name: "Legenda de verde.png" }).fill("O *verde*");
    await agent.getByRole("textbox", { name: "Legenda de azul.png" }).fill("E o azul");
  });

  await test.step("uploads show their progress", async () => {
    const release = await holdUploads(agent);
    await composer.fill("Seguem as duas cores e os preços");
    await composer.press("Enter");
    await expect(tray(agent)).toHaveCount(0);
    await expect(agent.getByRole("progressbar", { name: "Enviando verde.png" })).toBeVisible();
    release();
    await expect(agent.getByRole("progressbar")).toHaveCount(0);
  });

  await test.step("and are on the phone as they were written", async () => {
    await expect.poll(async () => (await sentTo(customer)).length).toBe(4);
    const sent = await sentTo(customer);
    expect(sent.map(({ kind }) => kind)).toEqual(["text", "image", "image", "document"]);
    expect(sent.map(({ file }) => file?.name ?? null)).toEqual([
      null,
      "verde.png",
      "azul.png",
      "tabela.pdf",
    ]);
    expect(sent.map(({ body }) => withoutName(body)).slice(0, 3)).toEqual([
      "Seguem as duas cores e os preços",
      "O *verde*",
      "E o azul",
    ]);
    const [, photo] = sent;
    if (photo) expect(await customer.download(photo)).toEqual(files.picture("verde.png").buffer);
    await expect(tickets.messages(agent).getByRole("button", { name: "Abrir: Foto" })).toHaveCount(
      2,
    );
    await expect(
      tickets.messages(agent).getByRole("link", { name: "Baixar tabela.pdf" }),
    ).toBeVisible();
  });
});

test.describe("files that are not sent", () => {
  // The refusals stand in the console.
  test.use({ expectedErrors: /status of 4\d\d .*\/api\/messages\// });

  test("show the reason, whether the browser or the server refuses them, and are not sent", async ({
    signedIn,
    staff,
    network,
  }) => {
    const agent = await signedIn(staff.marina);
    const customer = await network.customer("Rui Sá");
    await customer.writes("Oi");
    await acceptWaiting(agent, customer.name);

    const huge = { name: "enorme.png", mimeType: "image/png", buffer: Buffer.alloc(17_000_000, 1) };
    await attach(agent, huge);
    const refused = agent.getByRole("alert").filter({ hasText: "enorme.png" });
    await expect(refused).toContainText("O arquivo é grande demais.");
    await agent.getByRole("button", { name: "Dispensar" }).click();
    await expect(refused).toHaveCount(0);

    const script = "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
    const bad = [
      [files.written("programa.exe", "application/octet-stream", "MZ"), "não é permitido"],
      [files.written("foto.jpg", "image/jpeg", "isto não é uma foto"), "não corresponde"],
      [files.written("desenho.svg", "image/svg+xml", script), "não é permitido"],
      [files.pictureBomb("bomba.png"), "danificado ou não pode ser lido"],
    ] as const;
    for (const [file, reason] of bad) {
      await attach(agent, file);
      await agent.getByRole("button", { name: "Enviar", exact: true }).click();
      const unsent = tickets.messages(agent).getByRole("article").last();
      await expect(unsent).toContainText("Não enviada.");
      await expect(unsent).toContainText(reason);
      await unsent.getByRole("button", { name: "Descartar" }).click();
      await expect(tickets.messages(agent).getByRole("article")).toHaveCount(1);
    }
    expect(await sentTo(customer)).toEqual([]);

    // A name with parts of a path is only a name.
    await attach(agent, { ...files.pdf("nota.pdf"), name: "..\\..\\nota.pdf" });
    await agent.getByRole("button", { name: "Enviar", exact: true }).click();
    await expect.poll(async () => (await sentTo(customer)).length).toBe(1);
    expect((await sentTo(customer))[0]?.file?.name).not.toMatch(/[\\/]|\.\./);
  });
});

test("a refused message shows the reason and goes out after a retry", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.marina);
  const customer = await network.customer("Bianca Moreira");
  await customer.writes("Oi");
  await acceptWaiting(agent, customer.name);
  await network.set({ sendMode: "refuse" });
  await attach(agent, files.picture("recusada.png"));
  await answer(agent, customer.name, "Segue a foto");
  const unsent = tickets.message(agent, "Segue a foto");
  await expect(unsent).toContainText("Não foi possível enviar a mensagem. Verifique a conexão.");
  await agent.reload();
  await expect(unsent).toContainText("Não enviada.");
  await network.set({ sendMode: "deliver" });
  await unsent.getByRole("button", { name: "Tentar de novo" }).click();
  await expect(unsent.getByRole("img", { name: "entregue" })).toBeVisible();
  const sent = await sentTo(customer);
  expect(sent.map(({ kind, body }) => [kind, withoutName(body)])).toEqual([
    ["image", "Segue a foto"],
  ]);
});

test("a recorded voice message is a voice message on the phone; a short or cancelled one is not sent", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.marina);
  const customer = await network.customer("Camila Rocha");
  await customer.writes("Pode explicar por áudio?");
  await acceptWaiting(agent, customer.name);
  const record = agent.getByRole("button", { name: "Gravar áudio" });
  const bar = agent.getByRole("group", { name: "Gravando áudio" });
  const send = bar.getByRole("button", { name: "Enviar áudio" });

  await test.step("cancelled", async () => {
    await record.click();
    await expect(send).toBeFocused();
    await agent.keyboard.press("Escape");
    await expect(bar).toHaveCount(0);
    await expect(tickets.composer(agent, customer.name)).toBeFocused();
  });

  await test.step("too short", async () => {
    await pressOnceThere(agent, "Enviar áudio");
    await record.click();
    await expect(agent.getByText("Áudio muito curto: nada foi enviado.")).toBeVisible();
    expect(await sentTo(customer)).toEqual([]);
  });

  await test.step("sent", async () => {
    await record.click();
    await expect(recordedFor(bar, 2)).toBeVisible();
    await send.click();
    const voice = tickets.messages(agent).getByRole("article").last();
    await expect(voice.getByRole("button", { name: "Ouvir" })).toBeVisible();
    await expect(voice.getByRole("img", { name: "entregue" })).toBeVisible();
    const [sent] = await sentTo(customer);
    expect(sent).toMatchObject({ kind: "voice", body: "" });
    expect(sent?.file?.mime).toMatch(/^audio\/ogg/);
    expect(sent?.file?.durationMs ?? 0).toBeGreaterThan(1_500);
    if (!sent) throw new Error("nothing was sent");
    const content = await customer.download(sent);
    expect(content.subarray(0, 4).toString("latin1")).toBe("OggS");
    expect(content.includes("OpusHead")).toBe(true);
  });
});

test("the composer offers emoji, quick replies, variables, replies and later changes", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.marina);
  const customer = await network.customer("Paula Reis");
  await customer.writes("Qual é o prazo da troca?");
  await acceptWaiting(agent, customer.name);
  const composer = tickets.composer(agent, customer.name);
  const [firstName = ""] = customer.name.split(" ");

  await test.step("an emoji, found by its name, at the caret", async () => {
    await composer.fill("Que bom ");
    await agent.getByRole("button", { name: "Emojis" }).click();
    await agent.getByRole("searchbox", { name: "Buscar emoji" }).fill("foguete");
    await agent.getByRole("gridcell", { name: "foguete" }).first().click();
    await expect(composer).toHaveValue("Que bom 🚀");
    await expect(composer).toBeFocused();
    await composer.fill("");
  });

  await test.step("a quick reply by / and a word, with its variable filled in for the customer", async () => {
    const shortcode = `prazo${Date.now() % 100_000}`;
    const message = "Oi, {{firstName}}! O prazo é de trinta dias a partir da entrega.";
    const shared = await network.api("POST /quick-messages", {
      body: { shortcode, message, geral: true },
    });
    await composer.pressSequentially("/");
    await expect(agent.getByRole("listbox", { name: "Respostas rápidas" })).toBeVisible();
    await composer.pressSequentially(shortcode);
    const option = agent.getByRole("option", { name: shortcode });
    await expect(option).toHaveText(`${`${shortcode} - ${message}`.slice(0, 35)}…`);
    await agent.keyboard.press("Escape");
    await expect(option).toHaveCount(0);
    await composer.fill("");
    await composer.pressSequentially(`/${shortcode}`);
    await expect(option).toBeVisible();
    await agent.keyboard.press("Enter");
    await expect(composer).toHaveValue(message);
    await composer.press("Enter");
    await expect(tickets.message(agent, `Oi, ${firstName}! O prazo é de trinta dias`)).toHaveCount(
      1,
    );
    const { body } = await customer.received("prazo é de trinta");
    expect(withoutName(body)).toBe(message.replace("{{firstName}}", firstName));
    await network.api("DELETE /quick-messages/:quickMessageId", {
      params: { quickMessageId: shared.id },
    });
  });

  await test.step("a variable from the menu", async () => {
    await agent.getByRole("button", { name: "Inserir variável" }).click();
    await agent.getByRole("menuitem", { name: "Nome completo do cliente" }).click();
    await expect(composer).toHaveValue("{{name}}");
    await expect(composer).toBeFocused();
    await composer.pressSequentially(", combinado?");
    await composer.press("Enter");
    await expect(tickets.message(agent, `${customer.name}, combinado?`)).toHaveCount(1);
  });

  await test.step("a reply to one message, which the customer sees as a reply", async () => {
    await chooseOption(tickets.message(agent, "Qual é o prazo da troca?"), "Responder");
    const target = agent.getByRole("group", { name: `Respondendo a ${customer.name}` });
    await expect(target).toContainText("Qual é o prazo da troca?");
    await expect(composer).toBeFocused();
    await agent.keyboard.press("Escape");
    await expect(target).toHaveCount(0);
    await chooseOption(tickets.message(agent, "Qual é o prazo da troca?"), "Responder");
    await answer(agent, customer.name, "Um mês inteiro");
    const sent = tickets.message(agent, "Um mês inteiro");
    await expect(sent.getByRole("button", { name: "Qual é o prazo" })).toBeVisible();
    await expect(sent.getByRole("img", { name: "entregue" })).toBeVisible();
    expect((await customer.received("Um mês inteiro")).quoted?.body).toBe(
      "Qual é o prazo da troca?",
    );
  });

  await test.step("edited with the arrow up; empty edits are not sent", async () => {
    await composer.press("ArrowUp");
    await expect(agent.getByRole("group", { name: "Editando a mensagem" })).toBeVisible();
    await expect(composer).toHaveValue("Um mês inteiro");
    await composer.fill("   ");
    await expect(agent.getByRole("button", { name: "Salvar a edição" })).toBeDisabled();
    await composer.press("Enter");
    expect(withoutName((await customer.received("Um mês inteiro")).body)).toBe("Um mês inteiro");
    await composer.fill("Um mês corrido");
    await composer.press("Enter");
    const edited = tickets.message(agent, "Um mês corrido");
    await expect(edited).toContainText("editada");
    await expect(composer).toHaveValue("");
    await expect
      .poll(async () => (await sentTo(customer)).findLast(({ isEdited }) => isEdited)?.body)
      .toContain("Um mês corrido");
  });

  await test.step("a reaction, removed by another press; only own messages can be changed", async () => {
    const question = tickets.message(agent, "Qual é o prazo da troca?").first();
    await openOptions(question);
    await expect(agent.getByRole("menuitem", { name: "Editar" })).toHaveCount(0);
    await expect(agent.getByRole("menuitem", { name: "Apagar" })).toHaveCount(0);
    await agent.getByRole("menuitem", { name: "Reagir com ❤️" }).click();
    const chip = question.getByRole("group", { name: "Reações" }).getByRole("button");
    await expect(chip).toHaveAttribute("aria-pressed", "true");
    await expect.poll(async () => (await customer.messages())[0]?.reactions).toHaveLength(1);
    await chip.click();
    await expect(chip).toHaveCount(0);
    await expect.poll(async () => (await customer.messages())[0]?.reactions).toHaveLength(0);
  });

  await test.step("deleted for everybody, after a question", async () => {
    await chooseOption(tickets.message(agent, "combinado?"), "Apagar");
    const dialog = agent.getByRole("dialog", { name: "Apagar esta mensagem?" });
    await expect(dialog).toContainText("combinado?");
    await dialog.getByRole("button", { name: "Apagar" }).click();
    await expect(tickets.message(agent, "Mensagem apagada")).toHaveCount(1);
    await expect
      .poll(async () => (await sentTo(customer)).filter(({ isDeleted }) => isDeleted).length)
      .toBe(1);
  });
});

test("a message can be undone for five seconds, or be sent without signature, and both choices are kept", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.marina);
  const customer = await network.customer("Nina Alves");
  await customer.writes("Oi");
  await acceptWaiting(agent, customer.name);
  const composer = tickets.composer(agent, customer.name);
  const more = agent.getByRole("button", { name: "Mais opções de envio" });
  const undo = agent.getByRole("menuitemcheckbox", { name: "Desfazer envio por 5 s" });
  const signSwitch = agent.getByRole("switch", { name: "Assinar" });

  await more.click();
  await undo.click();
  await answer(agent, customer.name, "Isto foi cedo demais");
  await agent.getByRole("button", { name: /^Desfazer \(\d\)$/ }).click();
  await expect(composer).toHaveValue("Isto foi cedo demais");
  await expect(tickets.message(agent, "Isto foi cedo demais")).toHaveCount(0);

  await composer.press("Enter");
  await expect(
    tickets.message(agent, "Isto foi cedo demais").getByRole("img", { name: "entregue" }),
  ).toBeVisible();
  expect((await sentTo(customer)).map(({ body }) => withoutName(body))).toEqual([
    "Isto foi cedo demais",
  ]);

  await expect(signSwitch).toBeChecked();
  await signSwitch.uncheck();
  await agent.reload();
  await expect(signSwitch).not.toBeChecked();
  await more.click();
  await expect(undo).toHaveAttribute("aria-checked", "true");
  await undo.click();
  await answer(agent, customer.name, "Sem assinatura");
  await expect.poll(async () => (await sentTo(customer)).at(-1)?.body).toBe("Sem assinatura");
  await expect(tickets.message(agent, "Sem assinatura")).not.toContainText("Marina Prado");
  await signSwitch.check();
});

/** The company's messages to a customer, oldest first. */
async function sentTo(customer: Customer) {
  return (await customer.messages()).filter(({ fromCustomer }) => !fromCustomer);
}

function withoutName(body: string): string {
  return body.replace(/^\*Marina Prado:\*\n/, "");
}

/** Has the page itself press a button in the frame in which it can be pressed: from outside it may take a second. */
async function pressOnceThere(page: Page, label: string): Promise<void> {
  await page.evaluate((wanted) => {
    function look(): void {
      const button = [...document.querySelectorAll("button")].find(
        ({ ariaLabel, disabled }) => ariaLabel === wanted && !disabled,
      );
      if (button) button.click();
      else requestAnimationFrame(look);
    }
    look();
  }, label);
}

/** Keeps files from arriving until what it answers is called. */
async function holdUploads(page: Page): Promise<() => void> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/api/messages/*", async (route) => {
    const isUpload = route.request().headers()["content-type"]?.startsWith("multipart/") ?? false;
    if (isUpload) await released;
    await route.continue();
  });
  return release;
}
