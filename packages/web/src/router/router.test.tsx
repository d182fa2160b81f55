import { act, fireEvent, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { lazy, Suspense } from "react";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { PageRoute } from "./index.tsx";
import {
  browserSteps,
  Link,
  Navigate,
  NavLink,
  Outlet,
  Router,
  Routes,
  useIsOnTheWay,
  useLocation,
  useNavigate,
  useParams,
  useSearchParams,
} from "./index.tsx";

const onPage = (name: string) => screen.findByText(name);

beforeEach(() => history.replaceState(null, "", "/"));
afterEach(() => history.replaceState(null, "", "/"));

/** Renders routes with the browser's own history. */
function open(routes: readonly PageRoute[], at = "/"): void {
  history.replaceState(null, "", at);
  render(
    <Router steps={browserSteps()}>
      <Routes routes={routes} />
    </Router>,
  );
}

function Frame(): ReactNode {
  return (
    <main aria-busy={useIsOnTheWay()}>
      <NavLink to="/tags">tags</NavLink>
      <NavLink to="/tickets">tickets</NavLink>
      <Outlet />
    </main>
  );
}

function Ticket(): ReactNode {
  const [search, setSearch] = useSearchParams();
  const { state, key } = useLocation();
  const navigate = useNavigate();
  return (
    <>
      <p>{`ticket ${useParams()["uuid"] ?? "none"}, message ${search.get("message") ?? "none"}`}</p>
      <p data-testid="key">{key}</p>
      <p>{`told ${JSON.stringify(state)}`}</p>
      <Link to="?message=4">at a message</Link>
      <button onClick={() => setSearch({}, { replace: true })}>anywhere</button>
      <button onClick={() => navigate("/tickets/b", { state: { from: "a" } })}>next</button>
    </>
  );
}

const routes: readonly PageRoute[] = [
  {
    element: <Frame />,
    children: [
      { path: "/", element: <Navigate to="/tags" replace /> },
      { path: "tags", element: <p>all tags</p> },
      { path: "tickets/:uuid?", element: <Ticket /> },
    ],
  },
  { path: "*", element: <p>no page</p> },
];

describe("an address", () => {
  test.each([
    ["/tags", "all tags"],
    ["/tags/", "all tags"],
    ["/Tags", "all tags"],
    ["/tags/more", "no page"],
    ["/tickets", "ticket none, message none"],
    ["/tickets/a%20b?message=7", "ticket a b, message 7"],
    ["/tickets/%E0%A4%A", "ticket %E0%A4%A, message none"],
    ["/nowhere", "no page"],
  ])("%s shows %s", async (at, text) => {
    open(routes, at);
    expect(await onPage(text)).toBeTruthy();
  });

  test("redirects without a history entry", async () => {
    const steps = history.length;
    open(routes, "/");
    expect(await onPage("all tags")).toBeTruthy();
    expect(location.pathname).toBe("/tags");
    expect(history.length).toBe(steps);
  });
});

describe("a link", () => {
  test("navigates without loading the page and is marked as current", async () => {
    open(routes, "/tags");
    expect(screen.getByText("tags").getAttribute("aria-current")).toBe("page");
    fireEvent.click(screen.getByText("tickets"));
    await onPage("ticket none, message none");
    expect(screen.getByText("tags").getAttribute("aria-current")).toBeNull();
    expect(screen.getByText("tickets").getAttribute("aria-current")).toBe("page");
  });

  test.each([{ ctrlKey: true }, { metaKey: true }, { shiftKey: true }, { button: 1 }])(
    "is the browser's with %o",
    (how) => {
      open(routes, "/tags");
      const isLeftToBrowser = fireEvent.click(screen.getByText("tickets"), how);
      expect(isLeftToBrowser).toBe(true);
    },
  );

  test("to another search stays on the page, which can remove the search", async () => {
    open(routes, "/tickets/a");
    fireEvent.click(screen.getByText("at a message"));
    await onPage("ticket a, message 4");
    fireEvent.click(screen.getByText("anywhere"));
    await onPage("ticket a, message none");
    expect(location.href.endsWith("/tickets/a")).toBe(true);
  });

  test("to the current address makes a step with a new key and no history entry", async () => {
    open(routes, "/tickets");
    const steps = history.length;
    const before = screen.getByTestId("key").textContent;
    fireEvent.click(screen.getByText("tickets"));
    expect(screen.getByTestId("key").textContent).not.toBe(before);
    expect(history.length).toBe(steps);
  });
});

test("state is passed along with the address and is restored by Back", async () => {
  open(routes, "/tickets/a");
  fireEvent.click(screen.getByText("next"));
  await onPage("ticket b, message none");
  await onPage('told {"from":"a"}');
  const told: unknown = history.state;
  act(() => {
    history.replaceState(null, "", "/tickets/a");
    dispatchEvent(new PopStateEvent("popstate"));
  });
  await onPage("told null");
  act(() => {
    history.replaceState(told, "", "/tickets/b");
    dispatchEvent(new PopStateEvent("popstate"));
  });
  await onPage('told {"from":"a"}');
});

test("the previous page stays visible and busy while the code of the next one loads", async () => {
  let come: (page: { default: () => ReactNode }) => void = () => undefined;
  const Late = lazy(
    () => new Promise<{ default: () => ReactNode }>((resolve) => void (come = resolve)),
  );
  const withLate: readonly PageRoute[] = [
    {
      element: (
        <Suspense fallback="nothing yet">
          <Frame />
        </Suspense>
      ),
      children: [
        { path: "tags", element: <p>all tags</p> },
        { path: "tickets", element: <Late /> },
      ],
    },
  ];
  open(withLate, "/tags");
  fireEvent.click(screen.getByText("tickets"));
  expect(screen.getByText("all tags")).toBeTruthy();
  expect(screen.getByRole("main").getAttribute("aria-busy")).toBe("true");
  await act(async () => come({ default: () => <p>the tickets</p> }));
  expect(await onPage("the tickets")).toBeTruthy();
  expect(screen.getByRole("main").getAttribute("aria-busy")).toBe("false");
});
