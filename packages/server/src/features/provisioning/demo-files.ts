import type { MediaKind } from "@balcao/contract";
import { dressPicture, labelPicture } from "./demo-pictures.ts";

export type DemoFileName = "dress" | "label" | "invoice";

export type DemoFile = {
  kind: MediaKind;
  name: string;
  mime: string;
  content(): Promise<Uint8Array>;
};

/** A page of text as PDF. */
async function invoice(): Promise<Uint8Array> {
  const lines = [
    "Boutique Aurora",
    "Nota fiscal 004.512",
    "1 x Camisa de linho",
    "Total: R$ 289,90",
  ];
  const text = lines.map((line) => `(${line}) Tj 0 -26 Td`).join(" ");
  const page = `BT /F1 16 Tf 72 760 Td ${text} ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${page.length} >>\nstream\n${page}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let file = "%PDF-1.4\n";
  const places = objects.map((object, index) => {
    const place = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const table = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const start = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, "latin1");
}

/** The files that people send each other in the demo. They are painted, not photographed. */
export const demoFiles: Readonly<Record<DemoFileName, DemoFile>> = {
  dress: { kind: "image", name: "vestido-aurora.jpg", mime: "image/jpeg", content: dressPicture },
  label: { kind: "image", name: "etiqueta.jpg", mime: "image/jpeg", content: labelPicture },
  invoice: {
    kind: "document",
    name: "nota-fiscal-004512.pdf",
    mime: "application/pdf",
    content: invoice,
  },
};
