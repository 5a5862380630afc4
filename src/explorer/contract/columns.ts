import type { ContractColumn } from './form.ts';

/** The columns that a contract promises, chosen among those of its asset. Paths name columns from the top. */

type Column = ContractColumn;

export type ColumnPath = readonly string[];

export type ChoiceRow = {
  readonly path: ColumnPath;
  readonly key: string;
  /** The column of the asset; absent when the contract promises one that the asset lacks. */
  readonly actual: Column | undefined;
  /** The column of the contract; absent when it is not promised. */
  readonly promised: ContractColumn | undefined;
};

const findColumn = <T extends { readonly name: string }>(columns: readonly T[], name: string): T | undefined =>
  columns.find((column) => column.name === name) ??
  columns.find((column) => column.name.toLowerCase() === name.toLowerCase());

/** The columns of the asset in their order, nested ones below theirs, and then what only the contract has. */
export const listChoices = (
  actual: readonly Column[],
  promised: readonly ContractColumn[],
  above: ColumnPath = [],
): readonly ChoiceRow[] => {
  const row = (one: Column | undefined, other: ContractColumn | undefined): readonly ChoiceRow[] => {
    const path = [...above, other?.name ?? one?.name ?? ''];
    const below = listChoices(one?.children ?? [], other?.children ?? [], path);
    return [{ path, key: JSON.stringify(path), actual: one, promised: other }, ...below];
  };
  return [
    ...actual.flatMap((column) => row(column, findColumn(promised, column.name))),
    ...promised.filter(({ name }) => !findColumn(actual, name)).flatMap((column) => row(undefined, column)),
  ];
};

/** What a contract takes over of a column that it promises. */
const promiseOf = ({
  name,
  dataType,
  arrayDataType,
  dataLength,
  precision,
  scale,
  constraint,
}: Column): ContractColumn => ({
  name,
  dataType,
  ...(arrayDataType === undefined ? {} : { arrayDataType }),
  ...(dataLength === undefined ? {} : { dataLength }),
  ...(precision === undefined ? {} : { precision }),
  ...(scale === undefined ? {} : { scale }),
  ...(constraint === undefined ? {} : { constraint }),
});

const withoutEmptyChildren = ({ children, ...column }: ContractColumn): ContractColumn =>
  children && children.length > 0 ? { ...column, children } : column;

/** Columns of the contract stay in the order of the asset, whatever the order of the choice. */
const inOrderOf = (promised: readonly ContractColumn[], actual: readonly Column[]): ContractColumn[] => {
  const positions = new Map(actual.map(({ name }, at) => [name.toLowerCase(), at]));
  const position = ({ name }: ContractColumn): number => positions.get(name.toLowerCase()) ?? actual.length;
  return [...promised].sort((a, b) => position(a) - position(b));
};

/** Promises a column; what it lies in is promised as well. */
export const promiseColumn = (
  promised: readonly ContractColumn[],
  actual: readonly Column[],
  [name = '', ...rest]: ColumnPath,
): ContractColumn[] => {
  const column = findColumn(actual, name);
  if (column === undefined) return [...promised];
  const present = findColumn(promised, name) ?? promiseOf(column);
  const children = present.children ?? [];
  const next =
    rest.length === 0 ? present : { ...present, children: promiseColumn(children, column.children ?? [], rest) };
  return inOrderOf([...promised.filter((other) => other !== present), next], actual);
};

/** Changes a promised column, or withdraws it with all that lies in it when the change gives nothing. */
export const changePromise = (
  promised: readonly ContractColumn[],
  [name, ...rest]: ColumnPath,
  change: (column: ContractColumn) => ContractColumn | undefined,
): ContractColumn[] =>
  promised.flatMap((column) => {
    if (column.name !== name) return [column];
    if (rest.length > 0)
      return [withoutEmptyChildren({ ...column, children: changePromise(column.children ?? [], rest, change) })];
    const changed = change(column);
    return changed === undefined ? [] : [changed];
  });

/** Promises every column of the asset at once; what was promised stays as it is. */
export const promiseAll = (promised: readonly ContractColumn[], actual: readonly Column[]): ContractColumn[] => [
  ...actual.map((column) => {
    const present = findColumn(promised, column.name) ?? promiseOf(column);
    const children = promiseAll(present.children ?? [], column.children ?? []);
    return withoutEmptyChildren({ ...present, children });
  }),
  ...promised.filter(({ name }) => !findColumn(actual, name)),
];

export const takeType = (column: ContractColumn, actual: Column): ContractColumn => {
  const { dataLength: _length, precision: _precision, scale: _scale, arrayDataType: _array, ...rest } = column;
  const { constraint: _constraint, name: _name, ...type } = promiseOf(actual);
  return { ...rest, ...type };
};

/** Promised columns with their paths as people read them, nested ones below theirs. */
export const flattenPromises = (
  columns: readonly ContractColumn[],
  above = '',
): readonly (readonly [path: string, column: ContractColumn])[] =>
  columns.flatMap((column) => {
    const path = `${above}${column.name}`;
    return [[path, column] as const, ...flattenPromises(column.children ?? [], `${path}.`)];
  });
