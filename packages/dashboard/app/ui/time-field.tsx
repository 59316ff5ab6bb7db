import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { fromLocalField, toLocalField } from './local-field.ts';
import { PAUSE_MS } from './pause.ts';

const PROBLEM = 'Enter a whole time from 1970 to 9999, or none.';

interface TimeFieldProps {
  readonly label: string;
  readonly description?: string;
  /** An ISO time; empty for none. */
  readonly value: string | undefined;
  /** Called at each change, with undefined while what is entered is no time. */
  readonly onChange: (at: string | undefined) => void;
  readonly onLeave?: () => void;
}

/**
 * A field of a time in the zone of the browser. It keeps what the user types, because a time is
 * typed digit by digit: a year is 0002 before it is 2026.
 */
export function TimeField({ label, description, value, onChange, onLeave }: TimeFieldProps) {
  const [text, setText] = useState(() => toLocalField(value));
  const [problem, setProblem] = useState<string>();
  const given = useRef(value);
  const complain = useDebouncedCallback(setProblem, PAUSE_MS);
  useEffect(() => {
    // Only a change from elsewhere, such as back, replaces what the user types.
    if (value === given.current) return;
    given.current = value;
    complain.cancel();
    setText(toLocalField(value));
    setProblem(undefined);
  }, [value, complain]);
  const take = (field: HTMLInputElement): string | undefined => {
    const at = enteredIn(field);
    setText(field.value);
    if (at !== given.current) {
      given.current = at;
      onChange(at);
    }
    return at === undefined ? PROBLEM : undefined;
  };
  return (
    <TextInput
      type="datetime-local"
      // Without a greatest one, Chromium takes a year of six digits.
      min="1970-01-01T00:00"
      max="9999-12-31T23:59"
      label={label}
      description={description}
      value={text}
      error={problem}
      onChange={(event) => {
        setProblem(undefined);
        complain(take(event.currentTarget));
      }}
      onBlur={(event) => {
        complain.cancel();
        setProblem(take(event.currentTarget));
        onLeave?.();
      }}
    />
  );
}

/** An ISO time, an empty text for an empty field, and undefined for anything else. */
function enteredIn({ value, validity }: HTMLInputElement): string | undefined {
  // A field of which only a part is filled in has no value, but is not empty.
  return value === '' && !validity.badInput ? '' : fromLocalField(value);
}
