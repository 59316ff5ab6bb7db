import type { InvoiceDocument } from '../invoice-document.ts';

/** A paper to be drawn. */
export interface PdfRequest {
  readonly content: InvoiceDocument;
  /** The color of texts, as `#rrggbb`. */
  readonly text: string;
  /** At the top. */
  readonly name?: string;
  /** Drawn if it is a `data:` address of a PNG or JPEG. */
  readonly logoUrl?: string;
}

/** What the thread answers. */
export type PdfAnswer = { readonly bytes: Uint8Array } | { readonly error: string };
