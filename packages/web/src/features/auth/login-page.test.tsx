import { statSync } from "node:fs";
import { join } from "node:path";
import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, describe, expect, test } from "vitest";
import { currentSession, endSession, startSession } from "../../api/session-store.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenUser } from "../../testing/given.ts";
import { renderScreen } from "../../testing/render.tsx";
import { LoginPage } from "./login-page.tsx";

afterEach(() => {
  endSession("logout");
});

const email = (): HTMLElement => screen.getByLabelText("E-mail");
const password = (): HTMLElement => screen.getByLabelText("Senha");
const submit = (): HTMLElement => screen.getByRole("button", { name: "Entrar" });

async function signInWith(address: string, secret: string): Promise<void> {
  await userEvent.type(email(), address);
  await userEvent.type(password(), secret);
  await userEvent.click(submit());
}

test("the right password starts the session with the address trimmed", async () => {
  const { requests } = fakeServer({
    "POST /api/auth/login": () => ({ body: { token: "t1", user: givenUser() } }),
  });
  renderScreen(<LoginPage />);
  await signInWith(" marina@aurora.com.br ", "segredo");
  await waitFor(() => expect(currentSession()?.token).toBe("t1"));
  expect(requests.map(({ body }) => body)).toEqual([
    { email: "marina@aurora.com.br", password: "segredo" },
  ]);
  expect(await screen.findByText("Login efetuado com sucesso!")).toBeTruthy();
});

describe("a form that is not complete", () => {
  test("is not sent, says what is missing, and has the focus on the first wrong field", async () => {
    const { requests } = fakeServer({});
    renderScreen(<LoginPage />);
    await userEvent.type(password(), "segredo");
    await userEvent.click(submit());
    expect(await screen.findByText("Informe o e-mail")).toBeTruthy();
    expect(document.activeElement).toBe(email());
    expect(email().getAttribute("aria-invalid")).toBe("true");
    expect(requests).toEqual([]);
  });

  test("with both fields empty names both and focuses the first", async () => {
    renderScreen(<LoginPage />);
    await userEvent.click(submit());
    expect(await screen.findByText("Informe a senha")).toBeTruthy();
    expect(document.activeElement).toBe(email());
  });

  test("is validated on submit, and then on every change", async () => {
    renderScreen(<LoginPage />);
    await userEvent.type(email(), "marina@");
    await userEvent.tab();
    expect(screen.queryByText("E-mail inválido")).toBeNull();
    await userEvent.click(submit());
    expect(await screen.findByText("E-mail inválido")).toBeTruthy();
    await userEvent.type(email(), "aurora.com.br");
    await waitFor(() => expect(screen.queryByText("E-mail inválido")).toBeNull());
  });
});

describe("a refused sign-in", () => {
  test("for a wrong password shows the error, empties the password and focuses it", async () => {
    fakeServer({
      "POST /api/auth/login": () => ({
        status: 401,
        body: { error: "ERR_INVALID_CREDENTIALS", code: "ERR_INVALID_CREDENTIALS" },
      }),
    });
    renderScreen(<LoginPage />);
    await signInWith("marina@aurora.com.br", "errada");
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toBe("E-mail ou senha incorretos.");
    await waitFor(() => expect(document.activeElement).toBe(password()));
    expect(screen.getByDisplayValue("marina@aurora.com.br")).toBe(email());
    expect(screen.queryByDisplayValue("errada")).toBeNull();
    expect(currentSession()).toBeNull();
  });

  test("for an expired company shows the text of the specification", async () => {
    const sentence =
      "Opss! Sua assinatura venceu 10/11/2026. Entre em contato com o Suporte para mais informações!";
    fakeServer({
      "POST /api/auth/login": () => ({
        status: 400,
        body: {
          error: sentence,
          code: "ERR_SUBSCRIPTION_EXPIRED",
          data: { date: "10/11/2026" },
        },
      }),
    });
    renderScreen(<LoginPage />);
    await signInWith("marina@aurora.com.br", "segredo");
    expect((await screen.findByRole("alert")).textContent).toBe(sentence);
  });

  test("without a network shows the error and keeps the input", async () => {
    fakeServer({ "POST /api/auth/login": () => "unreachable" });
    renderScreen(<LoginPage />);
    await signInWith("marina@aurora.com.br", "segredo");
    expect((await screen.findByRole("alert")).textContent).toMatch(/^Sem resposta do servidor/);
    expect(screen.getByDisplayValue("segredo")).toBe(password());
  });
});

test("the button is busy until the reply and sends once", async () => {
  const { requests } = fakeServer({ "POST /api/auth/login": () => "never" });
  renderScreen(<LoginPage />);
  await signInWith("marina@aurora.com.br", "segredo");
  await waitFor(() => expect(submit().hasAttribute("data-loading")).toBe(true));
  await userEvent.click(submit());
  expect(requests).toHaveLength(1);
});

test("the password can be shown and hidden again", async () => {
  renderScreen(<LoginPage />);
  expect(password().getAttribute("type")).toBe("password");
  await userEvent.click(screen.getByRole("button", { name: "Mostrar senha" }));
  expect(password().getAttribute("type")).toBe("text");
  await userEvent.click(screen.getByRole("button", { name: "Esconder senha" }));
  expect(password().getAttribute("type")).toBe("password");
});

test("a session that ended by a sign-in elsewhere is explained", () => {
  startSession("t", givenUser());
  endSession("elsewhere");
  renderScreen(<LoginPage />);
  expect(screen.getByText("Sua conta foi acessada em outro computador.")).toBeTruthy();
});

test("the first visit shows no explanation", () => {
  renderScreen(<LoginPage />);
  expect(screen.queryByText(/outro computador|sessão terminou/)).toBeNull();
});

test.each(["light", "dark"])("the %s picture of the product has less than 90 kB", (theme) => {
  const { size } = statSync(join(import.meta.dirname, `product-${theme}.webp`));
  expect(size).toBeGreaterThan(10_000);
  expect(size).toBeLessThan(90_000);
});
