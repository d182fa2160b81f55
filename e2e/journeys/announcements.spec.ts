import { expectNoFindings, expectNoFindingsInWindows } from "../support/axe.ts";
import { picture } from "../support/files.ts";
import { anotherWindow, expect, test } from "../support/journey.ts";
import { newMark } from "../support/mark.ts";

const VIDEO = "aqz-KE-bpKQ";
const PLAYER = "https://www.youtube-nocookie.com/";

test("an announcement of the provider reaches an agent of another company live, and leaves again", async ({
  product,
  signedIn,
  staff,
}) => {
  const mark = newMark();
  const title = `Manutenção ${mark}`;
  const provider = await signedIn(product.accounts.super);
  const agent = await signedIn(staff.marina);
  const form = provider.getByRole("dialog");
  const button = agent.getByRole("button", { name: /^Avisos/ });
  const list = agent.getByRole("region", { name: "Avisos" });
  const card = list.getByRole("article").filter({ hasText: title });

  await test.step("it is written with an image and shown below the form as all will see it", async () => {
    await provider.goto("/announcements");
    await provider.getByRole("button", { name: "Adicionar" }).first().click();
    await form.getByRole("textbox", { name: "Título" }).fill(title);
    const lines = ["<script>window.evil = 1</script>", "https://balcao.example/aviso", "linha 3"];
    const text = [...lines, "linha 4", "linha 5", "linha 6", "linha 7", "última linha"].join("\n");
    await form.getByRole("textbox", { name: "Texto" }).fill(text);
    await form.getByText("Urgente", { exact: true }).first().click();
    await form.getByLabel("Anexar imagem").first().setInputFiles(picture("quadro.png"));
    await expect(form.getByRole("article").getByRole("img", { name: title })).toBeVisible();
    await expectNoFindingsInWindows(provider, { where: "the dialog of an announcement" });
  });

  await test.step("the agent is told, opens it from the toast, and the badge goes", async () => {
    // The page follows the announcements once it knows those that there are.
    const known = agent.waitForResponse((response) =>
      response.url().endsWith("/api/announcements/unseen"),
    );
    await agent.reload();
    await known;
    await agent.waitForLoadState("networkidle");
    // The toast leaves after a while, whatever the provider's page still does.
    const opened = async (): Promise<void> => {
      await expect(agent.getByText(`Novo aviso: ${title}`).first()).toBeVisible();
      await expect(button).toHaveAccessibleName("Avisos, 1 novo");
      await agent.getByRole("button", { name: "Ver", exact: true }).click();
    };
    const saved = async (): Promise<void> => {
      await form.getByRole("button", { name: "Salvar" }).click();
      await expect(provider.getByText("Aviso salvo")).toBeVisible();
    };
    await Promise.all([opened(), saved()]);
    await expect(card).toContainText("Urgente");
    await expect(card).toContainText("Novo");
    await expect(button).toHaveAccessibleName("Avisos");
    await expect(card).toContainText("<script>window.evil = 1</script>");
    expect(await agent.evaluate(() => "evil" in window)).toBe(false);
    await expect(card.getByRole("link")).toHaveAttribute("href", "https://balcao.example/aviso");
    await expectNoFindings(agent, { where: "the announcements" });
  });

  await test.step("the rest of a long text is read in place, and the image opens", async () => {
    await card.getByRole("button", { name: "Ler tudo" }).click();
    await expect(card.getByText("última linha")).toBeInViewport();
    const image = card.getByRole("img", { name: title });
    await expect(image).toHaveJSProperty("complete", true);
    expect(await image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(120);
    await card.getByRole("button", { name: `Abrir a imagem de ${title}` }).click();
    const viewer = agent.locator(".yarl__container");
    await expect(viewer).toBeVisible();
    await agent.keyboard.press("Escape");
    await expect(viewer).toHaveCount(0);
    await expect(list).toBeVisible();
  });

  await test.step("a deactivated one leaves the agent's list at once; the provider still has it", async () => {
    await provider.getByRole("button", { name: `Editar ${title}` }).click();
    await form.getByRole("switch", { name: "Ativo" }).uncheck({ force: true });
    await form.getByRole("button", { name: "Salvar" }).click();
    await expect(card).toHaveCount(0);
    const row = provider.getByRole("row").filter({ hasText: title });
    await expect(row).toContainText("Inativo");
    await expectNoFindingsInWindows(provider, { where: "the announcements of the provider" });
    await row.getByRole("button", { name: `Excluir ${title}` }).click();
    await form.getByRole("button", { name: "Excluir" }).click();
    await expect(row).toHaveCount(0);
  });

  await test.step("an agent who opens the provider's page is told and sent home", async () => {
    await agent.goto("/announcements");
    await expect(
      agent.getByText(
        "Esta empresa não possui permissão para acessar essa página! Estamos lhe redirecionando.",
      ),
    ).toBeVisible();
    await expect(agent).toHaveURL(/\/tickets/);
  });
});

test("a help video plays after a press, and nothing is asked of its host before", async ({
  product,
  signedIn,
  staff,
}) => {
  const mark = newMark();
  const title = `Primeiros passos ${mark}`;
  const provider = await signedIn(product.accounts.super);
  const form = provider.getByRole("dialog");
  await provider.goto("/settings?tab=helps");
  await provider.getByRole("button", { name: "Adicionar" }).first().click();
  await form.getByRole("textbox", { name: "Título" }).fill(title);
  await form
    .getByRole("textbox", { name: "Código do vídeo" })
    .fill(`https://www.youtube.com/watch?v=${VIDEO}&t=3`);
  await expectNoFindingsInWindows(provider, { where: "the dialog of a help video" });
  await form.getByRole("button", { name: "Salvar" }).click();
  await expect(provider.getByRole("row").filter({ hasText: title })).toContainText(VIDEO);

  const agent = await signedIn(staff.marina);
  const asked: { url: string; referer: string | undefined }[] = [];
  await agent.route(/youtube/, async (route) => {
    asked.push({ url: route.request().url(), referer: route.request().headers()["referer"] });
    await route.fulfill({ contentType: "text/html", body: "<title>player</title><p>player</p>" });
  });
  await agent.goto("/helps");
  const poster = agent.getByRole("button", { name: `Assistir: ${title}` });
  await expect(poster).toBeVisible();
  await expectNoFindingsInWindows(agent, { where: "the help videos" });
  expect(asked).toEqual([]);
  await poster.click();
  await expect(agent.frameLocator("iframe").getByText("player")).toBeVisible();
  expect(asked).toEqual([
    { url: `${PLAYER}embed/${VIDEO}?autoplay=1&rel=0`, referer: `${product.url}/` },
  ]);
});

test("the list of tasks stays in the browser, is ordered by the keyboard, and follows other tabs", async ({
  signedIn,
  staff,
}) => {
  const page = await signedIn(staff.caio);
  await page.goto("/todolist");
  const field = page.getByRole("textbox", { name: "Nova tarefa" });
  for (const text of ["Ligar para a Ana", "Conferir o estoque", "Enviar o orçamento"]) {
    await field.fill(text);
    await field.press("Enter");
  }
  const tasks = page.getByRole("list", { name: "Tarefas" }).getByRole("listitem");
  await expect(tasks).toHaveCount(3);
  await page.getByRole("checkbox", { name: "Feita: Conferir o estoque" }).check();
  const grip = page.getByRole("button", { name: "Mover a tarefa Enviar o orçamento" });
  await grip.focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowUp");
  await expect(grip).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Space");
  await expect(tasks.first()).toContainText("Enviar o orçamento");
  await tasks
    .first()
    .getByRole("button", { name: /^Mover/ })
    .dragTo(tasks.last());
  await expect(tasks.last()).toContainText("Enviar o orçamento");
  await expectNoFindingsInWindows(page, { where: "the tasks" });

  const other = await anotherWindow(page);
  await other.goto("/todolist");
  const othersTasks = other.getByRole("list", { name: "Tarefas" }).getByRole("listitem");
  await expect(othersTasks).toHaveCount(3);
  await other.getByRole("button", { name: "Excluir a tarefa Ligar para a Ana" }).click();
  await expect(tasks).toHaveCount(2);
  await other.getByRole("button", { name: /^Desfazer/ }).click();
  await expect(tasks).toHaveCount(3);

  await page.reload();
  await expect(tasks.first()).toContainText("Ligar para a Ana");
  await expect(page.getByRole("checkbox", { name: "Feita: Conferir o estoque" })).toBeChecked();
});
