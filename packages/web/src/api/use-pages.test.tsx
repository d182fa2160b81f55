import { useQueryClient } from "@tanstack/react-query";
import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { memo, useState } from "react";
import { expect, test } from "vitest";
import { NextPage } from "../ui/page/record-table.tsx";
import { renderScreen } from "../testing/render.tsx";
import type { Page } from "./use-pages.ts";
import { usePages } from "./use-pages.ts";

type Row = { id: number };

test("a list that was drawn while it was read again reads on afterwards, though nothing has changed", async () => {
  const asked: { page: string; answer: (page: Page<Row>) => void }[] = [];
  const answer = (id: number) =>
    act(async () => asked.at(-1)?.answer({ rows: [{ id }], count: 2, hasMore: id === 1 }));

  /** Wants the next page once it is pressed, as one that comes into view; nothing else draws it anew. */
  const End = memo(function End({ pages }: { pages: ReturnType<typeof usePages<Row>> }): ReactNode {
    const [isInView, setInView] = useState(false);
    return (
      <>
        <button type="button" onClick={() => setInView(true)}>
          scroll
        </button>
        {isInView ? <NextPage pages={pages} readsOn /> : null}
      </>
    );
  });
  function List(): ReactNode {
    const client = useQueryClient();
    const [draws, setDraws] = useState(0);
    const read = (page: string): Promise<Page<Row>> =>
      new Promise((resolve) => asked.push({ page, answer: resolve }));
    const pages = usePages(["rows"], read, ({ id }) => id);
    return (
      <>
        <button type="button" onClick={() => void client.invalidateQueries()}>
          read again
        </button>
        <button type="button" onClick={() => setDraws(draws + 1)}>
          draw
        </button>
        <output>{pages.rows?.map(({ id }) => id).join()}</output>
        <End pages={pages} />
      </>
    );
  }
  renderScreen(<List />);
  const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));

  await answer(1);
  await expect.poll(() => screen.getByRole("status").textContent).toBe("1");
  await press("read again");
  await press("draw");
  await answer(1);
  await press("scroll");
  await expect.poll(() => asked.at(-1)?.page).toBe("2");
  await answer(2);
  await expect.poll(() => screen.getByRole("status").textContent).toBe("1,2");
});
