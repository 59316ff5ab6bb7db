import {
  type CreatedFilter,
  type Id,
  IsoInput,
  MomentInput,
  missing,
  type Page,
  type PageRequest,
  PaymountError,
  parseId,
  SecondsInput,
  shownAsTime,
  type TestClockId,
  withErrorHint,
} from '@paymount/core/kernel';
import { z } from 'zod';

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 10;

/** The last millisecond of a second, or the millisecond of an ISO time. */
const EndInput = z
  .union([
    SecondsInput.transform((seconds) => seconds * 1000 + 999),
    IsoInput.transform(Date.parse),
  ])
  .transform((ms) => new Date(ms))
  .meta({ description: 'ISO 8601 with a zone, or unix seconds.', override: shownAsTime });

/** A second is shown for all of its milliseconds, so what is after it begins with the next. */
const BoundsInput = withErrorHint(
  z
    .strictObject({
      gt: EndInput.optional(),
      gte: MomentInput.optional(),
      lt: MomentInput.optional(),
      lte: EndInput.optional(),
    })
    .meta({ id: 'CreatedFilter' }),
  'a range such as created[gte]=2026-11-21T18:00:00Z',
);

/** `created=<unix seconds>` is that second, `created=<ISO>` that millisecond. */
const ExactlyInput = z.union([
  SecondsInput.transform((seconds) => ({
    gte: new Date(seconds * 1000),
    lt: new Date((seconds + 1) * 1000),
  })),
  IsoInput.transform((text) => ({ gte: new Date(text), lte: new Date(text) })),
]);

const Cursor = z.string().min(1).max(255);

/** The common parameters of list routes. */
export const ListQuery = z.strictObject({
  limit: z.int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
  starting_after: Cursor.optional().meta({ description: 'Return objects after this id.' }),
  ending_before: Cursor.optional().meta({ description: 'Return objects before this id.' }),
});

/** A filter on a time. */
export function boundsInput(description: string) {
  return z
    .union([BoundsInput, ExactlyInput])
    .transform(presentBounds)
    .optional()
    .meta({
      description,
      override: boundsAlone,
      param: { style: 'deepObject', explode: true },
    });
}

/** The filter on `created` that most lists have. */
export const CreatedInput = boundsInput('Bounds: `created[gte]=2026-11-01T00:00:00Z`.');

/** The filter on the test clock. @param others what the list shows without it */
export function clockFilter(others: string) {
  return idFilter(`Only what is on this test clock; absent: ${others}.`);
}

/**
 * The clock of a query.
 * @throws PaymountError `resource_missing` for anything but the id of a test clock
 */
export function toClockFilter({ test_clock: name }: { readonly test_clock?: string | undefined }): {
  readonly clock?: TestClockId;
} {
  if (name === undefined) return {};
  const clock = parseId('clock', name);
  if (clock === undefined) throw missing('test clock', name, 'test_clock');
  return { clock };
}

/** The query of a list that has no other filter. */
export const CreatedListQuery = ListQuery.extend({ created: CreatedInput });

/** Generated clients need one type; a single time is for people. */
function boundsAlone({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const [bounds] = jsonSchema.anyOf ?? [];
  delete jsonSchema.anyOf;
  Object.assign(jsonSchema, bounds);
}

type Bounds = { readonly [Bound in keyof CreatedFilter]: Date | undefined };

/** Absent is absent, never undefined. */
function presentBounds({ gt, gte, lt, lte }: Bounds): CreatedFilter {
  return { ...(gt && { gt }), ...(gte && { gte }), ...(lt && { lt }), ...(lte && { lte }) };
}

/** @throws PaymountError `parameters_exclusive` for both cursors */
export function toPageRequest(query: z.output<typeof ListQuery>): PageRequest {
  const { limit, starting_after: startingAfter, ending_before: endingBefore } = query;
  if (startingAfter !== undefined && endingBefore !== undefined) {
    throw new PaymountError(
      'parameters_exclusive',
      'Send either starting_after or ending_before, not both.',
      { param: 'ending_before' },
    );
  }
  return {
    limit,
    ...(startingAfter === undefined ? {} : { startingAfter }),
    ...(endingBefore === undefined ? {} : { endingBefore }),
  };
}

/** An id of a filter. @throws PaymountError 400 `parameter_invalid` */
export function idIn<const Prefix extends string>(
  prefix: Prefix,
  text: string,
  param: string,
): Id<Prefix> {
  const id = parseId(prefix, text);
  if (id !== undefined) return id;
  const message = text.startsWith(`${prefix}_`)
    ? `${param} is not a whole id: send ${prefix}_ and the 26 characters after it.`
    : `${param} must be an id that begins with ${prefix}_.`;
  throw new PaymountError('parameter_invalid', message, { param });
}

/** The filter of a list by an id. An empty one is refused, as it would otherwise filter nothing. */
export function idFilter(description: string) {
  return z.string().min(1).max(255).optional().meta({ description });
}

/** A page of resources, as lists answer it. */
export interface ListJson<Resource> {
  readonly object: 'list';
  /** The path of the list, below the mount. */
  readonly url: string;
  /** Whether more follow; to get them, send the last id as `starting_after`. */
  readonly has_more: boolean;
  readonly data: readonly Resource[];
}

/** The JSON of a page. @param url the path of the list, below the mount */
export function toListResource<Item, Resource extends object>(
  url: string,
  page: Page<Item>,
  toResource: (item: Item) => Resource,
): ListJson<Resource> {
  return { object: 'list', url, has_more: page.hasMore, data: page.data.map(toResource) };
}

/** The schema of a page, for the reference. @param name of its component, such as `ChargeList` */
export function listSchema(name: string, item: z.ZodType): z.ZodType {
  return z
    .strictObject({
      object: z.literal('list'),
      url: z.string(),
      has_more: z.boolean(),
      data: z.array(item),
    })
    .meta({ id: name });
}
