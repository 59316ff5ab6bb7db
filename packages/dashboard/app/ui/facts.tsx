import { Fragment, type ReactNode } from 'react';
import classes from './ui.module.css';

/** Names and values; those without a value are left out. */
export function Facts({ of }: { of: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className={classes['facts']}>
      {Object.entries(of).map(([name, value]) =>
        value === null || value === undefined || value === false || value === '' ? null : (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ),
      )}
    </dl>
  );
}
