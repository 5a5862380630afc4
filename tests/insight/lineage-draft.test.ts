import * as assert from 'uvu/assert';
import { CatalogError } from '../../src/errors.ts';
import type { CatalogTable, TableFinder } from '../../src/insight/sql/find-tables.ts';
import { createLineageDraft, type StatementToDraft } from '../../src/insight/sql/lineage-draft.ts';
import { expectLinearCalls } from '../support/count-calls.ts';
import { suite } from '../support/suite.ts';

/** Shows that the work for what a statement shows grows with its size, and how much statements may show together. */

const test = suite('insight: lineage of statements');

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

const tableOf = (name: string, columns: number): CatalogTable =>
  ({
    endpoint: { id: name, fullyQualifiedName: `s.d.x.${name}`, kind: undefined, node: undefined },
    columns: times(columns, (at) => [`c${at}`]),
  }) as unknown as CatalogTable;

const finderOf = (tables: ReadonlyMap<string, CatalogTable>): TableFinder => ({
  load: () => Promise.resolve(),
  find: ([name = '']) => tables.get(name),
});

const statementOf = (reading: Partial<NonNullable<StatementToDraft['reading']>>): StatementToDraft => ({
  group: { sql: '', fingerprint: '', names: undefined },
  effect: 'write',
  failure: undefined,
  tables: [],
  reading: { mappings: [], unresolved: [], reads: [], writes: [], temporaries: [], ...reading },
});

type Mapping = NonNullable<StatementToDraft['reading']>['mappings'][number];

const wideFinder = (columns: number): TableFinder =>
  finderOf(new Map(['a', 'b'].map((name) => [name, tableOf(name, columns)])));

const write = { table: ['b'], isView: false };

test('columns are looked up by their names, however many a statement and its tables have', () => {
  expectLinearCalls(
    250,
    (size) => {
      const mappings = times(
        size,
        (at) => ({ target: ['b'], toColumn: `c${at}`, fromColumns: [{ table: ['a'], column: [`c${at}`] }] }) as Mapping,
      );
      return { finder: wideFinder(size), statement: statementOf({ reads: [['a']], writes: [write], mappings }) };
    },
    ({ finder, statement }) => createLineageDraft(finder).add(statement),
  );
});

/** How many items of lists are copied one by one during some work. */
const countCopies = (work: () => unknown): number => {
  const original = Array.prototype[Symbol.iterator];
  let copied = 0;
  const counting = function (this: unknown[]) {
    copied += this.length;
    return original.call(this);
  };
  const place = (value: unknown) =>
    Object.defineProperty(Array.prototype, Symbol.iterator, { value, writable: true, configurable: true });
  place(counting);
  try {
    work();
  } finally {
    place(original);
  }
  return copied;
};

test('the origins of one column are collected in one pass', () => {
  const workOf = (size: number): number => {
    const fromColumns = times(size, (at) => ({ table: ['a'], column: [`c${at}`] }));
    const mappings = [{ target: ['b'], toColumn: 'c0', fromColumns } as unknown as Mapping];
    const draft = createLineageDraft(wideFinder(size));
    return countCopies(() => draft.add(statementOf({ reads: [['a']], writes: [write], mappings })));
  };
  const [few, many] = [workOf(250), workOf(1000)];
  assert.ok(many < few * 6, `${many} items for four times as many origins as those with ${few}`);
});

test('statements together show so many edges, and each table once in each statement', () => {
  const names = times(1001, (at) => `t${at}`);
  const draft = createLineageDraft(finderOf(new Map(names.map((name) => [name, tableOf(name, 0)]))));
  const all = (count: number) =>
    statementOf({
      reads: times(count * 3, (at) => [names[at % count] ?? '']),
      writes: times(count * 3, (at) => ({ table: [names[at % count] ?? ''], isView: at >= count })),
    });
  const shown = draft.add(all(30));
  assert.is(shown.edges.length, 30 * 29);
  assert.ok(shown.edges.every(({ isView }) => isView));
  assert.throws(
    () => draft.add(all(1000)),
    (failure: unknown) => failure instanceof CatalogError && failure.status === 413,
  );
});

test.run();
