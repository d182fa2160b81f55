/** A PDF with these pages, each of lines of text; `""` is an empty line. Letters of Western European languages only. */
export function pdfOf(
  pages: readonly (readonly string[])[],
  { isEncrypted = false }: { isEncrypted?: boolean } = {},
): Buffer {
  const escaped = (line: string): string => line.replace(/[\\()]/g, (sign) => `\\${sign}`);
  const streams = pages.map((lines) => {
    const shown = lines.map((line) => `(${escaped(line)}) Tj T*`).join("\n");
    return `BT /F1 12 Tf 14 TL 72 720 Td\n${shown}\nET`;
  });
  const kids = streams.map((_, place) => `${4 + place * 2} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${streams.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ...streams.flatMap((stream, place) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + place * 2} 0 R
/Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    ]),
  ];
  let file = "%PDF-1.4\n";
  const places = objects.map((object, index) => {
    const at = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  const keys = `/Filter /Standard /V 1 /R 2 /P -4 /O <${"41".repeat(32)}> /U <${"42".repeat(32)}>`;
  const lock = isEncrypted ? `/Encrypt << ${keys} >> /ID [<4142> <4142>]` : "";
  const head = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}`;
  const end = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${lock} >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file + head + end, "latin1");
}
