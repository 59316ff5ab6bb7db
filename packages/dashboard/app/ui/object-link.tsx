import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../api/place.ts';
import classes from './ui.module.css';

/** The prefix of an id -> the pages of such objects. */
const PAGES: Readonly<Record<string, string>> = {
  ch: 'charges',
  re: 'refunds',
  txn: 'balance',
  key: 'keys',
  we: 'endpoints',
  dlv: 'deliveries',
  evt: 'events',
  rpl: 'replays',
  ca: 'applications',
  leak: 'leaks',
  aud: 'audit',
};
const ID = /^([a-z]+)_[0-9a-z]+$/;

/** The page of an id, below the account and environment; undefined if there is none. */
export function pageOfId(id: string): string | undefined {
  const page = PAGES[ID.exec(id)?.[1] ?? ''];
  return page && `${page}/${id}`;
}

interface ObjectLinkProps {
  readonly id: string;
  /** By default the id itself. */
  readonly label?: string;
}

/** A link to the page of an object; plain text if it has no page. */
export function ObjectLink({ id, label }: ObjectLinkProps) {
  const { path } = usePlace();
  const page = pageOfId(id);
  const text = label ?? <span className={classes['id']}>{id}</span>;
  if (page === undefined) return text;
  return (
    <Anchor component={Link} to={`${path}/${page}`} size="sm">
      {text}
    </Anchor>
  );
}
