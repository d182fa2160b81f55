import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { brand } from "../../ui/brand.ts";
import { useColorScheme } from "../../ui/color-scheme.ts";
import classes from "./login-picture.module.css";
import dark from "./product-dark.webp";
import light from "./product-light.webp";

/** The size of both pictures in px. `e2e/pictures.spec.ts` takes them. */
const WIDTH_PX = 1100;
const HEIGHT_PX = 1040;

/**
 * The brand's picture, or what the product is for and how it looks in the present theme. The picture is not fetched where there is no
 * room for it.
 */
export function LoginPicture(): ReactNode {
  const { t } = useTranslation();
  const { isDark } = useColorScheme();
  const { picture } = brand();
  if (picture !== undefined) {
    return (
      <img className={classes["brand"]} src={picture} alt="" loading="lazy" decoding="async" />
    );
  }
  return (
    <div className={classes["side"]}>
      <p className={classes["headline"]}>{t("auth.headline")}</p>
      <p className={classes["text"]}>{t("auth.product")}</p>
      <img
        className={classes["picture"]}
        src={isDark ? dark : light}
        alt=""
        width={WIDTH_PX}
        height={HEIGHT_PX}
        loading="lazy"
        decoding="async"
      />
    </div>
  );
}
