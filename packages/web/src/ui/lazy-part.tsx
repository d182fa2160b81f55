import { IconRefresh } from "@tabler/icons-react";
import type { ComponentType, ReactNode } from "react";
import { Component, lazy, useState } from "react";
import type { Part as TextPart } from "../i18n/index.ts";
import { useTranslation, withTexts } from "../i18n/index.ts";
import classes from "./lazy-part.module.css";
import { Button } from "./button.tsx";

/** Where the error of a missing part is shown: in its place, over the page (for dialogs), or by the page's boundary. */
type Place = "inline" | "over" | "page";

/** The code of a part failed to load twice. */
export class PartMissing extends Error {
  constructor(cause: unknown) {
    super("A part of the page could not be loaded", { cause });
  }
}

/** A lazy component; `preload` fetches its code before it is shown. */
export type LazyPart<Props> = ComponentType<Props> & { preload: () => void };

/**
 * A component whose code, texts and library styles are loaded when it is first shown. A failed load is repeated once; then
 * this part alone shows the error and a button to try again, so that input in the rest of the page stays.
 */
export function lazyPart<Props extends object>(
  loadCode: () => Promise<ComponentType<Props>>,
  place: Place = "inline",
  stage: TextPart = "later",
): LazyPart<Props> {
  const load = stage === "first" ? loadCode : () => loadLater(loadCode, stage);
  const begin = () => lazy(async () => ({ default: await loadTwice(load) }));
  let latest = begin();
  // A failure is harmless: the code is loaded again, and an error shown, when the part is shown.
  const preload = (): void => void load().catch(() => undefined);
  function Shown(props: Props): ReactNode {
    const [Part, setPart] = useState(() => latest);
    const part = <Part {...props} />;
    if (place === "page") return part;
    const tryAgain = (): void => {
      latest = begin();
      setPart(() => latest);
    };
    return (
      <PartBoundary place={place} onRetry={tryAgain}>
        {part}
      </PartBoundary>
    );
  }
  return Object.assign(Shown, { preload });
}

/** A page, fetched when it is first shown. */
export function page(
  load: () => Promise<ComponentType>,
  stage: Exclude<TextPart, "first"> = "later",
): ComponentType {
  return lazyPart(load, "page", stage);
}

/** A page that users often open first, so it loads without the later texts (`vite.config.ts` names it too). */
export function firstPage(load: () => Promise<ComponentType>): ComponentType {
  return lazyPart(load, "page", "first");
}

/** The component with the later texts and the provider of the library. */
async function loadLater<Props extends object>(
  loadCode: () => Promise<ComponentType<Props>>,
  stage: Exclude<TextPart, "first">,
): Promise<ComponentType<Props>> {
  const code = Promise.all([loadCode(), import("./look.tsx"), stylesOf(stage)]);
  const [Part, { Look }] = await withTexts(stage, code);
  return function InLook(props) {
    return (
      <Look>
        <Part {...props} />
      </Look>
    );
  };
}

/** Turns on the style sheet of a part, if the built page has one (`vite.config.ts`). */
async function stylesOf(part: TextPart): Promise<void> {
  const link = document.querySelector<HTMLLinkElement>(`link[data-part=${part}]`);
  if (!link || link.sheet) return;
  const again = link.cloneNode();
  link.disabled = false;
  await new Promise((resolve, reject) => {
    link.addEventListener("load", resolve);
    link.addEventListener("error", reject);
  }).catch((error: unknown) => {
    // A link is fetched once: another one is there for the next try.
    link.replaceWith(again);
    throw error;
  });
}

async function loadTwice<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load().catch(load);
  } catch (error) {
    throw new PartMissing(error);
  }
}

type BoundaryProps = { place: Place; onRetry: () => void; children: ReactNode };

class PartBoundary extends Component<BoundaryProps, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    // An error inside a loaded part belongs to the page's boundary.
    if (!(error instanceof PartMissing)) throw error;
    return <MissingNotice place={this.props.place} onRetry={this.tryAgain} />;
  }

  private readonly tryAgain = (): void => {
    this.props.onRetry();
    this.setState({ error: null });
  };
}

function MissingNotice({ place, onRetry }: Omit<BoundaryProps, "children">): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={classes["missing"]} data-place={place} role="alert">
      <span>{t("common.partMissing")}</span>
      <Button
        variant="default"
        size="compact"
        onClick={onRetry}
        leftSection={<IconRefresh size={15} stroke={1.7} aria-hidden="true" />}
      >
        {t("common.retry")}
      </Button>
    </div>
  );
}
