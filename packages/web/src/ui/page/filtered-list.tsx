import type { ComponentProps, ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../button.tsx";
import type { EmptyProps } from "../states.tsx";
import { FilterChips } from "./filter-chips.tsx";
import classes from "./filtered-list.module.css";
import { PageSearch } from "./page.tsx";
import type { useListAddress } from "./record-page.tsx";
import { RecordTable } from "./record-table.tsx";

type TableProps<Row> = Omit<ComponentProps<typeof RecordTable<Row>>, "empty">;

type Props<Row, Filter extends string> = TableProps<Row> & {
  address: ReturnType<typeof useListAddress>;
  icon: EmptyProps["icon"];
  /** What the search looks for. */
  searchLabel: string;
  filters: {
    label: string;
    /** The first one is for all rows. */
    chips: ComponentProps<typeof FilterChips<Filter>>["chips"];
    chosen: Filter | null;
  };
  /** Beside the search. */
  buttons: ReactNode;
  /** Shown when there is no row at all. Default: as when the search finds none. */
  none?: EmptyProps;
};

/** A table of records in a tab, below its filters and its search, which stand in the address. */
export function FilteredList<Row, Filter extends string>(props: Props<Row, Filter>): ReactNode {
  const { address, icon, searchLabel, filters, buttons, none, ...table } = props;
  const { t } = useTranslation();
  const { words } = address;
  // Another number is another, empty field.
  const [clearings, setClearings] = useState(0);
  const noMatch: EmptyProps = {
    icon,
    drawing: "search",
    title: words === "" ? t("common.noFiltered") : t("common.noMatch", { words }),
    action: (
      <Button
        variant="default"
        onClick={() => {
          address.change({ words: "", filter: "" });
          setClearings(clearings + 1);
        }}
      >
        {t("common.clearAll")}
      </Button>
    ),
  };
  const isNarrowed = words !== "" || filters.chosen !== null;
  return (
    <>
      <div className={classes["tools"]}>
        <FilterChips
          {...filters}
          onChoose={(value: Filter | null) => address.change({ filter: value ?? "" })}
        />
        <div className={classes["find"]}>
          <PageSearch
            key={`${address.fieldKey} ${clearings}`}
            label={searchLabel}
            start={words}
            onSearch={(next) => address.change({ words: next })}
          />
          {buttons}
        </div>
      </div>
      <RecordTable {...table} empty={none === undefined || isNarrowed ? noMatch : none} />
    </>
  );
}

/** The name of a row as a button that opens it, for the keyboard; the row does the same for the pointer. */
export function RowButton({ onOpen, children }: { onOpen: () => void; children: ReactNode }) {
  return (
    <button type="button" className={classes["name"]} aria-haspopup="dialog" onClick={onOpen}>
      {children}
    </button>
  );
}
