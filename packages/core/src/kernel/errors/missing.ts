import { type Id, parseId } from '../basics/id.ts';
import { hasCredentialPrefix } from '../secrets/credential-text.ts';
import { PaymountError } from './paymount-error.ts';

/**
 * The answer to an id that names nothing here: unknown, malformed, of another account or of the
 * other environment, all alike.
 * @param param given when the id stood in a parameter: 400; in the path it is 404, which the
 *   HTTP layer decides by the absence of `param`
 */
export function missing(noun: string, id: string, param?: string): PaymountError {
  return new PaymountError('resource_missing', messageOf(noun, id), {
    ...(param === undefined ? {} : { param }),
  });
}

/** As `missing`, for a parameter that says what the request is about, as the path does: 404. */
export function missingTarget(noun: string, id: string, param: string): PaymountError {
  return new PaymountError('resource_missing', messageOf(noun, id), { param, isTarget: true });
}

function messageOf(noun: string, id: string): string {
  return isShowable(id) ? `No such ${noun}: ${id}` : `No such ${noun}.`;
}

const ID_SHAPE = /^[a-z]{2,5}_\w{1,64}$/;
/** As many digits as a card number has at least; none begins with 0, as our ids do. */
const CARD_NUMBER = /[1-9]\d{12}/;

/** Echoes what looks like an id; a key or a card number that was sent in its place, or within it, is not. */
function isShowable(id: string): boolean {
  return ID_SHAPE.test(id) && !hasCredentialPrefix(id) && !CARD_NUMBER.test(id);
}

/** The ids among `texts`; what is none names nothing. */
export function idsAmong<const Prefix extends string>(
  prefix: Prefix,
  texts: readonly string[],
): readonly Id<Prefix>[] {
  return texts.flatMap((text) => parseId(prefix, text) ?? []);
}

/** Reads an id and loads what it names, or throws `resource_missing`. */
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
