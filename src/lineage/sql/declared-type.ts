import { identifierOf, readNameParts } from './identifier.ts';
import { choiceOf, isSyntaxNode, nodeAt, nodeListAt } from './syntax-tree.ts';

/** A type as a statement declares it: its name with numbers, its element type and its fields. */
export type DeclaredType = {
  /** The type in upper case with relevant numbers: `VARCHAR(20)`, `TIMESTAMP WITH TIME ZONE`. */
  readonly text: string;
  readonly element?: DeclaredType;
  readonly fields?: readonly { readonly name: string; readonly type: DeclaredType }[];
};

/** Types whose numbers define a size; those of other types only define a display format. */
const SIZED_TYPES =
  /^(N?CHAR|N?VARCHAR|CHARACTER|CHARACTERVARYING|CHARVARYING|BINARY|VARBINARY|STRING|FIXEDSTRING|NUMERIC|DECIMAL|DEC|BIGNUMERIC|BIGDECIMAL)$/;

const readNumbers = (held: unknown): readonly number[] => {
  if (typeof held === 'number') return [held];
  const { choice, held: inner } = choiceOf(held);
  if (choice === 'PrecisionAndScale' && Array.isArray(inner)) {
    return inner.filter((one): one is number => typeof one === 'number');
  }
  if (choice === 'Precision' && typeof inner === 'number') return [inner];
  const length = nodeAt(inner)?.['length'];
  return typeof length === 'number' ? [length] : [];
};

const appendNumbers = (word: string, numbers: readonly (number | string)[]): string =>
  numbers.length === 0 ? word : `${word}(${numbers.join(',')})`;

const readFields = (list: readonly unknown[]): NonNullable<DeclaredType['fields']> =>
  list.flatMap((one) => {
    const name = identifierOf(nodeAt(one)?.['field_name']);
    return name ? [{ name: name.text, type: readDeclaredType(nodeAt(one)?.['field_type']) }] : [];
  });

const readElement = (held: unknown): unknown => {
  const { held: inner } = choiceOf(held);
  return Array.isArray(inner) ? inner[0] : inner;
};

const isZoned = (held: unknown): boolean =>
  Array.isArray(held) && held.some((one) => one === 'WithTimeZone' || one === 'Tz');

const readCustomType = (held: unknown): DeclaredType => {
  const [name, args] = Array.isArray(held) ? (held as readonly unknown[]) : [];
  const word = (readNameParts(name) ?? []).map(({ text }) => text.toUpperCase()).join('.');
  const numbers = Array.isArray(args) ? args.filter((one) => typeof one === 'string' && /^-?\d{1,9}$/.test(one)) : [];
  return { text: appendNumbers(word, numbers) };
};

/** Types that only wrap another type. */
const WRAPPER_TYPES: ReadonlySet<string> = new Set(['Nullable', 'LowCardinality']);

/** Reads the type in a node. Throws RangeError when the tree is deeper than JavaScript's stack. */
export const readDeclaredType = (node: unknown): DeclaredType => {
  const { choice, held } = choiceOf(node);
  const word = choice.toUpperCase();
  if (choice === 'Custom') return readCustomType(held);
  if (WRAPPER_TYPES.has(choice)) return readDeclaredType(held);
  if (choice === 'Array') {
    const element = readElement(held);
    return element === undefined || element === null
      ? { text: word }
      : { text: word, element: readDeclaredType(element) };
  }
  if (choice === 'Struct' || choice === 'Tuple' || choice === 'Nested') {
    const list = Array.isArray(held) && Array.isArray(held[0]) ? (held[0] as readonly unknown[]) : nodeListAt(held);
    return { text: choice === 'Nested' ? 'ARRAY' : 'STRUCT', fields: readFields(list) };
  }
  if (choice === 'Timestamp' || choice === 'Time') return { text: isZoned(held) ? `${word} WITH TIME ZONE` : word };
  if (choice === 'Map' || isSyntaxNode(node) === false) return { text: word };
  return { text: SIZED_TYPES.test(word) ? appendNumbers(word, readNumbers(held)) : word };
};
