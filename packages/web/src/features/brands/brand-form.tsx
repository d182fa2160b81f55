import type { BrandImageKind } from "@balcao/contract/brand-choices";
import {
  brandImageBytes,
  brandImageKinds,
  brandImageTypes,
  brandShades,
  PRODUCT_COLOR,
  productShades,
} from "@balcao/contract/brand-choices";
import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import { IconPhoto, IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useEffect, useId, useRef, useState } from "react";
import { useWatch } from "react-hook-form";
import { formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";
import { Button } from "../../ui/button.tsx";
import { ColorField, isColor, normalColor } from "../../ui/color-field.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { NameField, nameRule } from "../../ui/dialogs/name-field.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { FieldGroup } from "../../ui/field-group.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import type { BrandRow } from "./api.ts";
import { saveBrand, saveImages, UNMADE } from "./api.ts";
import { BrandPreview } from "./brand-preview.tsx";
import classes from "./brands.module.css";

type Props = {
  /** Null: a new one, for a host. */
  brand: BrandRow | null;
  onClose: () => void;
};

type Values = Record<"host" | "name" | "owner" | "color", string>;

/** Name, owner, colour and images of a brand, and beside them how the sign-in and buttons will look. */
export function BrandForm({ brand, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const isDefault = brand?.host === "";
  const images = useImages(brand?.images ?? null);
  const { register, control, errors, dialog } = useRecordForm<Values, { id: number }>({
    id: brand === null || brand.id === UNMADE ? null : brand.id,
    values: {
      host: brand?.host ?? "",
      name: brand?.name ?? "",
      owner: brand?.owner ?? "",
      color: brand?.color ?? PRODUCT_COLOR,
    },
    save: (id, values) => saveBrand(id, bodyOf(values)),
    saveFile: (id) => saveImages(id, images.changes),
    savedText: t("brands.saved"),
    fieldErrors: { ERR_BRAND_HOST_INVALID: "host", ERR_BRAND_HOST_TAKEN: "host" },
    onClose,
  });
  const { name = "", owner = "", color = "" } = useWatch({ control });
  const chosen = isColor(color) ? normalColor(color) : PRODUCT_COLOR;
  const shades = chosen === PRODUCT_COLOR ? productShades : brandShades(chosen);
  const title = isDefault ? t("brands.defaultTitle") : t("brands.editTitle", brand ?? { host: "" });
  return (
    <FormDialog {...dialog} size={960} title={brand === null ? t("brands.new") : title}>
      <div className={classes["form"]}>
        <div className={classes["fields"]}>
          {isDefault ? null : (
            <TextInput
              {...register("host", nameRule(t("brands.hostMissing")))}
              label={t("brands.host")}
              description={t("brands.hostHelp")}
              error={errors.host?.message}
              maxLength={limits.hostMax}
              inputMode="url"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              data-autofocus
            />
          )}
          <NameField
            {...register("name", nameRule(t("brands.nameMissing")))}
            label={t("brands.name")}
            description={t("brands.nameHelp")}
            error={errors.name?.message}
            maxLength={limits.brandNameMax}
            data-autofocus={isDefault || undefined}
          />
          <TextInput
            {...register("owner")}
            label={t("brands.owner")}
            description={t("brands.ownerHelp")}
            maxLength={limits.brandOwnerMax}
            autoComplete="off"
          />
          <div className={classes["color"]}>
            <ColorField control={control} name="color" />
            <p className="bc-meta" role="status">
              {t("brands.colorHelp", { color: PRODUCT_COLOR })}{" "}
              {shades.light.acc === chosen
                ? null
                : t("brands.colorShifted", { color: shades.light.acc })}
            </p>
          </div>
          <FieldGroup legend={t("brands.images")} help={t("brands.imagesHelp")}>
            {brandImageKinds.map((kind) => (
              <ImageField
                key={kind}
                kind={kind}
                address={images.shown[kind]}
                error={images.errors[kind]}
                onChoose={(file) => images.choose(kind, file)}
                onRemove={() => images.remove(kind)}
              />
            ))}
          </FieldGroup>
        </div>
        <section className={classes["previews"]} aria-label={t("brands.preview")}>
          <BrandPreview
            scheme="light"
            shades={shades.light}
            {...{ name, owner }}
            logo={images.shown.logo}
            picture={images.shown.picture}
          />
          <BrandPreview
            scheme="dark"
            shades={shades.dark}
            {...{ name, owner }}
            logo={images.shown.logoDark ?? images.shown.logo}
            picture={images.shown.picture}
          />
        </section>
      </div>
    </FormDialog>
  );
}

/** A pasted address is made its host. */
function bodyOf({ host, name, owner, color }: Values) {
  const [bare = ""] = host
    .trim()
    .replace(/^https?:\/\//i, "")
    .split(/[/:?#]/);
  const chosen = normalColor(color);
  return { host: bare, name, owner, color: chosen === PRODUCT_COLOR ? null : chosen };
}

type ImageFieldProps = {
  kind: BrandImageKind;
  address: string | null;
  error: string | null;
  onChoose: (file: File) => void;
  onRemove: () => void;
};

function ImageField({ kind, address, error, onChoose, onRemove }: ImageFieldProps): ReactNode {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const help = useId();
  const image = t(`brands.image.${kind}`);
  const choose = t(address === null ? "brands.choose" : "brands.change", { image });
  return (
    <div className={classes["image"]} data-kind={kind}>
      <span className={classes["thumbnail"]}>
        {address === null ? (
          <IconPhoto size={19} stroke={1.7} aria-hidden="true" />
        ) : (
          <img src={address} alt={image} />
        )}
      </span>
      <input
        ref={input}
        type="file"
        accept={brandImageTypes.join(",")}
        hidden
        aria-label={choose}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file) onChoose(file);
          event.currentTarget.value = "";
        }}
      />
      <span className={classes["imageText"]}>
        <Button
          variant="default"
          aria-describedby={help}
          aria-label={choose}
          onClick={() => input.current?.click()}
        >
          {image}
        </Button>
        <span id={help} className="bc-meta">
          {t(`brands.imageHelp.${kind}`, { size: sizeOf(kind) })}
          {error === null ? null : (
            <span className={classes["error"]} role="alert">
              {error}
            </span>
          )}
        </span>
      </span>
      {address === null ? null : (
        <IconButton label={t("brands.remove", { image })} icon={IconX} onClick={onRemove} />
      )}
    </div>
  );
}

const BYTES_PER_KB = 1_024;

function sizeOf(kind: BrandImageKind): string {
  const kilobytes = brandImageBytes[kind] / BYTES_PER_KB;
  return kilobytes < BYTES_PER_KB
    ? `${formatNumber(kilobytes)} kB`
    : `${formatNumber(kilobytes / BYTES_PER_KB)} MB`;
}

type PerImage<T> = Record<BrandImageKind, T>;

const forAll = <T,>(value: T): PerImage<T> => ({
  logo: value,
  logoDark: value,
  picture: value,
  favicon: value,
});

/** What saving does to the images, and the addresses at which they are shown until then: chosen files from this device. */
function useImages(known: PerImage<string | null> | null) {
  const { t } = useTranslation();
  const [changes, setChanges] = useState<PerImage<AttachmentChange>>(forAll({ kind: "keep" }));
  const [errors, setErrors] = useState<PerImage<string | null>>(forAll(null));
  const [local, setLocal] = useState<PerImage<string | null>>(forAll(null));
  const made = useRef(new Set<string>());
  useEffect(
    () => () => {
      for (const address of made.current) URL.revokeObjectURL(address);
    },
    [],
  );
  function change(kind: BrandImageKind, next: AttachmentChange, address: string | null): void {
    setChanges((all) => ({ ...all, [kind]: next }));
    setLocal((all) => ({ ...all, [kind]: address }));
    setErrors((all) => ({ ...all, [kind]: null }));
  }
  const shownOf = (kind: BrandImageKind): string | null =>
    changes[kind].kind === "keep" ? (known?.[kind] ?? null) : local[kind];
  return {
    changes,
    errors,
    shown: {
      logo: shownOf("logo"),
      logoDark: shownOf("logoDark"),
      picture: shownOf("picture"),
      favicon: shownOf("favicon"),
    } satisfies PerImage<string | null>,
    choose(kind: BrandImageKind, file: File): void {
      const isRight = brandImageTypes.some((type) => type === file.type);
      if (!isRight || file.size > brandImageBytes[kind]) {
        const error = isRight
          ? t("brands.tooLarge", { size: sizeOf(kind) })
          : t("brands.wrongType");
        setErrors((all) => ({ ...all, [kind]: error }));
        return;
      }
      const address = URL.createObjectURL(file);
      made.current.add(address);
      change(kind, { kind: "attach", file }, address);
    },
    remove(kind: BrandImageKind): void {
      change(kind, known?.[kind] ? { kind: "remove" } : { kind: "keep" }, null);
    },
  };
}
