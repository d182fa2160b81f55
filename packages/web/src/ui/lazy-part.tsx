import { Button } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import type { ComponentType, ReactNode } from "react";
import { Component, lazy, useState } from "react";
import { useTranslation } from "../i18n/index.ts";
import classes from "./lazy-part.module.css";

/** Where it says that a part is missing: in the part's place, over the page (for dialogs), or on the page's boundary. */
type Place = "inline" | "over" | "page";

/** A part of the page whose code did not come, tried twice. */
export class PartMissing extends Error {
  constructor(cause: unknown) {
    super("A part of the page could not be loaded", { cause });
  }
}

/**
 * A component whose code is fetched when it is first shown. Code that does not come is asked for once more; then only this
 * part says so, and can be tried again: what one has typed or recorded around it stays.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  place: Place = "inline",
): ComponentType<Props> {
  const begin = () => lazy(async () => ({ default: await loadTwice(load) }));
  let latest = begin();
  return function LazyPart(props: Props): ReactNode {
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
  };
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
    // A part that is there and broke is the page's matter.
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
        size="compact-sm"
        onClick={onRetry}
        leftSection={<IconRefresh size={15} stroke={1.7} aria-hidden="true" />}
      >
        {t("common.retry")}
      </Button>
    </div>
  );
}
