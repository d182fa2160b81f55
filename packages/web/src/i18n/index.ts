import i18next from "i18next";
import { initReactI18next, useTranslation } from "react-i18next";
import type { Language } from "./languages.ts";
import { isLanguage, localeTags } from "./languages.ts";
import { first } from "./pt/first.ts";
import type { pt } from "./pt/index.ts";

export { useTranslation } from "react-i18next";
export { languages } from "./languages.ts";
export type { Language } from "./languages.ts";
export type { TFunction } from "i18next";

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "translation";
    resources: { translation: typeof pt };
  }
}

const STORAGE_KEY = "balcao.language";

/** The instance, for texts outside components (toasts). Inside components use `useTranslation`. */
export const i18n = i18next;

const catalogues = {
  en: async () => (await import("./en/index.ts")).en,
  es: async () => (await import("./es/index.ts")).es,
} satisfies Record<Exclude<Language, "pt">, () => Promise<unknown>>;

/** Starts the texts in the language of the last visit. The first Portuguese ones are there at once, others are fetched. */
export async function startTexts(): Promise<void> {
  await i18n.use(initReactI18next).init({
    lng: "pt",
    fallbackLng: "pt",
    resources: { pt: { translation: first } },
    interpolation: { escapeValue: false }, // React escapes
  });
  const stored = localStorage.getItem(STORAGE_KEY);
  await applyLanguage(isLanguage(stored) ? stored : "pt");
}

/** What `load` brings, with the texts that only some pages have (`pt/pages.ts`). Whoever uses them is loaded by this. */
export async function withPageTexts<T>(load: Promise<T>): Promise<T> {
  const [loaded, { pages }] = await Promise.all([load, import("./pt/pages.ts")]);
  i18n.addResourceBundle("pt", "translation", pages, true, true);
  return loaded;
}

/** Changes the language and keeps the choice on this device. Throws when its texts cannot be fetched. */
export async function chooseLanguage(language: Language): Promise<void> {
  await applyLanguage(language);
  localStorage.setItem(STORAGE_KEY, language);
}

/** The language on the screen now. */
export function currentLanguage(): Language {
  return isLanguage(i18n.language) ? i18n.language : "pt";
}

/** The language on the screen, followed through changes. */
export function useLanguage(): Language {
  useTranslation(); // renders again after a change
  return currentLanguage();
}

async function applyLanguage(language: Language): Promise<void> {
  if (language !== "pt" && !i18n.hasResourceBundle(language, "translation")) {
    i18n.addResourceBundle(language, "translation", await catalogues[language]());
  }
  await i18n.changeLanguage(language);
  document.documentElement.lang = localeTags[language];
}
