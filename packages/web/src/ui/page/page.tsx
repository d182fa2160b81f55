import { limits } from "@balcao/contract/limits";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconChevronLeft, IconSearch, IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useEffect, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../icon-button.tsx";
import { MenuButton } from "../shell-menu.tsx";
import classes from "./page.module.css";

/** The selector of a page's scrolling part. */
export const PAGE_SCROLLER = "[data-page-scroller]";

type PageProps = {
  title: string;
  /** The number of records, or a few words, beside the title; null while unknown. */
  count?: ReactNode;
  /** A link to the page that this one belongs to. */
  back?: ReactNode;
  /** At the right of the title. */
  tools?: ReactNode;
  /**
   * The body takes the height of the page and its parts scroll: below the title line, or alone on a narrow screen. Default: the
   * body scrolls as a whole.
   */
  panes?: "below" | "alone";
  children: ReactNode;
};

/** The frame of a page (ui.md section 2): a title line, and a body. */
export function Page(props: PageProps): ReactNode {
  const { title, count = null, back, tools, panes, children } = props;
  return (
    <div className={classes["page"]}>
      {panes === "alone" ? (
        <h1 className="bc-hidden-text">{title}</h1>
      ) : (
        <header className={classes["head"]}>
          <MenuButton />
          {back === undefined ? null : (
            <nav className={classes["back"]}>
              <IconChevronLeft size={15} stroke={1.7} aria-hidden="true" />
              {back}
            </nav>
          )}
          <h1 className={classes["title"]}>
            {title} {count === null ? null : <span className={classes["count"]}>{count}</span>}
          </h1>
          {tools}
        </header>
      )}
      {panes === undefined ? (
        <div className="bc-scroll" data-page-scroller>
          <div className={classes["content"]}>{children}</div>
        </div>
      ) : (
        <div className={classes["panes"]} data-alone={panes === "alone" || undefined}>
          {children}
        </div>
      )}
    </div>
  );
}

type AfterFrameProps = {
  /** Stands there until then. */
  fallback: ReactNode;
  /** Lazy parts. */
  children: ReactNode;
};

/** Renders parts, whose code is fetched then, once the frame around them stands on the screen: the title waits for none of it. */
export function AfterFrame({ fallback, children }: AfterFrameProps): ReactNode {
  const [isFramed, setFramed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(setFramed, 0, true);
    return () => clearTimeout(timer);
  }, []);
  return <Suspense fallback={fallback}>{isFramed ? children : fallback}</Suspense>;
}

type SearchProps = {
  label: string;
  start: string;
  /** Called with trimmed lower-case words, half a second after the last key (spec 5). */
  onSearch: (words: string) => void;
  onEnter?: () => void;
};

/** The search field of a page. */
export function PageSearch({ label, start, onSearch, onEnter }: SearchProps): ReactNode {
  const { t } = useTranslation();
  const [words, setWords] = useState(start);
  const tell = useDebouncedCallback(
    (next: string) => onSearch(next.trim().toLowerCase()),
    limits.searchDebounceMs,
  );
  function change(next: string): void {
    setWords(next);
    tell(next);
  }
  return (
    <div className={classes["search"]}>
      <IconSearch size={15} stroke={1.7} aria-hidden="true" />
      <input
        type="search"
        className={classes["field"]}
        value={words}
        placeholder={label}
        aria-label={label}
        onChange={(event) => change(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") onEnter?.();
          if (event.key === "Escape" && words !== "") {
            event.stopPropagation();
            change("");
          }
        }}
      />
      {words === "" ? null : (
        <IconButton
          size="small"
          label={t("common.clearSearch")}
          icon={IconX}
          onClick={() => change("")}
        />
      )}
    </div>
  );
}
