import { contact } from "@balcao/contract";
import { cleanup, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import type { SeenRequest } from "../../testing/fake-server.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderScreen } from "../../testing/render.tsx";
import { ContactForm } from "./contact-form.tsx";

const known = {
  ...contact.parse({
    ...{ id: 1, name: "Bia Rocha", number: "5511984562210", email: "", profilePicUrl: "" },
    ...{
      isGroup: false,
      active: true,
      disableBot: false,
      companyId: 3,
      whatsappId: null,
      optOut: null,
    },
    ...{ createdAt: "2026-11-20T13:00:00.000Z", updatedAt: "2026-11-20T13:00:00.000Z" },
  }),
  extraInfo: [
    { id: 5, name: "CPF", value: "123" },
    { id: 6, name: "Cidade", value: "Recife" },
  ],
};

let requests: SeenRequest[];
const onDone = vi.fn();

beforeEach(() => {
  startSession(givenToken("t", 3_600), givenUser());
  ({ requests } = fakeServer({ "PUT /api/contacts/1": () => ({ body: known }) }));
  onDone.mockReset();
  renderScreen(<ContactForm contact={known as never} onDone={onDone} />);
});

afterEach(() => {
  cleanup();
  endSession("logout");
});

const save = () => userEvent.click(screen.getByRole("button", { name: "Salvar" }));

async function fill(label: string, words: string): Promise<HTMLInputElement> {
  const field = screen.getByLabelText<HTMLInputElement>(label);
  await userEvent.clear(field);
  if (words !== "") await userEvent.type(field, words);
  return field;
}

test.each([
  ["Nome", "", "Use de 2 a 50 caracteres"],
  ["Nome", "  B ", "Use de 2 a 50 caracteres"],
  ["Número", "1198765", /8/],
  ["E-mail", "bia", /e-mail/i],
  ["E-mail", "bia@exemplo", /e-mail/i],
])("%s %j is refused at its field", async (label, words, refusal) => {
  const field = await fill(label, words);
  await save();
  await waitFor(() => expect(field.getAttribute("aria-invalid")).toBe("true"));
  const [message] = (field.getAttribute("aria-describedby") ?? "").split(" ").slice(-1);
  expect(document.getElementById(message ?? "")?.textContent).toMatch(refusal);
  expect(requests).toEqual([]);
});

test("a name and a number have at most 50 characters", async () => {
  expect((await fill("Nome", "a".repeat(52))).value).toHaveLength(50);
  expect((await fill("Número", "1".repeat(52))).value).toHaveLength(50);
});

test("number and e-mail may be empty, and a row of extra information can be removed", async () => {
  await fill("Número", "");
  await fill("E-mail", "");
  await userEvent.click(screen.getByRole("button", { name: "Remover a informação 1" }));
  await save();
  await waitFor(() => expect(onDone).toHaveBeenCalledOnce());
  expect(requests.map(({ body }) => body)).toEqual([
    {
      ...{ name: "Bia Rocha", number: "", email: "" },
      extraInfo: [{ id: 6, name: "Cidade", value: "Recife" }],
      ifUpdatedAt: known.updatedAt,
    },
  ]);
});
