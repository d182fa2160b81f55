// Without sheets of styles: first screens would carry them.
const BARS_STYLE = "position:fixed;inset:auto 0 0;z-index:300;display:grid";
const BAR_STYLE =
  "display:flex;flex-wrap:wrap;align-items:center;justify-content:center;gap:4px 12px;min-height:30px;" +
  "padding:2px 12px;text-align:center;font:var(--bc-small);color:var(--bc-info);background:var(--bc-info-s)";
const BUTTON_STYLE =
  "min-height:40px;padding:0 14px;border:1px solid currentColor;border-radius:8px;background:none;" +
  "color:inherit;font:inherit;cursor:pointer";

export type StripAction = { label: string; run: () => void };
export type Strip = { say(text: string, actions?: readonly StripAction[]): void; remove(): void };

let bars: { root: HTMLElement; sheet: CSSStyleSheet } | null = null;

/** Shows a line at the lower edge of the window; the page ends above it. */
export function showStrip(text: string, actions: readonly StripAction[] = []): Strip {
  const { root } = (bars ??= begin());
  const strip = document.createElement("div");
  strip.style.cssText = BAR_STYLE;
  const line = document.createElement("span");
  line.setAttribute("role", "status");
  root.append(strip);
  strip.append(line);
  // The text comes after the line is there, so that screen readers say it; buttons that stay keep the focus.
  function say(next: string, offered: readonly StripAction[] = []): void {
    if (line.textContent === next) return;
    line.textContent = next;
    const known = [...strip.querySelectorAll("button")];
    const wanted = offered.map(
      (action) => known.find((one) => one.textContent === action.label) ?? buttonFor(action),
    );
    strip.replaceChildren(line, ...wanted);
    makeRoom();
  }
  say(text, actions);
  return {
    say,
    remove(): void {
      strip.remove();
      makeRoom();
    },
  };
}

function buttonFor({ label, run }: StripAction): HTMLButtonElement {
  const button = Object.assign(document.createElement("button"), { type: "button" });
  button.textContent = label;
  button.style.cssText = BUTTON_STYLE;
  button.addEventListener("click", run);
  return button;
}

function begin(): NonNullable<typeof bars> {
  const root = document.createElement("div");
  root.style.cssText = BARS_STYLE;
  document.body.append(root);
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  addEventListener("resize", makeRoom);
  return { root, sheet };
}

function makeRoom(): void {
  if (bars === null) return;
  const height = bars.root.offsetHeight;
  bars.sheet.replaceSync(height === 0 ? "" : `html{--bc-seen-height:calc(100dvh - ${height}px)}`);
}
