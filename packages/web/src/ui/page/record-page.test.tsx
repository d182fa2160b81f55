import { act, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { renderRoutes } from "../../testing/render.tsx";
import { useListAddress } from "./record-page.tsx";

function List(): ReactNode {
  const { words, sort, filter, change, openForm } = useListAddress({ tab: "all" });
  const changeAll = (): void => {
    change({ words: "ana" });
    change({ sort: { by: "name", descending: true } });
    change({ filter: "new" });
    openForm(12);
  };
  return (
    <button type="button" onClick={changeAll}>
      {[words, sort?.by, filter].join(" ")}
    </button>
  );
}

test("changes of a list's address that come before the one before is drawn are all kept", () => {
  const { address } = renderRoutes([{ path: "/list", element: <List /> }], "/list?tab=all");
  const button = screen.getByRole("button");
  act(() => button.click());
  expect(address()).toBe("/list?tab=all&search=ana&sort=-name&filter=new&edit=12");
  expect(button.textContent).toBe("ana name new");
});
