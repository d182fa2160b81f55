import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import type { FiguresFilter } from "../reports/index.ts";
import { FilterForm } from "./filter-form.tsx";
import classes from "./filter.module.css";

type Props = {
  filter: FiguresFilter;
  onFilter: (filter: FiguresFilter) => void;
  onClose: () => void;
};

/** The filter on a narrow screen. */
export function FilterSheet({ filter, onFilter, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <DialogFrame opened onClose={onClose} title={t("dashboard.filter")}>
      <div className={classes["sheet"]}>
        <FilterForm
          filter={filter}
          onFilter={(next) => {
            onFilter(next);
            onClose();
          }}
        />
      </div>
    </DialogFrame>
  );
}
