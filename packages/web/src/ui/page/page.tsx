import { limits } from "@balcao/contract/limits";
import { Button } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconPlus, IconSearch, IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../icon-button.tsx";
import { MenuButton } from "../shell-menu.tsx";
import classes from "./page.module.css";

type Props = {
  title: string;
  /** How many there are, beside the title; null while unknown. */
  count: number | null;
  searchLabel: string;
  /** Told lower-cased and trimmed, half a second after the last key (spec 5). */
  onSearch: (words: string) => void;
  /** What else can be done with the whole list, before the one button. */
  tools?: ReactNode;
  addLabel: string;
  onAdd: (() => void) | null;
  children: ReactNode;
};

/** The frame of a list page (ui.md section 2): title, count, search, the page's one button, then the list. */
export function ListPage(props: Props): ReactNode {
  const { title, count, searchLabel, onSearch, tools, addLabel, onAdd, children } = props;
  return (
    <Page
      title={title}
      count={count}
      tools={
        <>
          <PageSearch label={searchLabel} onSearch={onSearch} />
          {tools}
          {onAdd === null ? null : (
            <Button
              leftSection={<IconPlus size={15} stroke={1.7} aria-hidden="true" />}
              onClick={onAdd}
            >
              {addLabel}
            </Button>
          )}
        </>
      }
    >
      {children}
    </Page>
  );
}

type PageProps = {
  title: string;
  count?: number | null;
  /** At the right of the title. */
  tools?: ReactNode;
  children: ReactNode;
};

/** The frame of a page: its title, and what scrolls below it. */
export function Page({ title, count = null, tools, children }: PageProps): ReactNode {
  return (
    <div className={classes["page"]}>
      <header className={classes["head"]}>
        <MenuButton />
        <h1 className={classes["title"]}>
          {title} {count === null ? null : <span className={classes["count"]}>{count}</span>}
        </h1>
        {tools}
      </header>
      <div className={classes["scroll"]}>
        <div className={classes["content"]}>{children}</div>
      </div>
    </div>
  );
}

function PageSearch({ label, onSearch }: { label: string; onSearch: (words: string) => void }) {
  const { t } = useTranslation();
  const [words, setWords] = useState("");
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
