import { Textarea } from '@mantine/core';

/** The addresses and ranges of a text, one for each line or word. */
export function toRanges(text: string): string[] {
  return text.split(/[\s,]+/).filter((range) => range !== '');
}

interface RangesFieldProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** The addresses from which a key may be used. */
export function RangesField({ value, onChange }: RangesFieldProps) {
  return (
    <Textarea
      label="Allowed addresses"
      description="One in each line, such as 203.0.113.7 or 2001:db8::/32. Empty: any address."
      autosize
      minRows={2}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
