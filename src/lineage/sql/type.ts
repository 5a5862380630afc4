import { identifierOf, partsOf } from './name.ts';
import { choiceOf, isNode, listAt, nodeAt } from './tree.ts';

/** A type as a statement declares it: its word with its numbers, the type of its elements, and its fields. */
export type DeclaredType = {
  /** In capitals, with the numbers that matter: `VARCHAR(20)`, `TIMESTAMP WITH TIME ZONE`. */
  readonly text: string;
  readonly element?: DeclaredType;
  readonly fields?: readonly { readonly name: string; readonly type: DeclaredType }[];
};

/** Types whose numbers say how much room there is; the others' say how values are shown. */
const ROOMY =
  /^(N?CHAR|N?VARCHAR|CHARACTER|CHARACTERVARYING|CHARVARYING|BINARY|VARBINARY|STRING|FIXEDSTRING|NUMERIC|DECIMAL|DEC|BIGNUMERIC|BIGDECIMAL)$/;

const numbersIn = (held: unknown): readonly number[] => {
  if (typeof held === 'number') return [held];
  const { choice, held: inner } = choiceOf(held);
  if (choice === 'PrecisionAndScale' && Array.isArray(inner)) {
    return inner.filter((one): one is number => typeof one === 'number');
  }
  if (choice === 'Precision' && typeof inner === 'number') return [inner];
  const length = nodeAt(inner)?.['length'];
  return typeof length === 'number' ? [length] : [];
};

const withNumbers = (word: string, numbers: readonly (number | string)[]): string =>
  numbers.length === 0 ? word : `${word}(${numbers.join(',')})`;

const fieldsIn = (list: readonly unknown[]): NonNullable<DeclaredType['fields']> =>
  list.flatMap((one) => {
    const name = identifierOf(nodeAt(one)?.['field_name']);
    return name ? [{ name: name.text, type: typeDeclared(nodeAt(one)?.['field_type']) }] : [];
  });

const elementIn = (held: unknown): unknown => {
  const { held: inner } = choiceOf(held);
  return Array.isArray(inner) ? inner[0] : inner;
};

const isZoned = (held: unknown): boolean =>
  Array.isArray(held) && held.some((one) => one === 'WithTimeZone' || one === 'Tz');

const customType = (held: unknown): DeclaredType => {
  const [name, args] = Array.isArray(held) ? (held as readonly unknown[]) : [];
  const word = (partsOf(name) ?? []).map(({ text }) => text.toUpperCase()).join('.');
  const numbers = Array.isArray(args) ? args.filter((one) => typeof one === 'string' && /^-?\d{1,9}$/.test(one)) : [];
  return { text: withNumbers(word, numbers) };
};

/** Types that only say more of the one in them. */
const WRAPPERS: ReadonlySet<string> = new Set(['Nullable', 'LowCardinality']);

/** The type of a node of the tree. Throws RangeError, as the engine does, for one that lies deeper than its stack. */
export const typeDeclared = (node: unknown): DeclaredType => {
  const { choice, held } = choiceOf(node);
  const word = choice.toUpperCase();
  if (choice === 'Custom') return customType(held);
  if (WRAPPERS.has(choice)) return typeDeclared(held);
  if (choice === 'Array') {
    const element = elementIn(held);
    return element === undefined || element === null ? { text: word } : { text: word, element: typeDeclared(element) };
  }
  if (choice === 'Struct' || choice === 'Tuple' || choice === 'Nested') {
    const list = Array.isArray(held) && Array.isArray(held[0]) ? (held[0] as readonly unknown[]) : listAt(held);
    return { text: choice === 'Nested' ? 'ARRAY' : 'STRUCT', fields: fieldsIn(list) };
  }
  if (choice === 'Timestamp' || choice === 'Time') return { text: isZoned(held) ? `${word} WITH TIME ZONE` : word };
  if (choice === 'Map' || isNode(node) === false) return { text: word };
  return { text: ROOMY.test(word) ? withNumbers(word, numbersIn(held)) : word };
};
