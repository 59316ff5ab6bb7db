import { useNavigate, useSearch } from '@tanstack/react-router';
import { useIsShown } from './use-is-shown.ts';

/** The part of an address after `?`: filters and the place in a list. */
export type Address = Readonly<Record<string, string | undefined>>;

/** Reads and changes the part of the address after `?`, so that reload and back keep the place. */
export function useAddress() {
  const address: Address = useSearch({ strict: false });
  const navigate = useNavigate();
  const isShown = useIsShown();
  /** Sets some values; `undefined` and an empty text remove one. Not on a page that was opened meanwhile. */
  const change = async (values: Address, { replace = false } = {}): Promise<void> => {
    if (!isShown.current) return;
    await navigate({
      to: '.',
      search: withoutEmpty({ ...address, ...values }),
      replace,
      resetScroll: false,
    });
  };
  /** Sets filters: the list begins at its first page again. */
  const filter = (values: Address) =>
    change({ after: undefined, before: undefined, ...values }, { replace: true });
  return { address, change, filter };
}

function withoutEmpty(values: Address): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, value]],
    ),
  );
}
