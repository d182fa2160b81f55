import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Brand } from "@balcao/contract";
import { brand as brandSchema } from "@balcao/contract";
import {
  brandShades,
  colorSchemes,
  neutralShades,
  PRODUCT_COLOR,
  productShades,
} from "@balcao/contract/brand-choices";
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Suspense } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { Router } from "../../router/index.tsx";
import { fakeServer } from "../../testing/fake-server.ts";
import { fakeUploads } from "../../testing/fake-uploads.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { memorySteps } from "../../testing/memory-steps.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { BrandsPanel } from "./index.ts";

const AT = "2026-11-19T12:00:00.000Z";

const given = (id: number, fields: Partial<Brand> = {}): Brand =>
  brandSchema.parse({
    ...{ id, host: `marca${id}.example`, name: `Marca ${id}`, owner: "", color: null },
    images: { logo: null, logoDark: null, picture: null, favicon: null },
    ...{ createdAt: AT, updatedAt: AT, ...fields },
  });

const refused = (code: string) => ({ status: 400, body: { error: code, code } });

function open(brands: Brand[], more: Parameters<typeof fakeServer>[0] = {}) {
  const { requests } = fakeServer({
    "GET /api/brands": () => ({ body: { brands } }),
    "POST /api/brands": () => ({ body: given(9) }),
    "PUT /api/brands/2": () => ({ body: given(2) }),
    ...more,
  });
  renderOnCache(
    <Router steps={memorySteps("/settings?tab=brands")}>
      <Suspense fallback={null}>
        <BrandsPanel />
      </Suspense>
    </Router>,
  );
  const sent = (call: string): unknown[] =>
    requests.filter((one) => one.call === call).map(({ body }) => body);
  return { requests, sent };
}

const dialog = async (name: string) => within(await screen.findByRole("dialog", { name }));
const press = (name: string) =>
  screen.findByRole("button", { name }).then((button) => userEvent.click(button));

beforeEach(() => {
  startSession(givenToken("t", 3_600), givenUser({ super: true }));
  let made = 0;
  vi.spyOn(URL, "createObjectURL").mockImplementation(() => `blob:${(made += 1)}`);
  vi.spyOn(URL, "revokeObjectURL").mockImplementation(() => undefined);
});
afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

test("the list begins with the default brand, also before it was ever changed", async () => {
  open([given(2, { owner: "Conecta Sul", color: "#7a1fa2" })]);
  const [, standard, second] = await screen.findAllByRole("row");
  expect(standard?.textContent).toMatch(/Balcão.*Todos os outros endereços.*#0d6b59/);
  expect(second?.textContent).toMatch(/Marca 2.*marca2\.example.*Conecta Sul.*#7a1fa2/);
  expect(within(standard!).queryByRole("button", { name: /padrão do sistema/ })).toBeNull();
});

test("the default brand is made with its first change, and has no host", async () => {
  const { sent } = open([]);
  await press("Editar Marca padrão");
  const form = await dialog("Marca padrão");
  expect(form.queryByLabelText("Endereço")).toBeNull();
  await userEvent.clear(form.getByLabelText("Nome"));
  await userEvent.type(form.getByLabelText("Nome"), "Conecta");
  await userEvent.type(form.getByLabelText("Empresa responsável"), "Conecta Sul");
  expect(form.getAllByText("Oferecido por Conecta Sul")).toHaveLength(2);
  await userEvent.click(form.getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(sent("POST /api/brands")).toEqual([
    { host: "", name: "Conecta", owner: "Conecta Sul", color: null },
  ]);
});

test("a brand for a host sends the bare host; refusals stand at their field", async () => {
  const refusals = ["ERR_BRAND_HOST_TAKEN", "ERR_BRAND_HOST_INVALID"];
  const { sent } = open([], {
    "POST /api/brands": () => {
      const code = refusals.shift();
      return code === undefined ? { body: given(9) } : refused(code);
    },
  });
  await press("Marca para um endereço");
  const form = await dialog("Nova marca");
  const save = () => userEvent.click(form.getByRole("button", { name: "Salvar" }));
  await save();
  expect(await form.findByText("Informe o endereço")).toBeTruthy();
  expect(form.getByText("Informe o nome")).toBeTruthy();
  await userEvent.type(form.getByLabelText("Endereço"), "https://chat.conecta.example:8443/login");
  await userEvent.type(form.getByLabelText("Nome"), "Conecta");
  await save();
  expect(await form.findByText("Já existe uma marca para este endereço")).toBeTruthy();
  expect(document.activeElement).toBe(form.getByLabelText("Endereço"));
  await save();
  expect(await form.findByText(/^Use só o nome do endereço/)).toBeTruthy();
  await save();
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(sent("POST /api/brands").at(-1)).toMatchObject({ host: "chat.conecta.example" });
});

test("the preview shows both themes in the shades of the colour, and says when a light one becomes darker", async () => {
  open([given(2)]);
  await press("Editar marca2.example");
  const form = await dialog("Marca de marca2.example");
  const color = form.getByLabelText("Cor");
  const accents = () =>
    ["Tema claro", "Tema escuro"].map((name) =>
      form.getByRole("img", { name }).style.getPropertyValue("--bc-acc"),
    );
  expect(accents()).toEqual([productShades.light.acc, productShades.dark.acc]);
  fireEvent.change(color, { target: { value: "#1d4ed8" } });
  expect(accents()).toEqual(["#1d4ed8", brandShades("#1d4ed8").dark.acc]);
  expect(form.queryByText(/para que o texto se leia/)).toBeNull();
  fireEvent.change(color, { target: { value: "#ffd400" } });
  const { light, dark } = brandShades("#ffd400");
  expect(accents()).toEqual([light.acc, dark.acc]);
  expect(form.getByText(/para que o texto se leia/).textContent).toContain(
    `No tema claro ela vira ${light.acc},`,
  );
  fireEvent.change(color, { target: { value: "verde" } });
  expect(accents()).toEqual([productShades.light.acc, productShades.dark.acc]);
});

test("images are shown before they are saved, checked at once, sent after the brand, and removed", async () => {
  const { uploads } = fakeUploads();
  const images = { ...given(2).images, picture: "/public/brand/ab.png" };
  const { requests } = open([given(2, { images })], {
    "DELETE /api/brands/2/images/picture": () => ({ body: given(2) }),
  });
  await press("Editar marca2.example");
  const form = await dialog("Marca de marca2.example");
  const choose = (name: string, file: File): void => {
    const input = form.getAllByLabelText(name).find((one) => one instanceof HTMLInputElement);
    fireEvent.change(input!, { target: { files: [file] } });
  };
  choose("Escolher: Logotipo", new File(["<svg/>"], "a.svg", { type: "image/svg+xml" }));
  expect(form.getByText("Use uma imagem PNG, JPEG ou WebP.")).toBeTruthy();
  const large = new File([new Uint8Array(65_537)], "a.png", { type: "image/png" });
  choose("Escolher: Ícone da aba", large);
  expect(form.getByText("A imagem passa de 64 kB.")).toBeTruthy();
  const logo = new File(["logo"], "logo.png", { type: "image/png" });
  choose("Escolher: Logotipo", logo);
  expect(form.queryByText("Use uma imagem PNG, JPEG ou WebP.")).toBeNull();
  expect(form.getByAltText("Logotipo").getAttribute("src")).toBe("blob:1");
  await userEvent.click(form.getByRole("button", { name: "Remover: Imagem da entrada" }));
  expect(form.queryByAltText("Imagem da entrada")).toBeNull();
  await userEvent.click(form.getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(uploads).toHaveLength(1));
  expect(uploads[0]?.call).toBe("POST /api/brands/2/images/logo");
  expect(uploads[0]?.file().name).toBe("logo.png");
  uploads[0]?.answer(200, given(2));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  const calls = requests.map(({ call }) => call).filter((call) => !call.startsWith("GET"));
  expect(calls).toEqual(["PUT /api/brands/2", "DELETE /api/brands/2/images/picture"]);
});

test("a brand of a host is deleted, and the default one is made the product's own again, after a question", async () => {
  const { requests } = open([given(1, { host: "" }), given(2)], {
    "DELETE /api/brands/1": () => ({ body: undefined }),
    "DELETE /api/brands/2": () => ({ body: undefined }),
  });
  await press("Voltar ao padrão do sistema");
  const reset = await dialog("Voltar ao nome e à cor do sistema?");
  await userEvent.click(reset.getByRole("button", { name: "Voltar ao padrão" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await press("Excluir marca2.example");
  const deletion = await dialog("Excluir a marca de marca2.example?");
  await userEvent.click(deletion.getByRole("button", { name: "Excluir" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  const calls = requests.map(({ call }) => call).filter((call) => call.startsWith("DELETE"));
  expect(calls).toEqual(["DELETE /api/brands/1", "DELETE /api/brands/2"]);
});

test("the colours that shades are derived from are those of tokens.css", () => {
  const tokens = readFileSync(resolve(import.meta.dirname, "../../ui/styles/tokens.css"), "utf8");
  for (const scheme of colorSchemes) {
    const [, block = ""] =
      new RegExp(`\\[data-mantine-color-scheme="${scheme}"\\] \\{([^}]*)\\}`).exec(tokens) ?? [];
    const { grounds, texts } = neutralShades[scheme];
    for (const [role, hex] of Object.entries({ ...productShades[scheme], ...grounds, ...texts })) {
      expect([role, block.includes(`--bc-${role}: ${hex};`)]).toEqual([role, true]);
    }
  }
  expect(productShades.light.acc).toBe(PRODUCT_COLOR);
});
