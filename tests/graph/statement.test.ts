import * as assert from 'node:assert/strict';
import { listFormerStates, listLinked, listScopes } from '../../src/catalog/list-queries.ts';
import { declareVariants, statement } from '../../src/graph/statement.ts';
import { SORT_ORDERS } from '../../src/graph/statement-variants.ts';
import { suite } from '../support/suite.ts';

const test = suite('graph: statement templates');

const PAGE = {
  params: ['entityType', 'deleted', 'equals', 'items', 'prefixes', 'edge', 'limit'],
  row: ['id', 'sortKey'],
} as const;

test('one file yields a statement for each declared pair', () => {
  assert.equal(listFormerStates.older.name, 'catalog/version/list_former:descending');
  assert.match(listFormerStates.older.text, /n\.entityId < \$id .*\n.* ORDER BY n\.entityType DESC, n\.at DESC/);
  assert.match(listFormerStates.newer.text, /n\.entityId > \$id .*\n.* ORDER BY n\.entityType, n\.at,/);
});

test('several variants are filled in together', () => {
  const bound = listScopes[2]?.backward;
  assert.equal(bound?.name, 'catalog/list/list_below:scope3:descending');
  assert.match(bound?.text ?? '', /n:Entity\(entityType, scope3, deleted, sortKey\)/);
  assert.doesNotMatch(bound?.text ?? '', /\$\{/);
});

test('variants and the type of an edge are filled in together', () => {
  const bound = listLinked('OWNS').forward;
  assert.equal(bound.name, 'catalog/list/list_linked:ascending:OWNS');
  assert.match(bound.text, /-\[:OWNS\]->/);
  assert.doesNotMatch(bound.text, /\$\{/);
});

test('a placeholder without a variant, and a variant without a placeholder, stop the process', () => {
  const file = 'catalog/list/list_page';
  assert.throws(() => statement(file, PAGE), /has placeholders AFTER, ORDER/);
  const { other } = declareVariants({ other: { OTHER: 'x' } });
  assert.throws(() => statement(file, PAGE, SORT_ORDERS.ascending, other), /has no placeholder for other/);
  const shape = { params: ['id'], row: ['text'] } as const;
  assert.throws(() => statement('graph/read_text_copy', shape, SORT_ORDERS.ascending), /has no placeholder/);
});

test.run();
