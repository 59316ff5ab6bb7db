import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { usePlace } from '../api/place.ts';
import type { Query } from '../api/request.ts';
import type { Environment } from '../api/resources.ts';
import { useAddress } from '../use-address.ts';
import { PAUSE_MS } from './pause.ts';
import { TimeField } from './time-field.tsx';
import { toWords } from './to-words.ts';

/** A filter of a list. The address keeps it, so that reload and back do. */
export interface Filter {
  readonly label: string;
  /** Its name at the server and in the address. */
  readonly name: string;
  /** The values to choose from; without them it is a text. */
  readonly options?: readonly string[];
  /** What an option is called; by default itself, and types of events always are. */
  readonly words?: Readonly<Record<string, string>>;
  readonly placeholder?: string;
  /** The only environment that has such objects; elsewhere the filter does not exist. */
  readonly only?: Environment;
}

/** By the time at which an object was created. */
export const CREATED = { label: 'From', name: 'created' } as const satisfies Filter;

/** What is on a test clock has the time of that clock, so a list without this filter leaves it out. */
export const TEST_CLOCK = {
  label: 'Test clock',
  name: 'test_clock',
  placeholder: 'clock_…',
  only: 'test',
} as const satisfies Filter;

/** Those that the environment of the page has. */
function useOwnFilters(filters: readonly Filter[]): readonly Filter[] {
  const { environment } = usePlace();
  return filters.filter(({ only = environment }) => only === environment);
}

/** What the filters in the address ask of the server. */
export function useFilters(filters: readonly Filter[]): Query {
  const { address } = useAddress();
  const { from, to } = address;
  return Object.fromEntries(
    useOwnFilters(filters).map(({ name }) => [
      name,
      name === CREATED.name ? { gte: from, lt: to } : address[name],
    ]),
  );
}

/** The fields of filters. */
export function Filters({ of }: { of: readonly Filter[] }) {
  const own = useOwnFilters(of);
  if (own.length === 0) return null;
  return (
    <Group mb="md" align="flex-end">
      {own.map((filter) => (
        <FilterField key={filter.name} {...filter} />
      ))}
    </Group>
  );
}

function FilterField(filter: Filter) {
  if (filter.options !== undefined) return <FilterSelect {...filter} options={filter.options} />;
  if (filter.name !== CREATED.name) return <FilterText {...filter} />;
  return (
    <>
      <FilterTime label={filter.label} name="from" />
      <FilterTime label="Before" name="to" />
    </>
  );
}

function FilterSelect(props: Filter & { readonly options: readonly string[] }) {
  const { label, name, options, words = {} } = props;
  const { address, filter } = useAddress();
  return (
    <NativeSelect
      label={label}
      value={address[name] ?? ''}
      data={[
        { value: '', label: 'All' },
        ...options.map((value) => ({
          value,
          label: words[value] ?? (value.includes('.') ? value : toWords(value)),
        })),
      ]}
      onChange={(event) => void filter({ [name]: event.currentTarget.value })}
    />
  );
}

/** It takes effect when the user pauses. */
function FilterText({ label, name, placeholder = '' }: Filter) {
  const { address, filter } = useAddress();
  const value = address[name] ?? '';
  const [text, setText] = useState(value);
  const applied = useRef(value);
  const apply = useDebouncedCallback((typed: string) => {
    applied.current = typed;
    void filter({ [name]: typed });
  }, PAUSE_MS);
  useEffect(() => {
    // Only a change from elsewhere, such as back, replaces what the user types.
    if (value === applied.current) return;
    apply.cancel();
    applied.current = value;
    setText(value);
  }, [value, apply]);
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        apply(event.currentTarget.value.trim());
      }}
    />
  );
}

/**
 * It takes effect when the user pauses or leaves it. The field has the time of the browser; the
 * address has the one of the world.
 */
function FilterTime({ label, name }: Filter) {
  const { address, filter } = useAddress();
  const apply = useDebouncedCallback((at: string | undefined) => {
    if (at !== undefined) void filter({ [name]: at });
  }, PAUSE_MS);
  return (
    <TimeField label={label} value={address[name] ?? ''} onChange={apply} onLeave={apply.flush} />
  );
}
