import { IconPlus, IconX } from "@tabler/icons-react";
import type { ComponentProps, ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import type { ListFilter } from "../filter-menu.tsx";
import { lazyPart } from "../lazy-part.tsx";
import { OnDemand } from "../on-demand.tsx";
import classes from "./filter-bar.module.css";

const FilterMenu = lazyPart(async () => (await import("../filter-menu.tsx")).FilterMenu);

type Props = { filters: readonly ListFilter[]; onClear: () => void };

/** The filters of a list (ui-2.md, contacts page): one chip each, whose press changes its values, and a button that adds one. */
export function FilterBar({ filters, onClear }: Props): ReactNode {
  const { t } = useTranslation();
  const chosen = filters.filter(({ value }) => value !== null);
  return (
    <div role="group" aria-label={t("common.filters.active")} className={classes["bar"]}>
      {chosen.map((filter) => (
        <span key={filter.id} className={classes["chip"]}>
          {filter.turnOn !== null ? (
            <span className={classes["fixed"]}>{filter.title}</span>
          ) : (
            <OnDemand
              part={FilterMenu}
              standIn={<Chip filter={filter} aria-haspopup="menu" aria-expanded={false} />}
            >
              <FilterMenu filters={[filter]} target={<Chip filter={filter} />} />
            </OnDemand>
          )}
          <button
            type="button"
            className={classes["remove"]}
            aria-label={t("common.filters.remove", { name: filter.title })}
            onClick={filter.clear}
          >
            <IconX size={13} stroke={1.9} aria-hidden="true" />
          </button>
        </span>
      ))}
      <OnDemand part={FilterMenu} standIn={<Add aria-haspopup="menu" aria-expanded={false} />}>
        <FilterMenu filters={filters} target={<Add />} />
      </OnDemand>
      {chosen.length === 0 ? null : (
        <button type="button" className={classes["clear"]} onClick={onClear}>
          {t("common.filters.clear")}
        </button>
      )}
    </div>
  );
}

function Chip({ filter, ...rest }: ComponentProps<"button"> & { filter: ListFilter }): ReactNode {
  return (
    <button {...rest} type="button" className={classes["choose"]}>
      {filter.title} <strong>{filter.value}</strong>
    </button>
  );
}

function Add(props: ComponentProps<"button">): ReactNode {
  const { t } = useTranslation();
  return (
    <button {...props} type="button" className={classes["add"]}>
      <IconPlus size={13} stroke={1.9} aria-hidden="true" />
      {t("common.filters.add")}
    </button>
  );
}
