import { brandShades, PRODUCT_COLOR } from "@balcao/contract/brand-choices";
import { IconPalette, IconPencil, IconPlus, IconRestore, IconTrash } from "@tabler/icons-react";
import type { CSSProperties, ReactNode } from "react";
import { Suspense, useState } from "react";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { DraftOf } from "../../ui/drafts.ts";
import { IconButton, notifySuccess } from "../../ui/index.ts";
import { Logo } from "../../ui/logo.tsx";
import { ActionQuestion, useListAddress, useOpenRow } from "../../ui/page/record-page.tsx";
import type { Column } from "../../ui/page/record-table.tsx";
import { RecordTable, RowName } from "../../ui/page/record-table.tsx";
import type { BrandRow } from "./api.ts";
import { brandPages, deleteBrand, UNMADE } from "./api.ts";
import { BrandForm } from "./brand-form.tsx";
import classes from "./brands.module.css";

const place = { tab: "brands" };

/** How the product is called and looks, for all and at single hosts: a tab of the settings for super users. */
export function BrandsPanel(): ReactNode {
  const { t } = useTranslation();
  const address = useListAddress(place);
  const { open, openForm, closeForm } = address;
  const pages = brandPages.usePages("", { staleTime: 0 });
  const opened = useOpenRow(address, pages, () => true);
  const [removed, setRemoved] = useState<BrandRow | null>(null);
  return (
    <div className={classes["panel"]}>
      <div className={classes["head"]}>
        <p className="bc-small">{t("brands.help")}</p>
        <Button
          leftSection={<IconPlus size={15} stroke={1.7} aria-hidden="true" />}
          onClick={() => openForm("new")}
        >
          {t("brands.add")}
        </Button>
      </div>
      <RecordTable
        label={t("brands.title")}
        pages={pages}
        columns={columnsOf(t)}
        sort={null}
        onSort={() => undefined}
        identify={({ id }) => id}
        renderActions={(row) => (
          <>
            <IconButton
              label={t("common.edit", { name: placeOf(t, row) })}
              icon={IconPencil}
              onClick={() => openForm(row.id)}
            />
            {row.id === UNMADE ? null : (
              <IconButton
                label={row.host === "" ? t("brands.reset") : t("common.delete", { name: row.host })}
                icon={row.host === "" ? IconRestore : IconTrash}
                onClick={() => setRemoved(row)}
              />
            )}
          </>
        )}
        // There is always the default one.
        empty={{ icon: IconPalette, drawing: "sheet", title: t("common.noRecord") }}
      />
      {open === "new" || opened !== null ? (
        <DraftOf value={`brands ${open}`}>
          <BrandForm brand={opened} onClose={closeForm} />
        </DraftOf>
      ) : null}
      <Suspense fallback={null}>
        {removed === null ? null : <Removal brand={removed} onClose={() => setRemoved(null)} />}
      </Suspense>
    </div>
  );
}

function placeOf(t: TFunction, { host }: BrandRow): string {
  return host === "" ? t("brands.defaultTitle") : host;
}

function columnsOf(t: TFunction): readonly Column<BrandRow>[] {
  return [
    {
      id: "name",
      title: t("brands.name"),
      isName: true,
      renderCell: (row) => (
        <RowName name={row.name} before={<BrandLogo row={row} className={classes["rowLogo"]} />} />
      ),
    },
    {
      id: "host",
      title: t("brands.host"),
      renderCell: ({ host }) => (host === "" ? t("brands.hostDefault") : host),
    },
    { id: "owner", title: t("brands.owner"), renderCell: ({ owner }) => owner },
    {
      id: "color",
      title: t("brands.color"),
      fit: "content",
      renderCell: ({ color }) => (
        <span className={classes["swatch"]}>
          <span className={classes["dot"]} style={{ background: color ?? PRODUCT_COLOR }} />
          {color ?? PRODUCT_COLOR}
        </span>
      ),
    },
  ];
}

function BrandLogo({ row, className }: { row: BrandRow; className: string | undefined }) {
  const { logo } = row.images;
  const shown = row.color === null ? PRODUCT_COLOR : brandShades(row.color).light.acc;
  return logo === null ? (
    <span
      className={className}
      style={{ "--bc-acc": shown, "--bc-on-acc": "#fff" } as CSSProperties}
    >
      <Logo isProducts className={classes["mark"]} />
    </span>
  ) : (
    <img className={className} src={logo} alt="" />
  );
}

function Removal({ brand, onClose }: { brand: BrandRow; onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  const { host } = brand;
  const isDefault = host === "";
  return (
    <ActionQuestion
      isDestructive
      title={isDefault ? t("brands.resetTitle") : t("brands.deleteTitle", { host })}
      text={t(isDefault ? "brands.resetText" : "brands.deleteText")}
      confirm={t(isDefault ? "brands.resetConfirm" : "common.deleteConfirm")}
      run={() => deleteBrand(brand.id)}
      onDone={() => notifySuccess(t(isDefault ? "brands.isReset" : "brands.deleted"))}
      onClose={onClose}
    />
  );
}
