import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../api/place.ts';
import { pageOfId } from './page-of-id.ts';
import classes from './ui.module.css';

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
