import type { SimulatorMessage } from "@balcao/contract";
import { IconFile, IconFileOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { download } from "../../api/download.ts";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./message-file.module.css";

type File = NonNullable<SimulatorMessage["file"]>;

/** The file of a message on the phone's screen: shown, played, or offered to be saved. */
export function MessageFile({ file, kind }: { file: File; kind: SimulatorMessage["kind"] }) {
  const { t } = useTranslation();
  const { url, hasFailed } = useObjectUrl(file.url);
  if (hasFailed) {
    return (
      <p className={classes["document"]}>
        <IconFileOff size={19} stroke={1.7} aria-hidden="true" />
        {t("simulator.fileGone")}
      </p>
    );
  }
  if (url === null) return <div className={classes["waiting"]} aria-label={t("common.loading")} />;
  if (kind === "image" || kind === "sticker") {
    return <img className={classes[kind]} src={url} alt={file.name} />;
  }
  if (kind === "video") {
    return <video className={classes["image"]} src={url} controls preload="metadata" />;
  }
  if (kind === "audio" || kind === "voice") {
    return <audio className={classes["audio"]} src={url} controls preload="metadata" />;
  }
  return <Document file={file} url={url} />;
}

function Document({ file, url }: { file: File; url: string }): ReactNode {
  return (
    <a className={classes["document"]} href={url} download={file.name}>
      <IconFile size={19} stroke={1.7} aria-hidden="true" />
      {file.name}
    </a>
  );
}

/** An address of the bytes for this page alone; the call needs the bearer, which elements do not send. */
function useObjectUrl(callUrl: string): { url: string | null; hasFailed: boolean } {
  const { data, isError } = useQuery({
    queryKey: ["simulator", "file", callUrl],
    queryFn: async ({ signal }) => URL.createObjectURL(await download(`/api${callUrl}`, signal)),
    staleTime: Number.POSITIVE_INFINITY,
    // An address that was made once is good for as long as the page lives.
    gcTime: Number.POSITIVE_INFINITY,
    meta: { live: false },
  });
  return { url: data ?? null, hasFailed: isError };
}
