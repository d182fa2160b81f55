/** Languages of the product; the first is the default and the fallback. */
export const languages = ["pt", "en", "es"] as const;
export type Language = (typeof languages)[number];

/** Tags for `lang` and for number and date formats. English dates are day first, like the others. */
export const localeTags: Readonly<Record<Language, string>> = {
  pt: "pt-BR",
  en: "en-GB",
  es: "es",
};

/** True for a language of the product. */
export function isLanguage(value: unknown): value is Language {
  return languages.some((language) => language === value);
}
