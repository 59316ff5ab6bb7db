import { type BoxProps, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { usePlace } from '../api/place.ts';
import { findById } from '../ui/page-of-id.ts';
import classes from './shell.module.css';

/** Opens the page of any id that is pasted into it. */
export function FindById(box: BoxProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const { account, path } = usePlace();
  const navigate = useNavigate();
  const open = (event: FormEvent) => {
    event.preventDefault();
    const found = findById(text.trim(), account.id);
    if ('problem' in found) {
      setProblem(found.problem);
      return;
    }
    setText('');
    void navigate({ to: `${path}/${found.page}` });
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
