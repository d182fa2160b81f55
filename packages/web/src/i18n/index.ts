import { useEffect } from "react";
import { createStore, useStore } from "../store/index.ts";
import type { Language } from "./languages.ts";
import { isLanguage, localeTags } from "./languages.ts";
import type { admin } from "./pt/admin.ts";
import type { auth } from "./pt/auth.ts";
import type { campaigns } from "./pt/campaigns.ts";
import type { figures } from "./pt/figures.ts";
import type { first } from "./pt/first.ts";
import type { kanban } from "./pt/kanban.ts";
import type { later } from "./pt/later.ts";
import type { operation } from "./pt/operation.ts";
import type { programs } from "./pt/programs.ts";
import type { provider } from "./pt/provider.ts";
import type { rare } from "./pt/rare.ts";
import type { teamwork } from "./pt/teamwork.ts";
import type { trust } from "./pt/trust.ts";
import { joined } from "./joined.ts";
import type { Branch } from "./joined.ts";

export { languages } from "./languages.ts";
export type { Language } from "./languages.ts";

const STORAGE_KEY = "balcao.language";

type Join<Path extends string, Key extends string> = Path extends "" ? Key : `${Path}.${Key}`;

/** Every text of a catalogue with its full key, as pairs. */
type Leaves<T, Path extends string = ""> = {
  [K in keyof T & string]: T[K] extends string
    ? readonly [key: Join<Path, K>, text: T[K]]
    : Leaves<T[K], Join<Path, K>>;
}[keyof T & string];

/** A text with a count has two forms; its key leaves out their endings. */
type Named<Key extends string> = Key extends `${infer Name}_${"zero" | "one" | "other"}`
  ? Name
  : Key;

type Counting<Key extends string> = Key extends `${string}_${"one" | "other"}` ? "count" : never;

/** The `{{placeholders}}` of a text. */
type Holes<Text> = Text extends `${string}{{${infer Hole}}}${infer Rest}`
  ? Hole | Holes<Rest>
  : never;

type AllLeaves =
  | Leaves<typeof first>
  | Leaves<typeof auth>
  | Leaves<typeof later>
  | Leaves<typeof rare>
  | Leaves<typeof admin>
  | Leaves<typeof campaigns>
  | Leaves<typeof figures>
  | Leaves<typeof kanban>
  | Leaves<typeof operation>
  | Leaves<typeof programs>
  | Leaves<typeof provider>
  | Leaves<typeof teamwork>
  | Leaves<typeof trust>;

type HolesByKey = {
  [Leaf in AllLeaves as Named<Leaf[0]>]: Holes<Leaf[1]> | Counting<Leaf[0]>;
};

/** The key of a text. */
export type TextKey = keyof HolesByKey;

/** The key of a text without placeholders. */
export type PlainTextKey = {
  [K in TextKey]: [HolesByKey[K]] extends [never] ? K : never;
}[TextKey];

/** The values of the placeholders. */
type Values = Readonly<Record<string, string | number>>;

/** Requires a value for each placeholder of the text. */
export type TFunction = <K extends TextKey>(
  key: K,
  ...values: [HolesByKey[K]] extends [never]
    ? []
    : [Readonly<Record<HolesByKey[K], string | number>>]
) => string;

/** The parts of a catalogue, and those that each needs: texts of the first screens, of what is opened from there, of rare pages. */
const needs = {
  first: [],
  /** Before signing in. */
  auth: ["first"],
  later: ["first"],
  rare: ["first", "later"],
  /** Connections, queues, users, settings. */
  admin: ["first", "later"],
  campaigns: ["first", "later", "rare"],
  /** Dashboard, wall and reports. */
  figures: ["first", "later"],
  kanban: ["first", "later"],
  /** Texts of the pages for those who run the installation. */
  operation: ["first", "later"],
  /** The API, integrations and webhooks. */
  programs: ["first", "later"],
  /** The company's invoices and their checkout, and the provider's tabs of the settings. */
  provider: ["first", "later"],
  /** Internal chat, announcements, help, to-do. */
  teamwork: ["first", "later"],
  /** Sign-in, roles, audit, privacy, push messages. */
  trust: ["first", "later"],
} as const satisfies Record<string, readonly string[]>;
export type Part = keyof typeof needs;
/** All parts of a catalogue. */
export const textParts = Object.keys(needs) as Part[];

// Each part is exported under its own name; picked where it is loaded, which is shorter.
const catalogues: Record<Language, Record<Part, () => Promise<Partial<Record<Part, Branch>>>>> = {
  pt: {
    first: () => import("./pt/first.ts"),
    auth: () => import("./pt/auth.ts"),
    later: () => import("./pt/later.ts"),
    rare: () => import("./pt/rare.ts"),
    admin: () => import("./pt/admin.ts"),
    campaigns: () => import("./pt/campaigns.ts"),
    figures: () => import("./pt/figures.ts"),
    kanban: () => import("./pt/kanban.ts"),
    operation: () => import("./pt/operation.ts"),
    programs: () => import("./pt/programs.ts"),
    provider: () => import("./pt/provider.ts"),
    teamwork: () => import("./pt/teamwork.ts"),
    trust: () => import("./pt/trust.ts"),
  },
  en: {
    first: () => import("./en/first.ts"),
    auth: () => import("./en/auth.ts"),
    later: () => import("./en/later.ts"),
    rare: () => import("./en/rare.ts"),
    admin: () => import("./en/admin.ts"),
    campaigns: () => import("./en/campaigns.ts"),
    figures: () => import("./en/figures.ts"),
    kanban: () => import("./en/kanban.ts"),
    operation: () => import("./en/operation.ts"),
    programs: () => import("./en/programs.ts"),
    provider: () => import("./en/provider.ts"),
    teamwork: () => import("./en/teamwork.ts"),
    trust: () => import("./en/trust.ts"),
  },
  es: {
    first: () => import("./es/first.ts"),
    auth: () => import("./es/auth.ts"),
    later: () => import("./es/later.ts"),
    rare: () => import("./es/rare.ts"),
    admin: () => import("./es/admin.ts"),
    campaigns: () => import("./es/campaigns.ts"),
    figures: () => import("./es/figures.ts"),
    kanban: () => import("./es/kanban.ts"),
    operation: () => import("./es/operation.ts"),
    programs: () => import("./es/programs.ts"),
    provider: () => import("./es/provider.ts"),
    teamwork: () => import("./es/teamwork.ts"),
    trust: () => import("./es/trust.ts"),
  },
};

/** The texts on the screen. Another language, or more texts, is another object with another `t`. */
type Speech = { readonly language: Language; readonly t: TFunction };

let texts: Branch = {};
const speech = createStore<Speech>(speak("pt"));
/** The language that was chosen last, while its texts may still be on their way. */
let wanted: Language = "pt";
/** In the order in which they were first wanted. */
let wantedParts: ReadonlySet<Part> = new Set<Part>(["first"]);
let knownParts: ReadonlySet<Part> = new Set<Part>();

/** For texts outside components (toasts). Inside components use `useTranslation`. */
export const i18n: Speech = {
  get language() {
    return speech.get().language;
  },
  get t() {
    return speech.get().t;
  },
};

/** The texts in the chosen language; renders again when it changes. */
export function useTranslation(): { readonly t: TFunction } {
  return useStore(speech);
}

/** Starts the texts in the language of the last visit, or in Portuguese when those cannot be fetched. */
export async function startTexts(): Promise<void> {
  const stored = localStorage.getItem(STORAGE_KEY);
  const language = isLanguage(stored) ? stored : "pt";
  try {
    await applyLanguage(language);
  } catch (error) {
    if (language === "pt") throw error;
    reportError(error);
    await applyLanguage("pt");
  }
}

/** The result of `load`, after the texts of this part (`pt/later.ts`, …) and those it needs have arrived. */
export async function withTexts<T>(part: Part, load: Promise<T>): Promise<T> {
  if (!wantedParts.has(part)) wantedParts = new Set([...wantedParts, ...needs[part], part]);
  const [loaded] = await Promise.all([load, knownParts.has(part) ? undefined : fetchTexts()]);
  return loaded;
}

/** For rare texts on a first screen: renders again once the later texts are loaded. Until then a fallback is shown. */
export function useLaterTexts(isNeeded: boolean): void {
  useEffect(() => {
    if (isNeeded) withTexts("later", Promise.resolve()).catch(() => undefined);
  }, [isNeeded]);
}

/** Changes the language and keeps the choice on this device. Throws when its texts cannot be fetched. */
export async function chooseLanguage(language: Language): Promise<void> {
  await applyLanguage(language);
  localStorage.setItem(STORAGE_KEY, language);
}

/** The language on the screen now. */
export function currentLanguage(): Language {
  return speech.get().language;
}

/** The language on the screen, followed through changes. */
export function useLanguage(): Language {
  return useStore(speech, currentLanguage);
}

/** True if there is a text with this key, for keys from outside. */
export function isTextKey(key: string): key is TextKey {
  return textAt(key) !== undefined;
}

async function applyLanguage(language: Language): Promise<void> {
  wanted = language;
  try {
    await fetchTexts();
  } catch (error) {
    if (wanted === language) wanted = currentLanguage();
    throw error;
  }
}

/** Repeats until the wanted texts are shown: meanwhile another language or more texts may be requested. */
async function fetchTexts(): Promise<void> {
  let language: Language;
  let fetched: ReadonlySet<Part>;
  let catalogue: Branch;
  do {
    language = wanted;
    fetched = wantedParts;
    catalogue = await readParts(language, [...fetched]);
  } while (language !== wanted || fetched !== wantedParts);
  knownParts = fetched;
  say(language, catalogue);
}

/** All texts of a language, as one catalogue. */
export async function wholeCatalogue(language: Language): Promise<Branch> {
  return readParts(language, textParts);
}

async function readParts(language: Language, parts: readonly Part[]): Promise<Branch> {
  const all = parts.map(async (part) => (await catalogues[language][part]())[part] ?? {});
  return (await Promise.all(all)).reduce(joined, {});
}

function say(language: Language, catalogue: Branch): void {
  texts = catalogue;
  document.documentElement.lang = localeTags[language];
  speech.set(speak(language));
}

function speak(language: Language): Speech {
  const plural = new Intl.PluralRules(language);
  return {
    language,
    t: (key, ...[values]: [Values?]) => {
      const text = counted(key, values?.["count"], plural) ?? textAt(key) ?? key;
      return values ? filled(text, values) : text;
    },
  };
}

/** The plural form of a text for this number; `_zero` if zero has its own text. */
function counted(
  key: string,
  count: string | number | undefined,
  plural: Intl.PluralRules,
): string | undefined {
  if (typeof count !== "number") return undefined;
  // CLDR counts 0 as one in Portuguese; people write "0 resultados".
  const form = count !== 0 && plural.select(count) === "one" ? "one" : "other";
  return (count === 0 ? textAt(`${key}_zero`) : undefined) ?? textAt(`${key}_${form}`);
}

function filled(text: string, values: Values): string {
  return text.replace(/\{\{(\w+)\}\}/g, (hole, name: string) => String(values[name] ?? hole));
}

function textAt(key: string): string | undefined {
  let at: string | Branch | undefined = texts;
  for (const part of key.split(".")) {
    if (typeof at !== "object" || !Object.hasOwn(at, part)) return undefined;
    at = at[part];
  }
  return typeof at === "string" ? at : undefined;
}
