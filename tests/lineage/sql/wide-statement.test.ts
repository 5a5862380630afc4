import * as assert from 'uvu/assert';
import { readColumnLineage } from '../../../src/lineage/sql/column-lineage.ts';
import { findByName, type Identifier, indexByName, storedIdentifier } from '../../../src/lineage/sql/identifier.ts';
import { loadParser } from '../../../src/lineage/sql/parse.ts';
import type { ColumnName } from '../../../src/lineage/sql/sql-column.ts';
import { expectLinearCalls } from '../../support/count-calls.ts';
import { requireDialect } from '../../support/sql.ts';
import { suite } from '../../support/suite.ts';

/** Shows that the names of a statement are looked up among the columns of its tables, however many both are. */

const test = suite('lineage: SQL about wide tables');

test.before(loadParser);

const columnsOf = (count: number): readonly ColumnName[] => Array.from({ length: count }, (_, at) => [`c${at}`]);

for (const form of ['insert into b (NAMES) select NAMES from a', 'insert into b select NAMES from a']) {
  test(`each column of «${form}» is found once`, () => {
    expectLinearCalls(
      100,
      (size) => {
        const columns = columnsOf(size);
        return { columns, sql: form.replaceAll('NAMES', columns.join(', ')) };
      },
      ({ columns, sql }) => readColumnLineage(sql, requireDialect('postgres'), () => columns, undefined),
    );
  });
}

test('names are found as the dialect compares them', () => {
  const index = indexByName(['Amount', 'amount', 'straße'], storedIdentifier);
  const find = (text: string, style: Identifier['style'], dialect: string) =>
    findByName(index, { text, style }, storedIdentifier, requireDialect(dialect));
  assert.equal(find('AMOUNT', 'plain', 'postgres'), ['amount']);
  assert.equal(find('Amount', 'quoted', 'postgres'), ['Amount']);
  assert.equal(find('Straße', 'plain', 'mysql'), ['straße']);
  assert.equal(find('other', 'plain', 'mysql'), []);
});

test.run();
