import { type BoxProps, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { usePlace } from '../api/place.ts';
import { pageOfId } from '../ui/object-link.tsx';
import classes from './shell.module.css';

/** Opens the page of any id that is pasted into it. */
export function FindById(box: BoxProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const { path } = usePlace();
  const navigate = useNavigate();
  const open = (event: FormEvent) => {
    event.preventDefault();
    const id = text.trim();
    const page = pageOfId(id);
    if (page === undefined) {
      setProblem('Paste an ID such as evt_… or key_…');
      return;
    }
    setText('');
    void navigate({ to: `${path}/${page}` });
  };
  return (
    <search className={classes['find']}>
      <form onSubmit={open}>
        <TextInput
          {...box}
          type="search"
          aria-label="Open an ID"
          placeholder="Open an ID: evt_…, key_…"
          value={text}
          error={problem}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setProblem(undefined);
          }}
        />
      </form>
    </search>
  );
}
