import { NativeSelect } from '@mantine/core';
import { useAddress } from '../use-address.ts';

interface FilterSelectProps {
  readonly label: string;
  /** The name of the filter in the address. */
  readonly name: string;
  readonly options: readonly string[];
  /** What an option is called; by default itself. */
  readonly words?: Readonly<Record<string, string>>;
}

/** A filter that the address keeps. */
export function FilterSelect({ label, name, options, words = {} }: FilterSelectProps) {
  const { address, filter } = useAddress();
  return (
    <NativeSelect
      label={label}
      value={address[name] ?? ''}
      data={[
        { value: '', label: 'All' },
        ...options.map((value) => ({ value, label: words[value] ?? value })),
      ]}
      onChange={(event) => void filter({ [name]: event.currentTarget.value })}
    />
  );
}
