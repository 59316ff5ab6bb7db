import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AddressOfInvoice } from '@paymount/core/billing';
import { type Environment, type InvoiceId, type Owner, Secret } from '@paymount/core/kernel';
import type { SealedSource } from './stored-secrets.ts';

const NAME = 'invoice_links';
const KEY_BYTES = 32;
/** 192 bits: nobody guesses one. In base64 it has 32 characters. */
const TOKEN_BYTES = 24;

type Named = Owner & { readonly id: InvoiceId };

/**
 * Makes the addresses of invoices, and knows them again. The token in an address is a MAC of the ids under
 * a secret that is created once per installation and stored sealed: all processes have the same addresses,
 * nothing about an address is stored with an invoice, and the rows alone give none away.
 */
export class InvoiceLinks {
  readonly #urls: Readonly<Partial<Record<Environment, string>>>;
  #key: Secret<Uint8Array> | undefined;

  constructor(urls: Readonly<Partial<Record<Environment, string>>>) {
    this.#urls = urls;
  }

  /** Before anything is mounted. A host without pages has no secret for them. */
  async open({ sealed, sealer }: Pick<SealedSource, 'sealed' | 'sealer'>): Promise<void> {
    if (Object.keys(this.#urls).length === 0) return;
    const row = await sealed.installation(NAME, (context) =>
      sealer.seal(randomBytes(KEY_BYTES).toString('base64'), context),
    );
    const text = await sealer.open(row.sealed, row.context);
    this.#key = new Secret(Buffer.from(text, 'base64'));
  }

  /** The address of an issued invoice. */
  readonly addressOf: AddressOfInvoice = (invoice) => {
    const base = this.#urls[invoice.environment];
    if (base === undefined) return undefined;
    const page = `${base}/${invoice.accountId}/${invoice.id}/${this.#token(invoice).toString('base64url')}`;
    return { page, pdf: `${page}/invoice.pdf` };
  };

  /** The address of its page, for e-mails. */
  readonly pageOf = (invoice: Named): string | undefined => this.addressOf(invoice)?.page;

  /** Whether a token is that of an invoice. It takes the same time for each that is not. */
  readonly isGenuine = (of: Named, token: string): boolean => {
    const given = Buffer.from(token, 'base64url');
    return given.length === TOKEN_BYTES && timingSafeEqual(given, this.#token(of));
  };

  #token({ accountId, environment, id }: Named): Buffer {
    if (this.#key === undefined) throw new Error('The secret of invoice links was not opened.');
    return createHmac('sha256', this.#key.reveal())
      .update(`invoice:${accountId}:${environment}:${id}`)
      .digest()
      .subarray(0, TOKEN_BYTES);
  }
}
