/** Copies a text to the clipboard, also on pages without TLS, where `navigator.clipboard` is missing. */
export async function copyText(text: string): Promise<void> {
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (clipboard !== undefined) {
    await clipboard.writeText(text);
    return;
  }
  const opener = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.setAttribute("readonly", "");
  field.style.position = "fixed";
  field.style.opacity = "0";
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
  if (!isCopied) throw new Error("the browser does not let anything be copied");
}
