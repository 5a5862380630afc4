import { isArray, isObject, type Json } from '../../../model/json.ts';
import type { LeafType } from './member-shapes.ts';

/** The values without members: what a version may have, and what else documents say for it. */

type Leaf = {
  /** The type as error messages name it. */
  readonly expected: string;
  /** Whether the standard allows the value. */
  readonly fits: (value: Json) => boolean;
  /** Reads another notation; undefined for a value that is none. */
  readonly read?: (value: Json) => Json | undefined;
  /** What is said of another notation. */
  readonly note?: string;
};

const isText = (value: Json): value is string => typeof value === 'string';
const isFlag = (value: Json): value is boolean => typeof value === 'boolean';
const isNumber = (value: Json): value is number => typeof value === 'number';
const isTexts = (value: Json): value is readonly string[] => isArray(value) && value.every(isText);

const text: Leaf = { expected: 'string', fits: isText };
const number: Leaf = { expected: 'number', fits: isNumber };
const integer: Leaf = { expected: 'integer', fits: Number.isInteger };
const flag: Leaf = { expected: 'boolean', fits: isFlag };
// Items of other types are faults of their own.
const texts: Leaf = {
  expected: 'array',
  fits: isTexts,
  read: (value) => (isText(value) ? [value] : isArray(value) ? value : undefined),
  note: 'one text is read as a list of one',
};

const keepAny = (isKept: (value: Json) => boolean) => (value: Json) => (isKept(value) ? value : undefined);

export const LEAVES: Readonly<Record<LeafType, Leaf>> = {
  text,
  id: text,
  number,
  positive: { ...number, fits: (value) => isNumber(value) && value > 0, read: keepAny(isNumber) },
  integer,
  count: {
    ...integer,
    fits: (value) => Number.isInteger(value) && Number(value) >= 0,
    read: keepAny(Number.isInteger),
  },
  flag,
  scalar: { expected: 'scalar', fits: (value) => value === null || typeof value !== 'object' },
  json: { expected: 'value', fits: () => true },
  map: { expected: 'object', fits: isObject },
  texts,
  names: {
    ...texts,
    fits: (value) => isTexts(value) && value.length > 0 && new Set(value).size === value.length,
  },
  approvers: {
    ...text,
    read: (value) => (isTexts(value) ? value.join(', ') : undefined),
    note: 'a list of approvers is read as one text',
  },
  lines: { ...text, read: (value) => (isTexts(value) ? value.join('\n') : undefined) },
  spokenFlag: {
    ...flag,
    read: (value) => (isText(value) && /^(true|false)$/i.test(value) ? value.toLowerCase() === 'true' : undefined),
  },
  spokenNumber: {
    ...number,
    read: (value) =>
      isText(value) && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : undefined,
  },
};
