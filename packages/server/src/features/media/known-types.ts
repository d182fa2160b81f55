import type { MediaKind } from "@balcao/contract";

/** What a file is, by its content. */
export type FileType = {
  kind: Exclude<MediaKind, "voice" | "sticker">;
  mime: string;
  /** Of the stored file. */
  extension: string;
  /** Its name says text, so nothing binary may follow. */
  mustStayText?: boolean;
};

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Names under which systems run a file. */
export const EXECUTABLE_EXTENSIONS: ReadonlySet<string> = new Set(
  words(`exe msi msix msp mst appx bat cmd com scr pif cpl dll ocx sys drv vb vbs vbe js jse mjs cjs wsf wsh hta
    ps1 ps1xml psm1 psd1 psc1 msh lnk scf url reg inf ins isp job gadget application jar jnlp class chm hlp
    sh bash zsh csh command run app action workflow apk aab deb rpm dmg pkg elf so dylib xpi crx`),
);

/** Names under which browsers run what is in a file. */
export const MARKUP_EXTENSIONS: ReadonlySet<string> = new Set(
  words("svg svgz htm html xhtml xht shtml mht mhtml xsl xslt"),
);

export const EXECUTABLE_TYPES: ReadonlySet<string> = new Set([
  "application/x-msdownload",
  "application/x-elf",
  "application/x-mach-binary",
  "application/x-ms-shortcut",
  "application/x-ft-apple.alias",
  "application/java-archive",
  "application/java-vm",
  "application/vnd.android.package-archive",
  "application/x-deb",
  "application/x-rpm",
  "application/x-apple-diskimage",
  "application/x-xpinstall",
  "application/x-google-chrome-extension",
  "application/x-shockwave-flash",
  "application/vnd.ms-htmlhelp",
  "application/x-ms-regedit",
]);

/** Texts, by their extension; content tells nothing more about them. */
export const TEXT_TYPES: ReadonlyMap<string, string> = new Map([
  ["txt", "text/plain"],
  ["log", "text/plain"],
  ["csv", "text/csv"],
  ["tsv", "text/tab-separated-values"],
  ["md", "text/markdown"],
  ["json", "application/json"],
  ["xml", "application/xml"],
  ["yaml", "application/yaml"],
  ["yml", "application/yaml"],
  ["ini", "text/plain"],
  ["sql", "text/plain"],
  ["srt", "text/plain"],
  ["vtt", "text/vtt"],
  ["vcf", "text/vcard"],
  ["ics", "text/calendar"],
  ["ofx", "text/plain"],
  ["ret", "text/plain"],
  ["rem", "text/plain"],
]);

const iso = words("mp4 m4v m4a m4b m4p mov 3gp 3g2 f4v f4p f4a f4b qt");
const ogg = words("ogg oga ogv ogx ogm opus spx");
const matroska = words("webm mkv");
const asf = ["asf"];
const mpeg = words("mp1 mp2 mp3");
const zips =
  words(`zip docx docm dotx dotm xlsx xlsm xltx xltm pptx pptm potx potm ppsx ppsm odt ods odp odg ott ots
  otp otg epub vsdx 3mf key numbers pages`);

/** Extensions of types that carry a signature, with what the sniffer may find there (its own extensions). */
export const SIGNED_EXTENSIONS: ReadonlyMap<string, readonly string[]> = new Map<
  string,
  readonly string[]
>([
  ...words("jpg jpeg jpe jfif").map((name) => [name, ["jpg"]] as const),
  ["png", ["png", "apng"]],
  ["apng", ["png", "apng"]],
  ["gif", ["gif"]],
  ["webp", ["webp"]],
  ["bmp", ["bmp"]],
  ["ico", ["ico"]],
  ["psd", ["psd"]],
  ...words("tif tiff").map((name) => [name, ["tif"]] as const),
  ...words("heic heif hif avif").map((name) => [name, ["heic", "avif"]] as const),
  ["pdf", ["pdf"]],
  ["rtf", ["rtf"]],
  ...words("mp3 mp2 mpga").map((name) => [name, mpeg] as const),
  ...ogg.map((name) => [name, ogg] as const),
  ...iso.map((name) => [name, iso] as const),
  ...words("webm weba mkv mka").map((name) => [name, matroska] as const),
  ...words("asf wma wmv").map((name) => [name, asf] as const),
  ["wav", ["wav"]],
  ["flac", ["flac"]],
  ["aac", ["aac"]],
  ["amr", ["amr"]],
  ...words("aif aiff").map((name) => [name, ["aif"]] as const),
  ["avi", ["avi"]],
  ...words("mpg mpeg").map((name) => [name, ["mpg", "mp1", "mp2"]] as const),
  ...words("ts mts m2ts").map((name) => [name, ["mts"]] as const),
  ["flv", ["flv"]],
  ...zips.map((name) => [name, zips] as const),
  // Old office documents; word processors write RTF under this name too.
  ["doc", ["cfb", "rtf"]],
  ...words("xls ppt pps msg pub vsd mpp").map((name) => [name, ["cfb"]] as const),
  ["rar", ["rar"]],
  ["7z", ["7z"]],
  ...words("gz tgz").map((name) => [name, ["gz", "tar.gz"]] as const),
  ["bz2", ["bz2"]],
  ["xz", ["xz"]],
  ["tar", ["tar"]],
]);

/** Office documents, by their extension, in each of the containers in which they come. */
export const OFFICE_DOCUMENTS: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  zip: new Map([
    ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
    ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
    ["pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
    ["ppsx", "application/vnd.openxmlformats-officedocument.presentationml.slideshow"],
    ["docm", "application/vnd.ms-word.document.macroenabled.12"],
    ["xlsm", "application/vnd.ms-excel.sheet.macroenabled.12"],
    ["pptm", "application/vnd.ms-powerpoint.presentation.macroenabled.12"],
    ["odt", "application/vnd.oasis.opendocument.text"],
    ["ods", "application/vnd.oasis.opendocument.spreadsheet"],
    ["odp", "application/vnd.oasis.opendocument.presentation"],
    ["odg", "application/vnd.oasis.opendocument.graphics"],
    ["epub", "application/epub+zip"],
  ]),
  cfb: new Map([
    ["doc", "application/msword"],
    ["xls", "application/vnd.ms-excel"],
    ["ppt", "application/vnd.ms-powerpoint"],
    ["pps", "application/vnd.ms-powerpoint"],
    ["msg", "application/vnd.ms-outlook"],
    ["pub", "application/x-mspublisher"],
    ["vsd", "application/vnd.visio"],
  ]),
};

/** Types of the sniffer that have another name here, and the pictures that are decoded. */
export const INFERRED_TYPES: ReadonlyMap<string, FileType> = new Map<string, FileType>([
  ["image/jpeg", { kind: "image", mime: "image/jpeg", extension: "jpg" }],
  ["image/png", { kind: "image", mime: "image/png", extension: "png" }],
  ["image/apng", { kind: "image", mime: "image/png", extension: "png" }],
  ["image/webp", { kind: "image", mime: "image/webp", extension: "webp" }],
  ["image/gif", { kind: "image", mime: "image/gif", extension: "gif" }],
  ["audio/ogg; codecs=opus", { kind: "audio", mime: "audio/ogg; codecs=opus", extension: "ogg" }],
  ["audio/ogg", { kind: "audio", mime: "audio/ogg", extension: "ogg" }],
  ["application/ogg", { kind: "audio", mime: "audio/ogg", extension: "ogg" }],
  ["audio/x-m4a", { kind: "audio", mime: "audio/mp4", extension: "m4a" }],
  ["audio/mp4", { kind: "audio", mime: "audio/mp4", extension: "m4a" }],
  ["video/x-m4v", { kind: "video", mime: "video/mp4", extension: "mp4" }],
  ["audio/x-ms-asf", { kind: "audio", mime: "audio/x-ms-wma", extension: "wma" }],
  ["video/x-ms-asf", { kind: "video", mime: "video/x-ms-wmv", extension: "wmv" }],
  ["application/vnd.ms-asf", { kind: "video", mime: "video/x-ms-asf", extension: "asf" }],
  ["video/matroska", { kind: "video", mime: "video/x-matroska", extension: "mkv" }],
  ["application/x-cfb", { kind: "document", mime: "application/x-ole-storage", extension: "bin" }],
]);

/** ffmpeg's names of the containers that it is given, by the stored file's MIME type. */
export const FFMPEG_FORMATS: ReadonlyMap<string, string> = new Map([
  ["video/mp4", "mov"],
  ["video/quicktime", "mov"],
  ["video/3gpp", "mov"],
  ["video/3gpp2", "mov"],
  ["audio/mp4", "mov"],
  ["video/webm", "matroska"],
  ["audio/webm", "matroska"],
  ["video/x-matroska", "matroska"],
  ["video/ogg", "ogg"],
  ["audio/ogg", "ogg"],
  ["audio/ogg; codecs=opus", "ogg"],
  ["audio/mpeg", "mp3"],
  ["audio/wav", "wav"],
  ["audio/flac", "flac"],
  ["audio/aac", "aac"],
  ["audio/amr", "amr"],
  ["audio/aiff", "aiff"],
  ["audio/x-caf", "caf"],
  ["audio/x-ms-wma", "asf"],
  ["video/x-ms-wmv", "asf"],
  ["video/x-ms-asf", "asf"],
  ["video/vnd.avi", "avi"],
  ["video/mpeg", "mpeg"],
  ["video/mp2t", "mpegts"],
  ["video/x-flv", "flv"],
]);

/** Sounds that the chat app plays as they are; the others become MP3 (behaviour 1.10). */
export const PLAYED_AS_THEY_ARE: ReadonlySet<string> = new Set([
  "audio/mpeg",
  "audio/ogg; codecs=opus",
  "audio/mp4",
  "audio/aac",
  "audio/amr",
]);
