import { expectNoFindings, expectNoFindingsInWindows } from "../support/axe.ts";
import { expect, signIn, test } from "../support/journey.ts";
import { newMark } from "../support/mark.ts";

// The calls of a suspended company's open page, and its sign-in.
test.use({ expectedErrors: /status of 40[01]/ });

test("the provider makes a plan and a company, whose admin works, is suspended, and comes back", async ({
  product,
  signedIn,
  browserOf,
}) => {
  const mark = newMark();
  const [plan, company] = [`Plano ${mark}`, `Pet Shop ${mark}`];
  const owner = { email: `dona-${mark}@petshop.example`, password: "girafa-lilás-27" };
  const provider = await signedIn(product.accounts.super);
  const form = provider.getByRole("dialog");
  const row = provider.getByRole("row").filter({ hasText: company });

  await test.step("a plan is written as money is written", async () => {
    await provider.goto("/settings?tab=plans");
    await provider.getByRole("button", { name: "Novo plano" }).click();
    await form.getByRole("textbox", { name: "Nome" }).fill(plan);
    await form.getByLabel("Usuários").fill("2");
    await form.getByLabel("Conexões").fill("1");
    await form.getByLabel("Filas").fill("3");
    await form.getByLabel("Valor").fill("1.199,90");
    await expectNoFindings(provider, { where: "the dialog of a plan" });
    await form.getByRole("button", { name: "Salvar" }).click();
    await expect(provider.getByRole("row").filter({ hasText: plan })).toContainText("1.199,90");
  });

  await test.step("a company gets the plan, a due date and its first admin", async () => {
    await provider.getByRole("tab", { name: "Empresas" }).click();
    await provider.getByRole("button", { name: "Nova empresa" }).click();
    await form.getByRole("textbox", { name: "Nome" }).fill(company);
    await form.getByRole("textbox", { name: "E-mail" }).fill(owner.email);
    await form.getByText("Definir senha", { exact: true }).click();
    await form.getByLabel("Senha do administrador").fill(owner.password);
    await form.getByLabel("Plano").selectOption({ label: `${plan}, R$ 1.199,90` });
    await form.getByRole("button", { name: "Vencimento" }).click();
    await expectNoFindings(provider, { where: "the form of a company" });
    await form.getByRole("button", { name: "Salvar" }).click();
    await expect(row).toContainText(plan);
    await expect(row).toContainText(/em \d+ dias/);
    await expectNoFindingsInWindows(provider, { where: "the companies" });
  });

  await test.step("its admin signs in, and is out at once when it is suspended", async () => {
    const admin = await browserOf();
    await admin.goto("/login");
    await signIn(admin, owner);
    await expect(admin.getByText(company).first()).toBeVisible();
    await row.getByRole("button", { name: `Ações de ${company}` }).click();
    await provider.getByRole("menuitem", { name: "Suspender" }).click();
    await form.getByLabel("Motivo").fill("Três faturas vencidas");
    await form.getByRole("button", { name: "Suspender" }).click();
    await expect(row).toContainText("Suspensa");
    await expect(admin).toHaveURL(/\/login/);
    await signIn(admin, owner);
    await expect(admin.getByText(/Esta empresa está desativada/)).toBeVisible();

    await row.getByRole("button", { name: `Ações de ${company}` }).click();
    await provider.getByRole("menuitem", { name: "Reativar" }).click();
    await expect(row).not.toContainText("Suspensa");
    await signIn(admin, owner);
    await expect(admin.getByText(company).first()).toBeVisible();
  });

  await test.step("another company comes from a spreadsheet, and is deleted by typing its name", async () => {
    const [bakery, wrong] = [`Padaria ${mark}`, `Oficina ${mark}`];
    const lines = [
      "Nome;E-mail;Telefone;Plano;Vencimento",
      `${bakery};padaria-${mark}@loja.example;(48) 99812-4471;${plan};31/12/2099`,
      `${wrong};sem e-mail;;${plan};`,
    ];
    await provider.getByRole("button", { name: "Planilha" }).click();
    await form.locator("input[type=file]").setInputFiles({
      name: "empresas.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(lines.join("\n")),
    });
    await expect(form.getByRole("row").filter({ hasText: wrong })).toContainText("inválido");
    await expectNoFindings(provider, { where: "the rows of a spreadsheet of companies" });
    await form.getByRole("button", { name: "Criar 1 empresa" }).click();
    await expect(form.getByText("1 empresa criada.")).toBeVisible();
    const file = provider.waitForEvent("download");
    await form.getByRole("button", { name: "Baixar recusadas" }).click();
    expect((await file).suggestedFilename()).toBe("empresas recusadas.xlsx");
    await form.getByRole("button", { name: "Fechar", exact: true }).last().click();

    const made = provider.getByRole("row").filter({ hasText: bakery });
    await expect(made).toContainText(plan);
    await made.getByRole("button", { name: `Ações de ${bakery}` }).click();
    await provider.getByRole("menuitem", { name: "Excluir" }).click();
    await form.getByLabel(`Digite ${bakery} para confirmar`).fill(bakery);
    await form.getByRole("button", { name: "Excluir" }).click();
    await expect(provider.getByText(`${bakery} foi excluída`)).toBeVisible();
    await expect(made).toHaveCount(0);
  });

  await test.step("the provider enters it as its admin; the company reads why", async () => {
    await row.getByRole("button", { name: `Entrar em ${company} como administrador` }).click();
    await form.getByRole("textbox", { name: "Motivo" }).fill("Pedido por telefone");
    await expectNoFindings(provider, { where: "the question before a visit" });
    await form.getByRole("button", { name: "Entrar" }).click();
    await expect(provider.getByText(`Você está em ${company} como suporte.`)).toBeVisible();
    await expect(provider).toHaveURL("/tickets");
    await expect(provider.getByRole("link", { name: "Usuários" })).toHaveCount(0);
    await provider.goto("/settings");
    await expect(provider.getByText("Pedido por telefone")).toBeVisible();
    await expectNoFindings(provider, { where: "the settings during a visit" });
    await provider.getByRole("button", { name: "Sair da empresa" }).click();
    await expect(provider.getByText("Olá, Administrador")).toBeVisible();
    await provider.goto("/settings?tab=companies");
  });

  await test.step("a plan that a company has cannot be deleted", async () => {
    const read = provider.waitForResponse(/\/api\/plans\?/);
    await provider.getByRole("tab", { name: "Planos" }).click();
    await read;
    await provider.getByRole("button", { name: `Excluir ${plan}` }).click();
    await expect(provider.getByText(/1 empresa usa o plano/)).toBeVisible();
  });

  await test.step("the installation is in order; its backups can be configured, and who uses what is shown", async () => {
    await provider.goto("/operation");
    await expect(provider.getByRole("heading", { name: "Operação" })).toBeVisible();
    await expect(provider.getByText(/Atualizado às/)).toBeVisible();
    await expectNoFindingsInWindows(provider, { where: "what goes on now" });
    await provider.getByRole("tab", { name: "Uso" }).click();
    await expect(provider.getByRole("columnheader", { name: "Banco" })).toBeVisible();
    await expectNoFindingsInWindows(provider, { where: "the use of companies" });
    await provider.getByRole("tab", { name: "Cópias" }).click();
    await expect(provider.getByText(/BALCAO_BACKUP_TO/)).toBeVisible();
    await expectNoFindingsInWindows(provider, { where: "the backups" });
  });
});

test("a company signs up for a plan, and its admin signs in", async ({
  product,
  browserOf,
  signedIn,
}) => {
  const mark = newMark();
  const [plan, company] = [`Plano aberto ${mark}`, `Ateliê ${mark}`];
  const owner = { email: `camila-${mark}@atelie.example`, password: "girafa-lilás-27" };
  const visitor = await browserOf();

  await test.step("the provider offers a plan", async () => {
    const provider = await signedIn(product.accounts.super);
    const form = provider.getByRole("dialog");
    await provider.goto("/settings?tab=plans");
    await provider.getByRole("button", { name: "Novo plano" }).click();
    await form.getByRole("textbox", { name: "Nome" }).fill(plan);
    await form.getByLabel("Usuários").fill("3");
    await form.getByLabel("Conexões").fill("1");
    await form.getByLabel("Filas").fill("3");
    await form.getByLabel("Valor").fill("199,90");
    await form.getByRole("button", { name: "Salvar" }).click();
    await expect(provider.getByRole("row").filter({ hasText: plan })).toContainText("No cadastro");
  });

  await test.step("the sign-in page leads to the sign-up", async () => {
    await visitor.goto("/login");
    await visitor.getByRole("link", { name: "Criar conta grátis" }).click();
    await expect(visitor).toHaveURL("/signup");
    await expectNoFindingsInWindows(visitor, { where: "the sign-up" });
  });

  await test.step("the form is filled in by keyboard, and the price changes with the plan", async () => {
    await visitor.getByLabel("Nome da empresa").fill(company);
    await visitor.getByLabel("E-mail").fill(owner.email);
    await visitor.getByLabel("Telefone com DDD").pressSequentially("11984562210");
    await expect(visitor.getByLabel("Telefone com DDD")).toHaveValue("(11) 98456-2210");
    await visitor.getByLabel("Senha", { exact: true }).fill(owner.password);
    await visitor.getByRole("radio", { name: plan }).check();
    await expect(visitor.getByRole("form")).toContainText(
      /Hoje\s*R\$\s*0,00.*R\$\s*199,90 por mês/,
    );
    await visitor.keyboard.press("Enter");
  });

  await test.step("its admin signs in and lands in the product, with everything of the plan", async () => {
    await expect(visitor).toHaveURL("/login");
    await expect(visitor.getByText("Conta criada. Entre com sua senha.")).toBeVisible();
    await expect(visitor.getByRole("textbox", { name: "E-mail" })).toHaveValue(owner.email);
    await signIn(visitor, owner);
    await expect(visitor.getByText(company).first()).toBeVisible();
    await expect(visitor).not.toHaveURL(/\/login/);
  });
});
