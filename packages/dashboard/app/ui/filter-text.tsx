import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useAddress } from '../use-address.ts';
import { fromLocalField, toLocalField } from './local-field.ts';

interface FilterProps {
  readonly label: string;
  /** The name of the filter in the address. */
  readonly name: string;
  readonly placeholder?: string;
}

const PAUSE_MS = 400;

/** A filter by a text that the address keeps; it takes effect when the user pauses. */
export function FilterText({ label, name, placeholder }: FilterProps) {
  const { address, filter } = useAddress();
  const [text, setText] = useState(address[name] ?? '');
  const apply = useDebouncedCallback((value: string) => void filter({ [name]: value }), PAUSE_MS);
  return (
    <TextInput
      label={label}
      placeholder={placeholder ?? ''}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        apply(event.currentTarget.value.trim());
      }}
    />
  );
}

/** A filter by a time. The field has the time of the browser; the address has the one of the world. */
export function FilterTime({ label, name }: FilterProps) {
  const { address, filter } = useAddress();
  return (
    <TextInput
      type="datetime-local"
      label={label}
      value={toLocalField(address[name])}
      onChange={(event) => void filter({ [name]: fromLocalField(event.currentTarget.value) })}
    />
  );
}
