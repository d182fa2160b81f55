import type { BrandRole, ColorScheme } from "@balcao/contract/brand-choices";
import type { CSSProperties, ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Logo } from "../../ui/logo.tsx";
import classes from "./brands.module.css";

type Props = {
  scheme: ColorScheme;
  shades: Readonly<Record<BrandRole, string>>;
  name: string;
  owner: string;
  /** Addresses; null for the product's own. */
  logo: string | null;
  picture: string | null;
};

/** The sign-in in small, in one of the themes whatever the present one is: a picture, nothing in it can be used. */
export function BrandPreview(props: Props): ReactNode {
  const { scheme, shades, name, owner, logo, picture } = props;
  const { t } = useTranslation();
  const roles = Object.entries(shades).map(([role, color]) => [`--bc-${role}`, color]);
  return (
    <figure className={classes["figure"]}>
      <figcaption className="bc-meta">{t(`brands.${scheme}`)}</figcaption>
      <div
        className={classes["preview"]}
        data-mantine-color-scheme={scheme}
        style={Object.fromEntries(roles) as CSSProperties}
        role="img"
        aria-label={t(`brands.${scheme}`)}
      >
        <div className={classes["pane"]}>
          <span className={classes["brand"]}>
            {logo === null ? (
              <span className={classes["own"]}>
                <Logo isProducts className={classes["mark"]} />
              </span>
            ) : (
              <img src={logo} alt="" className={classes["own"]} />
            )}
            <span className={classes["name"]}>{name.trim() || t("brands.sampleName")}</span>
          </span>
          <span className={classes["middle"]}>
            <span className={classes["field"]} data-focused="" />
            <span className={classes["link"]}>{t("brands.sampleLink")}</span>
            <span className={classes["field"]} />
            <span className={classes["button"]}>{t("brands.sampleButton")}</span>
          </span>
          <span className={classes["owner"]}>
            {owner.trim() === "" ? null : t("brands.sampleOwner", { owner: owner.trim() })}
          </span>
        </div>
        <div className={classes["side"]}>
          {picture === null ? (
            <>
              <span className={classes["row"]} data-chosen="" />
              <span className={classes["row"]} />
              <span className={classes["bubble"]} />
              <span className={classes["bubble"]} data-own="" />
            </>
          ) : (
            <img src={picture} alt="" />
          )}
        </div>
      </div>
    </figure>
  );
}
