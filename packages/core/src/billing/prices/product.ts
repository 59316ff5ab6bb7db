import type { Owner } from '../../kernel/basics/environment.ts';
import { newId, type ProductId } from '../../kernel/basics/id.ts';

/** Prices of one product. */
export const MAX_PRICES = 10_000;

/** The fields that a caller may change. */
export interface ProductEdit {
  readonly name: string;
  /** New prices may be made for it, and new subscriptions may use them. */
  readonly active: boolean;
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Something that an account sells. */
export interface Product extends Owner, ProductEdit {
  readonly id: ProductId;
  /** Increments with every change, and with every new price. */
  readonly version: number;
  /** How many prices were made for it. Prices are never deleted. */
  readonly priceCount: number;
  readonly created: Date;
  /** Set once, and only while there is no price. */
  readonly deletedAt?: Date;
}

export const BLANK_PRODUCT: ProductEdit = {
  name: '',
  active: true,
  description: null,
  metadata: {},
};

/** A product that has no price yet. */
export function newProduct(owner: Owner, edit: ProductEdit, created: Date): Product {
  return { ...owner, ...edit, id: newId('prod'), version: 1, priceCount: 0, created };
}

/** The product with the next version. */
export function changedProduct(
  product: Product,
  edit: Partial<ProductEdit & Pick<Product, 'priceCount' | 'deletedAt'>>,
): Product {
  return { ...product, ...edit, version: product.version + 1 };
}
