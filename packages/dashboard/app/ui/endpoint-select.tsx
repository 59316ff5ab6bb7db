import { NativeSelect } from '@mantine/core';
import type { Endpoint, Page } from '../api/resources.ts';
import { useObject } from '../api/use-object.ts';
import { errorText } from './error-message.tsx';

interface EndpointSelectProps {
  readonly label: string;
  readonly description?: string;
  /** What it means to choose none. */
  readonly none: string;
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** Chooses one of the first 100 endpoints. */
export function EndpointSelect(props: EndpointSelectProps) {
  const { none, onChange, value, ...texts } = props;
  const { data, error } = useObject<Page<Endpoint>>('endpoints', { limit: 100 });
  const known = (data?.data ?? []).map(({ id, url }) => ({ value: id, label: url }));
  const isUnknown = value !== '' && !known.some((each) => each.value === value);
  return (
    <NativeSelect
      {...texts}
      error={error && `The endpoints could not be read. ${errorText(error)}`}
      value={value}
      data={[{ value: '', label: none }, ...known, ...(isUnknown ? [{ value, label: value }] : [])]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
