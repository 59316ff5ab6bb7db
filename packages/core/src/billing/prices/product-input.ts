import { z } from 'zod';
import { name, text } from '../../kernel/input/input.ts';
import { MetadataInput, mergeMetadata } from '../../kernel/input/metadata.ts';
import { mergedText, unsettable } from '../../payments/contacts/contact-input.ts';
import type { ProductEdit } from './product.ts';

const NameInput = name(250).meta({ description: 'What payers read on invoices.' });

const ActiveInput = z.boolean().optional().meta({
  description: 'Whether new prices may be made for it, and new subscriptions may use them.',
});

const optionalFields = {
  active: ActiveInput,
  description: unsettable(text(1000)),
  metadata: MetadataInput.optional(),
};

export const ProductCreateInput = z
  .strictObject({ name: NameInput, ...optionalFields })
  .meta({ id: 'ProductCreate' });

export const ProductUpdateInput = z
  .strictObject({ name: NameInput.optional(), ...optionalFields })
  .meta({ id: 'ProductUpdate' });

/** The product that is made together with its first price. */
export const ProductDataInput = z
  .strictObject({
    name: NameInput,
    active: ActiveInput,
    metadata: MetadataInput.optional(),
  })
  .meta({ id: 'ProductData' });

export type ProductCreate = z.output<typeof ProductCreateInput>;
export type ProductUpdate = z.output<typeof ProductUpdateInput>;

/**
 * Applies a caller's fields to the stored ones.
 * @param at the parameter path of the caller's metadata
 * @throws PaymountError `metadata_limit_exceeded`
 */
export function mergeProduct(
  stored: ProductEdit,
  input: ProductUpdate,
  at = 'metadata',
): ProductEdit {
  return {
    name: input.name?.trim() ?? stored.name,
    active: input.active ?? stored.active,
    description: mergedText(stored.description, input.description),
    metadata: mergeMetadata(stored.metadata, input.metadata, at),
  };
}
