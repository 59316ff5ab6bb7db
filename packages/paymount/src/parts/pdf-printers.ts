import { type PdfFonts, PdfPrinter } from '@paymount/documents';

/** The printer of a process: made for its first mount of invoices, and shared by all of them. */
export class PdfPrinters {
  #printer: PdfPrinter | undefined;

  /** @throws Error if a library or a font is missing; it says what to install */
  open(fonts?: PdfFonts): PdfPrinter {
    this.#printer ??= new PdfPrinter(fonts);
    return this.#printer;
  }

  /** Safe to call twice. */
  async close(): Promise<void> {
    await this.#printer?.close();
  }
}
