/** How a prompt answers: as text, or as a voice note of one of these voices (behaviour 7.4). */
export const promptVoices = [
  "texto",
  "pt-BR-FranciscaNeural",
  "pt-BR-AntonioNeural",
  "pt-BR-BrendaNeural",
  "pt-BR-DonatoNeural",
  "pt-BR-ElzaNeural",
  "pt-BR-FabioNeural",
  "pt-BR-GiovannaNeural",
  "pt-BR-HumbertoNeural",
  "pt-BR-JulioNeural",
  "pt-BR-LeilaNeural",
  "pt-BR-LeticiaNeural",
  "pt-BR-ManuelaNeural",
  "pt-BR-NicolauNeural",
  "pt-BR-ThalitaNeural",
  "pt-BR-ValerioNeural",
  "pt-BR-YaraNeural",
] as const;
export type PromptVoice = (typeof promptVoices)[number];

/** Why a prompt does not answer, until somebody mends it or the day ends. */
export const promptFaults = ["key", "credit", "rate", "address", "model", "reply", "slow"] as const;
export type PromptFault = (typeof promptFaults)[number];

/** Bounds of a prompt's fields (spec, ui-2). */
export const promptBounds = {
  name: { min: 5, max: 100 },
  prompt: { min: 50, max: 20_000 },
  maxTokens: { min: 16, max: 4_096, default: 100 },
  temperature: { min: 0, max: 2, default: 1 },
  maxMessages: { min: 1, max: 50, default: 10 },
  dayTokens: { max: 100_000_000, default: 200_000 },
  ticketTokens: { max: 10_000_000, default: 20_000 },
} as const;
/** Bounds of the company's AI service. */
export const aiServiceBounds = {
  dayTokens: { max: 100_000_000, default: 200_000 },
  daySounds: { max: 100_000, default: 200 },
} as const;
export const promptDefaults = {
  baseUrl: "https://api.openai.com/v1",
  model: "gpt-4.1-mini",
  voice: "texto",
  transcriptionModel: "whisper-1",
} as const;

/** In which other words an agent's text is put. */
export const rewriteKinds = ["shorter", "friendlier", "correct"] as const;
/** The languages of translations. */
export const helpLanguages = ["pt", "en", "es", "fr", "it", "de", "zh", "ja", "ar"] as const;
export type HelpLanguage = (typeof helpLanguages)[number];
