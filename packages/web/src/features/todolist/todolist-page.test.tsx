import { act, cleanup, fireEvent, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderScreen } from "../../testing/render.tsx";
import { UndoPlace } from "../../ui/undo.tsx";
import { fakeServer } from "../../testing/fake-server.ts";
import { keyOf, moved, readTasks } from "./tasks.ts";
import { TodolistPage } from "./todolist-page.tsx";

const KEY = keyOf({ id: 7, companyId: 3 });

beforeEach(() => {
  localStorage.clear();
  fakeServer({});
  startSession(givenToken("t", 3_600), givenUser());
});
afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

function open(): void {
  renderScreen(
    <>
      <TodolistPage />
      <UndoPlace />
    </>,
  );
}

const stored = () => readTasks(localStorage.getItem(KEY));
const texts = () =>
  screen
    .queryAllByRole("checkbox")
    .map((box) => box.closest("li")?.querySelector("p")?.textContent);

async function add(...tasks: string[]): Promise<void> {
  for (const task of tasks) {
    await userEvent.type(screen.getByRole("textbox", { name: "Nova tarefa" }), `${task}{Enter}`);
  }
}

test("a task is added, changed and done, and is there again after a reload", async () => {
  open();
  await add("Ligar para a Ana", "   ");
  expect(texts()).toEqual(["Ligar para a Ana"]);
  expect(stored()).toMatchObject([{ text: "Ligar para a Ana", isDone: false }]);
  expect(stored()[0]?.createdAt).toBe(stored()[0]?.updatedAt);

  await userEvent.click(screen.getByRole("button", { name: "Editar a tarefa Ligar para a Ana" }));
  const field = screen.getByRole("textbox", { name: "Texto da tarefa" });
  expect(document.activeElement).toBe(field);
  await userEvent.clear(field);
  await userEvent.type(field, "Escrever para a Ana{Enter}");
  await userEvent.click(screen.getByRole("checkbox", { name: "Feita: Escrever para a Ana" }));
  expect(stored()).toMatchObject([{ text: "Escrever para a Ana", isDone: true }]);

  cleanup();
  open();
  expect(texts()).toEqual(["Escrever para a Ana"]);
  expect(screen.getByRole<HTMLInputElement>("checkbox").checked).toBe(true);
});

test("a blank text and Escape leave a task as it was", async () => {
  open();
  await add("Comprar etiquetas");
  const edit = "Editar a tarefa Comprar etiquetas";
  for (const keys of ["   {Enter}", "outra coisa{Escape}"]) {
    await userEvent.click(screen.getByRole("button", { name: edit }));
    const field = screen.getByRole("textbox", { name: "Texto da tarefa" });
    await userEvent.clear(field);
    await userEvent.type(field, keys);
    expect(texts()).toEqual(["Comprar etiquetas"]);
  }
});

test("tasks are moved by buttons, and by the keys of a lifted task; Escape puts it back", async () => {
  open();
  await add("Um", "Dois", "Três");
  await userEvent.click(screen.getByRole("button", { name: "Descer a tarefa Um" }));
  expect(texts()).toEqual(["Dois", "Um", "Três"]);
  const grip = () => screen.getByRole("button", { name: "Mover a tarefa Três" });
  grip().focus();
  await userEvent.keyboard(" ");
  expect(screen.getByRole("status").textContent).toBe("Três levantada, posição 3 de 3");
  await userEvent.keyboard("{ArrowUp}");
  await vi.waitFor(() => expect(document.activeElement).toBe(grip()));
  await userEvent.keyboard("{ArrowUp}");
  expect(texts()).toEqual(["Três", "Dois", "Um"]);
  await userEvent.keyboard("{Escape}");
  expect(texts()).toEqual(["Dois", "Um", "Três"]);
  grip().focus();
  await userEvent.keyboard(" {ArrowUp} ");
  expect(stored().map(({ text }) => text)).toEqual(["Dois", "Três", "Um"]);
});

test("a task is dragged to another place", async () => {
  open();
  await add("Um", "Dois", "Três");
  const rows = screen.getAllByRole("listitem");
  const dataTransfer = { setData: vi.fn(), setDragImage: vi.fn(), effectAllowed: "" };
  fireEvent.dragStart(screen.getByRole("button", { name: "Mover a tarefa Um" }), { dataTransfer });
  fireEvent.dragOver(rows[2] ?? document.body, { dataTransfer });
  expect(texts()).toEqual(["Dois", "Três", "Um"]);
  fireEvent.drop(rows[2] ?? document.body, { dataTransfer });
  expect(stored().map(({ text }) => text)).toEqual(["Dois", "Três", "Um"]);
});

test("a deleted task comes back to its place with undo", async () => {
  open();
  await add("Um", "Dois", "Três");
  await userEvent.click(screen.getByRole("button", { name: "Excluir a tarefa Dois" }));
  expect(texts()).toEqual(["Um", "Três"]);
  const bar = await screen.findByText(/Tarefa Dois excluída\./);
  const undo = within(bar.closest("[data-undo]") as HTMLElement).getByRole("button", {
    name: /Desfazer/,
  });
  await userEvent.click(undo);
  await vi.waitFor(() => expect(texts()).toEqual(["Um", "Dois", "Três"]));
});

test("another tab's change is shown; another user has another list", async () => {
  open();
  await add("Minha");
  const other = stored().map((task) => ({ ...task, text: "Da outra aba" }));
  localStorage.setItem(KEY, JSON.stringify(other));
  act(() => {
    window.dispatchEvent(new StorageEvent("storage", { key: KEY }));
  });
  expect(texts()).toEqual(["Da outra aba"]);
  cleanup();
  startSession(givenToken("t", 3_600), givenUser({ id: 8 }));
  open();
  expect(texts()).toEqual([]);
});

test("a browser without space says so and keeps the list as it was", async () => {
  open();
  await add("Um");
  const storage = localStorage;
  const full = {
    getItem: (key: string) => (key === KEY ? kept : null),
    setItem() {
      throw new DOMException("full", "QuotaExceededError");
    },
  };
  const kept = localStorage.getItem(KEY);
  vi.stubGlobal("localStorage", full);
  await add("Dois");
  expect(await screen.findByText("O navegador não tem espaço para guardar a lista.")).toBeTruthy();
  // Not `unstubAllGlobals`: that would take the fake server away too, below a screen that still reads.
  vi.stubGlobal("localStorage", storage);
  expect(texts()).toEqual(["Um"]);
});

test.each([
  [null, 0],
  ["nonsense", 0],
  ['{"a":1}', 0],
  ['[1, null, {"id":"a","text":"b"}]', 0],
  ['[{"id":"a","text":"b","isDone":false,"createdAt":"x","updatedAt":"x"}, 7]', 1],
])("of the stored %j only tasks are read", (text, count) => {
  expect(readTasks(text)).toHaveLength(count);
});

test("a task that another tab has deleted is not moved", () => {
  expect(moved([], "a", 0)).toEqual([]);
});
