import { type Id, parseId } from '../basics/id.ts';
import { hasCredentialPrefix } from '../secrets/credential-text.ts';
import { PaymountError } from './paymount-error.ts';

/**
 * The error for an id that does not exist here: unknown, malformed, of another account or of the
 * other environment. All of these get the same answer.
 * @param param given if the id was a parameter: 400. Without it the id was in the path, and the
 *   HTTP layer answers 404
 */
export function missing(noun: string, id: string, param?: string): PaymountError {
  const details = param === undefined ? {} : { param };
  return new PaymountError('resource_missing', buildMessage(noun, id), details);
}

/**
 * As `missing`, for a parameter that names the object of the request, as an id in the path does:
 * 404.
 */
export function missingTarget(noun: string, id: string, param: string): PaymountError {
  return new PaymountError('resource_missing', buildMessage(noun, id), { param, isTarget: true });
}

function buildMessage(noun: string, id: string): string {
  return isShowable(id) ? `No such ${noun}: ${id}` : `No such ${noun}.`;
}

const ID_SHAPE = /^[a-z]{2,5}_\w{1,64}$/;
/** The minimum number of digits of a card number; none begins with 0, as our ids do. */
const CARD_NUMBER = /[1-9]\d{12}/;

/** Repeats the id in the message only if it looks like an id, and never a key or a card number. */
function isShowable(id: string): boolean {
  return ID_SHAPE.test(id) && !hasCredentialPrefix(id) && !CARD_NUMBER.test(id);
}

/** The ids among `texts`; other texts are left out. */
export function idsAmong<const Prefix extends string>(
  prefix: Prefix,
  texts: readonly string[],
): readonly Id<Prefix>[] {
  return texts.flatMap((text) => parseId(prefix, text) ?? []);
}

/** Reads an id and loads its object, or throws `resource_missing`. */
export async function findOrThrow<const Prefix extends string, Found>(
  name: { readonly noun: string; readonly prefix: Prefix; readonly param?: string },
  text: string,
  find: (id: Id<Prefix>) => Promise<Found | undefined>,
): Promise<Found> {
  const id = parseId(name.prefix, text);
  const found = id === undefined ? undefined : await find(id);
  if (found === undefined) throw missing(name.noun, text, name.param);
  return found;
}
