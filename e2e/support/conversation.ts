import type { Locator, Page } from "@playwright/test";
import { expect } from "@playwright/test";
import type { NamedFile } from "./files.ts";

/** Opens the options of one message and chooses one of them. */
export async function chooseOption(message: Locator, option: string): Promise<void> {
  await openOptions(message);
  await message.page().getByRole("menuitem", { name: option }).click();
}

export async function openOptions(message: Locator): Promise<void> {
  await message.hover();
  await message.getByRole("button", { name: "Opções da mensagem" }).first().click();
  await expect(message.page().getByRole("menu", { name: "Opções da mensagem" })).toBeVisible();
}

/** Chooses files with the button of the composer. */
export async function attach(page: Page, ...files: readonly NamedFile[]): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Anexar arquivos" }).click();
  await (await chooser).setFiles([...files]);
}

/** The files that are about to be sent. */
export function tray(page: Page): Locator {
  return page.getByRole("list", { name: "Arquivos para enviar" }).getByRole("listitem");
}

/** Drags files over `target`; `drop` lets them go there. */
export async function dragFiles(
  target: Locator,
  files: readonly NamedFile[],
): Promise<{ drop(): Promise<void> }> {
  const dataTransfer = await transferOf(target.page(), files);
  await target.dispatchEvent("dragenter", { dataTransfer });
  await target.dispatchEvent("dragover", { dataTransfer });
  return { drop: () => target.dispatchEvent("drop", { dataTransfer }) };
}

/** Pastes files into a field, as a screenshot from the clipboard. */
export async function pasteFiles(field: Locator, files: readonly NamedFile[]): Promise<void> {
  const clipboardData = await transferOf(field.page(), files);
  await field.evaluate(
    (element, data) =>
      element.dispatchEvent(
        new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
      ),
    clipboardData,
  );
}

function transferOf(page: Page, files: readonly NamedFile[]) {
  const contents = files.map(({ name, mimeType, buffer }) => ({
    name,
    mimeType,
    base64: buffer.toString("base64"),
  }));
  return page.evaluateHandle((chosen) => {
    const transfer = new DataTransfer();
    for (const { name, mimeType, base64 } of chosen) {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.codePointAt(0) ?? 0);
      transfer.items.add(new File([bytes], name, { type: mimeType }));
    }
    return transfer;
  }, contents);
}
