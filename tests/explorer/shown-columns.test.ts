import * as assert from 'uvu/assert';
import { columnWords, nameColumns, shortType } from '../../src/explorer/lineage/columns.ts';
import {
  COLUMNS_AT_ONCE,
  FIRST_COLUMNS,
  joinColumns,
  listColumns,
  pageOfColumns,
} from '../../src/explorer/lineage/shown-columns.ts';
import { suite } from '../support/suite.ts';

/** Shows which of thousands of columns a box shows. */

const test = suite('explorer: columns in a box');

const COUNT = 3600;
const nameAt = (at: number): string => `column_${String(at).padStart(4, '0')}`;
const own = Array.from({ length: COUNT }, (_, at) => ({ name: nameAt(at), fqn: `t.${nameAt(at)}` }));
const edge = (from: string, to: string) => ({
  fromEntity: from.split('.')[0] ?? '',
  fromColumn: from,
  toEntity: to.split('.')[0] ?? '',
  toColumn: to,
});
const unfolded = [{ id: 't', own, edges: [edge('t.column_3000', 'u.x'), edge('s.y', 't.column_0007')] }];
const listed = { id: 't', fqn: 't', isOpen: true, view: FIRST_COLUMNS };

test('columns with lineage come first, the others after them page by page', () => {
  const columns = joinColumns(unfolded, [], undefined);
  const { rows, total, pages } = pageOfColumns(columns, listed);
  assert.is(total, COUNT);
  assert.is(pages, COUNT / COLUMNS_AT_ONCE);
  assert.is(rows.length, COLUMNS_AT_ONCE);
  assert.equal(
    rows.slice(0, 3).map(({ name, isJoined }) => [name, isJoined]),
    [
      ['column_0007', true],
      ['column_3000', true],
      ['column_0000', false],
    ],
  );
  const last = pageOfColumns(columns, { ...listed, view: { find: '', page: 100_000 } });
  assert.is(last.page, last.pages - 1);
  assert.is(last.rows.at(-1)?.name, 'column_3599');
});

test('columns tell their type, tags and tests, those of folded records as the trail tells them', () => {
  const net = { name: 'net', fqn: 't.net', type: 'decimal(12,2)', tags: ['PII.Sensitive'] };
  const trail = [
    {
      ...{ id: 'u', type: 'table' },
      columns: [{ name: 'x', fullyQualifiedName: 'u.x', dataType: 'INT', testStatus: 'Aborted' as const }],
    },
  ];
  const open = [{ id: 't', own: [net], edges: [edge('t.net', 'u.x')], tests: new Map([['t.net', 'Failed']]) }];
  const columns = joinColumns(open, [edge('t.net', 'u.x')], 't.net', trail);
  const [row] = pageOfColumns(columns, listed).rows;
  assert.equal(row, { ...net, testStatus: 'Failed', isLit: true, isJoined: true });
  const [folded] = pageOfColumns(columns, { id: 'u', fqn: 'u', isOpen: false, view: FIRST_COLUMNS }).rows;
  assert.equal([folded?.type, folded?.tags, folded?.testStatus], ['INT', undefined, 'Aborted']);
  assert.is(columnWords(row ?? {}, true), 'decimal(12,2), PII.Sensitive, test fails');
  assert.is(columnWords({}, false), 'nothing is known of its lineage');
  assert.equal(['decimal(12,2)', 'STRUCT<a:int,b:string>', 'timestamp with time zone', 'INT'].map(shortType), [
    'decimal',
    'struct',
    'timestamp with time zone',
    'int',
  ]);
});

test('names of columns carry what the answer says of them, without what somebody only suggests', () => {
  const label = (tagFQN: string, state: 'Confirmed' | 'Suggested') => ({
    ...{ tagFQN, state },
    ...({ source: 'Classification', labelType: 'Manual' } as const),
  });
  const columns = [
    {
      ...({ name: 'a', fullyQualifiedName: 't.a', dataType: 'STRUCT' } as const),
      tags: [label('PII.Sensitive', 'Confirmed'), label('PII.None', 'Suggested')],
      children: [{ name: 'b', fullyQualifiedName: 't.a.b', dataType: 'INT', dataTypeDisplay: 'int' } as const],
    },
  ];
  assert.equal(nameColumns(columns), [
    { name: 'a', fqn: 't.a', type: 'STRUCT', tags: ['PII.Sensitive'] },
    { name: 'a.b', fqn: 't.a.b', type: 'int' },
  ]);
});

test('a column is found among thousands', () => {
  const columns = joinColumns(unfolded, [], undefined);
  const { rows, found, total } = pageOfColumns(columns, { ...listed, view: { find: ' COLUMN_30', page: 0 } });
  assert.is(found, 100);
  assert.is(total, COUNT, 'the box keeps its height');
  assert.is(rows[0]?.name, 'column_3000');
});

test('a lit column comes first, and folded records show only what is on its trail', () => {
  const columns = joinColumns(unfolded, [edge('t.column_3000', 'u.x')], 't.column_3000');
  assert.is(pageOfColumns(columns, listed).rows[0]?.name, 'column_3000');
  const folded = pageOfColumns(columns, { id: 'u', fqn: 'u', isOpen: false, view: FIRST_COLUMNS });
  assert.equal(folded.rows, [{ name: 'x', fqn: 'u.x', isLit: true, isJoined: true }]);
  assert.is(pageOfColumns(columns, { ...listed, id: 's', fqn: 's', isOpen: false }).total, 0);
});

test('what a bridge joins to a trail is lit, although no edge names its column', () => {
  const far = { id: 'u', type: 'table', columns: [{ name: 'x', fullyQualifiedName: 'u.x' }] };
  const columns = joinColumns([], [], 't.a', [far]);
  assert.equal([[...columns.trail], [...columns.onTrail]], [['t.a', 'u.x'], ['u']]);
  assert.equal(
    listColumns(columns, { id: 'u', fqn: 'u', isOpen: false }).map(({ name, isLit }) => [name, isLit]),
    [['x', true]],
  );
});

test.run();
