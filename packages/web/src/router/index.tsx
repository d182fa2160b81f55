import type { AnchorHTMLAttributes, MouseEvent, ReactNode, Ref } from "react";
import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useState,
  useTransition,
} from "react";

/** The current address. `state` is kept with the history entry, which a browser keeps over restarts. */
export type Location = Readonly<{
  pathname: string;
  search: string;
  state: unknown;
  /** Identifies the step: a step to the same address has another key. */
  key: string;
}>;

/** A history of addresses: the browser's own, or one in memory for tests. */
export type Steps = {
  current: () => Location;
  push: (to: string, state: unknown) => void;
  replace: (to: string, state: unknown) => void;
  /** Like the browser's Back button. */
  back: () => void;
  /** Calls `listener` after every step, Back and Forward included. Returns the function that stops it. */
  listen: (listener: () => void) => () => void;
};

/** A page, or a layout that renders its page with `Outlet`. */
export type PageRoute = Readonly<{
  /** `tickets/:uuid?`, or `*` for all other addresses. A layout has none. */
  path?: string;
  element: ReactNode;
  children?: readonly PageRoute[];
}>;

type StepOptions = Readonly<{ replace?: boolean; state?: unknown }>;
/** Goes to an address: a path, or `?…` on the current page. The function never changes. */
export type NavigateFunction = (to: string, options?: StepOptions) => void;
type Parameters = Readonly<Partial<Record<string, string>>>;

const Here = createContext<{ location: Location; steps: Steps } | null>(null);
const OnTheWay = createContext(false);
const PageInside = createContext<ReactNode>(null);
const PathParameters = createContext<Parameters>({});

/** Provides the current address. While the code of the next page loads, the previous page stays visible. */
export function Router({ steps, children }: { steps: Steps; children: ReactNode }): ReactNode {
  const [location, setLocation] = useState(steps.current);
  const [isOnTheWay, startStep] = useTransition();
  // A layout effect, because effects of the pages inside may navigate at once.
  useLayoutEffect(() => {
    const follow = (): void => startStep(() => setLocation(steps.current()));
    return steps.listen(follow);
  }, [steps]);
  const here = useMemo(() => ({ location, steps }), [location, steps]);
  return (
    <Here value={here}>
      <OnTheWay value={isOnTheWay}>{children}</OnTheWay>
    </Here>
  );
}

/** Renders the first route that matches the address, inside its layouts; nothing when none matches. */
export function Routes({ routes }: { routes: readonly PageRoute[] }): ReactNode {
  const { pathname } = useLocation();
  const found = useMemo(() => match(routes, pathname), [routes, pathname]);
  if (found === null) return null;
  return (
    <PathParameters value={found.parameters}>
      {found.elements.reduceRight<ReactNode>(
        (inside, element) => (
          <PageInside value={inside}>{element}</PageInside>
        ),
        null,
      )}
    </PathParameters>
  );
}

/** The page inside a layout. */
export function Outlet(): ReactNode {
  return useContext(PageInside);
}

export function useLocation(): Location {
  return useHere().location;
}

/** True while the page of the last step loads. */
export function useIsOnTheWay(): boolean {
  return useContext(OnTheWay);
}

export function useNavigate(): NavigateFunction {
  const { steps } = useHere();
  return useCallback<NavigateFunction>(
    (to, { replace = false, state = null } = {}) => {
      const address = to.startsWith("?") ? steps.current().pathname + to : to;
      if (replace) steps.replace(address, state);
      else steps.push(address, state);
    },
    [steps],
  );
}

/** Goes one step back. The function never changes. */
export function useStepBack(): () => void {
  return useHere().steps.back;
}

/** The values of `:name` in the address. */
export function useParams(): Parameters {
  return useContext(PathParameters);
}

type SearchValues = Readonly<Record<string, string>>;
/** A function gets the values that stand in the address now, also those that are not drawn yet. */
type SetSearch = (
  values: SearchValues | ((now: URLSearchParams) => SearchValues),
  options?: StepOptions,
) => void;

/** The search part of the address, and a function that replaces it. */
export function useSearchParams(): [URLSearchParams, SetSearch] {
  const { location, steps } = useHere();
  const { search } = location;
  const navigate = useNavigate();
  const setSearch = useCallback<SetSearch>(
    (values, options) => {
      const { pathname, search: now } = steps.current();
      const given = typeof values === "function" ? values(new URLSearchParams(now)) : values;
      // `?new`, not `?new=`.
      const next = String(new URLSearchParams(given)).replaceAll(/=(?=&|$)/g, "");
      navigate(pathname + (next === "" ? "" : `?${next}`), options);
    },
    [navigate, steps],
  );
  return [useMemo(() => new URLSearchParams(search), [search]), setSearch];
}

/** Navigates when it is mounted. */
export function Navigate({ to, replace, state }: StepOptions & { to: string }): ReactNode {
  const navigate = useNavigate();
  useEffect(() => {
    navigate(to, { replace: replace ?? false, state });
  }, [navigate, to, replace, state]);
  return null;
}

type LinkProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href"> & {
  to: string;
  state?: unknown;
  ref?: Ref<HTMLAnchorElement>;
};

/** A link to a page of the product. New windows and downloads are left to the browser. */
export function Link({ to, state, onClick, ...props }: LinkProps): ReactNode {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    const isPlain = !(event.metaKey || event.altKey || event.ctrlKey || event.shiftKey);
    if (event.defaultPrevented || event.button !== 0 || !isPlain || props.target) return;
    event.preventDefault();
    navigate(to, { replace: to === pathname + search, state });
  };
  return <a {...props} href={to.startsWith("?") ? pathname + to : to} onClick={follow} />;
}

/** A link that is marked as current on its page and on pages below it, or by its own `aria-current`. */
export function NavLink(props: LinkProps): ReactNode {
  const { pathname } = useLocation();
  const isHere = pathname === props.to || pathname.startsWith(`${props.to}/`);
  return <Link {...props} aria-current={isHere ? "page" : props["aria-current"]} />;
}

/** The history of this tab. */
export function browserSteps(): Steps {
  const listeners = new Set<() => void>();
  const tell = (): void => listeners.forEach((listener) => listener());
  let location = read();
  const follow = (): void => {
    location = read();
    tell();
  };
  return {
    current: () => location,
    push(to, state) {
      history.pushState(state, "", to);
      follow();
    },
    replace(to, state) {
      history.replaceState(state, "", to);
      follow();
    },
    back: () => history.back(),
    listen(listener) {
      if (listeners.size === 0) addEventListener("popstate", follow);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) removeEventListener("popstate", follow);
      };
    },
  };
}

function read(): Location {
  const { pathname, search } = window.location;
  return { pathname, search, state: history.state, key: nextKey() };
}

let lastKey = 0;

function nextKey(): string {
  lastKey += 1;
  return String(lastKey);
}

function useHere(): { location: Location; steps: Steps } {
  const here = useContext(Here);
  if (here === null) throw new Error("used outside the router");
  return here;
}

type Match = { elements: readonly ReactNode[]; parameters: Parameters };

function match(routes: readonly PageRoute[], pathname: string): Match | null {
  for (const { path, element, children } of routes) {
    const inside = children ? match(children, pathname) : null;
    if (inside) return { ...inside, elements: [element, ...inside.elements] };
    const parameters = path === undefined ? null : matchPath(path, pathname);
    if (parameters) return { elements: [element], parameters };
  }
  return null;
}

/** The value of each `:name`, or null when the path does not match. */
function matchPath(path: string, pathname: string): Parameters | null {
  if (path === "*") return {};
  const found = parts(pathname);
  const wanted = parts(path);
  if (found.length > wanted.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const given = found[index];
    if (!part.startsWith(":")) {
      if (given?.toLowerCase() !== part) return null;
    } else if (given !== undefined) {
      parameters[part.replaceAll(/[:?]/g, "")] = decoded(given);
    } else if (!part.endsWith("?")) return null;
  }
  return parameters;
}

function parts(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

/** A typed address may be invalid percent-encoding. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
