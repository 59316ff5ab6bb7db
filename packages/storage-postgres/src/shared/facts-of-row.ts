import { environmentOf, type Owner } from '@paymount/core/kernel';
import { type Column, json, type Versioned } from './columns.ts';

/** The SQL types in which a property of this TypeScript type can be stored. */
type SqlType<Value> = [Value] extends [boolean]
  ? 'boolean'
  : [Value] extends [number]
    ? 'bigint' | 'integer'
    : [Value] extends [string]
      ? 'text'
      : [Value] extends [Date]
        ? 'timestamptz'
        : [Value] extends [readonly string[]]
          ? 'text[]'
          : 'jsonb';

/** `fixed`: only the insert writes it. */
type Stored<Type extends string> = Type | `fixed ${Type}`;

/**
 * The column of each property, by its SQL type; `optional` is a property that the resource may lack,
 * and whose column is null then. The compiler demands a column for each property.
 */
export type FactTypes<Facts> = {
  readonly [Key in Exclude<keyof Facts, keyof Owned>]-?: undefined extends Facts[Key]
    ? `optional ${Stored<SqlType<NonNullable<Facts[Key]>>>}`
    : Stored<SqlType<NonNullable<Facts[Key]>>>;
};

/** The properties of every resource; no table lists their columns. */
type Owned = Owner & Versioned;

/** Their columns. */
export interface StoredRow {
  readonly id: string;
  readonly account_id: string;
  readonly livemode: boolean;
  readonly version: number;
}

/** How the properties that a resource has in each of its states are written and read. */
export interface Facts<Resource> {
  readonly columns: readonly Column<Resource>[];
  /**
   * @param row with at least these columns
   * @param more what the resource has besides, such as the fields of its state
   */
  read<More extends object>(row: StoredRow, more: More): Resource & More;
}

interface Fact {
  readonly property: string;
  readonly column: string;
  readonly type: string;
  readonly isFixed: boolean;
  readonly isOptional: boolean;
}

/**
 * The columns of properties that are stored as they are, each from one line. Columns are named as their
 * properties, in snake case.
 */
export function facts<Resource extends Owned>(types: FactTypes<Resource>): Facts<Resource> {
  const all = Object.entries<string>(types).map(toFact);
  return {
    columns: all.map((fact) => toColumn(fact)),
    read(row, more) {
      const found: Record<string, unknown> = {
        id: row.id,
        accountId: row.account_id,
        environment: environmentOf(row.livemode),
        version: row.version,
      };
      for (const { property, column, type, isOptional } of all) {
        const value = valueIn(row, column);
        if (isOptional && value === null) continue;
        found[property] = type === 'bigint' && value !== null ? Number(value) : value;
      }
      // Spreading an object with so many fields takes seven times as long.
      return Object.assign(found as Resource, more);
    },
  };
}

function toFact([property, stored]: readonly [string, string]): Fact {
  const words = stored.split(' ');
  return {
    property,
    column: property.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`),
    type: words.at(-1) as string,
    isFixed: words.includes('fixed'),
    isOptional: words.includes('optional'),
  };
}

function toColumn<Resource extends object>(fact: Fact): Column<Resource> {
  const { property, column, type, isFixed } = fact;
  const of = (resource: Resource): unknown => valueIn(resource, property) ?? null;
  return {
    name: column,
    type,
    of: type === 'jsonb' ? (resource) => json(of(resource)) : of,
    ...(isFixed && { fixed: true }),
  };
}

function valueIn(of: object, name: string): unknown {
  return (of as Record<string, unknown>)[name];
}
