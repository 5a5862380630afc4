import * as assert from 'uvu/assert';
import {
  changePromise,
  flattenPromises,
  listChoices,
  promiseAll,
  promiseColumn,
  takeType,
} from '../../src/explorer/contract/columns.ts';
import {
  type Contract,
  type ContractForm,
  emptyForm,
  mergeForms,
  patchOf,
  toBody,
  toForm,
} from '../../src/explorer/contract/form.ts';
import { findProblems } from '../../src/explorer/contract/problems.ts';
import { ZONES } from '../../src/explorer/contract/timezones.ts';
import { findWeakened } from '../../src/explorer/contract/weakened.ts';
import { TIMEZONES } from '../../src/model/schemas/contracts/contract-status.ts';
import { suite } from '../support/suite.ts';

/** Shows that the editor of contracts sends what was typed and no more, and keeps it when somebody else was faster. */

const test = suite('explorer: contract form');

const stored: Contract = {
  id: 'c',
  name: 'orders',
  fullyQualifiedName: 't.dataContract_orders',
  version: 0.2,
  updatedAt: 1,
  updatedBy: 'ana',
  entityStatus: 'Approved',
  description: 'All orders.',
  termsOfUse: { content: 'Inside only.' },
  owners: [
    { id: 'u', type: 'user', name: 'ana' },
    { id: 'v', type: 'user', inherited: true },
  ],
  semantics: [{ name: 'r', description: 'd', rule: '{"!!": [1]}', enabled: true, provider: 'user' }],
  schema: [
    { name: 'id', dataType: 'INT', constraint: 'PRIMARY_KEY' },
    { name: 'total', dataType: 'DECIMAL' },
  ],
  qualityExpectations: [{ id: 'q', type: 'testCase', name: 'known' }],
  sla: { refreshFrequency: { interval: 1, unit: 'day' }, availabilityTime: '06:00' },
};

const form = toForm(stored);

test('a contract that was only looked at changes nothing', () => {
  assert.equal(patchOf(form, form), []);
  assert.equal(form.owners, [{ id: 'u', type: 'user', name: 'ana' }]);
});

test('only what changed is sent, and what was emptied is removed', () => {
  const typed: ContractForm = { ...form, description: '', termsOfUse: 'For all.', sla: {}, reviewers: form.owners };
  assert.equal(patchOf(form, typed), [
    { op: 'remove', path: '/description' },
    { op: 'remove', path: '/sla' },
    { op: 'add', path: '/termsOfUse', value: { content: 'For all.' } },
    { op: 'add', path: '/reviewers', value: [{ id: 'u', type: 'user' }] },
  ]);
});

test('a new contract has no empty members', () => {
  assert.equal(toBody(emptyForm('n'), { id: 't', type: 'table' }), {
    name: 'n',
    entityStatus: 'Draft',
    entity: { id: 't', type: 'table' },
  });
});

test('what two people typed is merged, and only what both changed is a conflict', () => {
  const mine = { ...form, description: 'Mine', displayName: 'Orders', entityStatus: 'Draft' };
  const theirs = { ...form, description: 'Theirs', termsOfUse: 'Their terms', entityStatus: 'Draft' };
  const { form: merged, taken, conflicts } = mergeForms(form, mine, theirs);
  assert.equal(taken, ['termsOfUse']);
  assert.equal(conflicts, ['description']);
  assert.is(merged.description, 'Mine');
  assert.is(merged.displayName, 'Orders');
  assert.is(merged.termsOfUse, 'Their terms');
  assert.equal(
    patchOf(theirs, merged).map(({ path }) => path),
    ['/displayName', '/description'],
  );
});

const ACTUAL = [
  { name: 'id', dataType: 'INT' as const },
  { name: 'place', dataType: 'STRUCT' as const, children: [{ name: 'zip', dataType: 'STRING' as const }] },
  { name: 'total', dataType: 'FLOAT' as const, description: 'With tax' },
];

test('columns are promised with what they lie in, in the order of the asset', () => {
  const promised = promiseColumn(form.schema, ACTUAL, ['place', 'zip']);
  assert.equal(
    flattenPromises(promised).map(([path]) => path),
    ['id', 'place', 'place.zip', 'total'],
  );
  const without = changePromise(promised, ['place', 'zip'], () => undefined);
  assert.equal(without[1], { name: 'place', dataType: 'STRUCT' });
  assert.equal(
    changePromise(promised, ['place'], () => undefined).map(({ name }) => name),
    ['id', 'total'],
  );
  assert.is(promiseColumn([], ACTUAL, ['nowhere']).length, 0);
});

test('a promise of what the asset lacks is listed, and stays when all are promised', () => {
  const gone = [{ name: 'gone', dataType: 'INT' as const }, ...form.schema];
  const rows = listChoices(ACTUAL, gone);
  assert.equal(
    rows.map(({ path, actual, promised }) => [path.join('.'), actual !== undefined, promised !== undefined]),
    [
      ['id', true, true],
      ['place', true, false],
      ['place.zip', true, false],
      ['total', true, true],
      ['gone', false, true],
    ],
  );
  const all = promiseAll(gone, ACTUAL);
  assert.is(flattenPromises(all).length, 5);
  assert.is(all[0]?.constraint, 'PRIMARY_KEY');
  assert.equal(
    takeType(
      { name: 'total', dataType: 'DECIMAL', precision: 3, description: 'x' },
      ACTUAL[2] ?? { name: '', dataType: 'INT' },
    ),
    {
      name: 'total',
      dataType: 'FLOAT',
      description: 'x',
    },
  );
});

test('what a change takes from others is told clause by clause', () => {
  assert.equal(findWeakened(form, form), []);
  const weaker: ContractForm = {
    ...form,
    entityStatus: 'Deprecated',
    schema: [{ name: 'total', dataType: 'STRING' }],
    semantics: form.semantics.map((rule) => ({ ...rule, enabled: false })),
    qualityExpectations: [],
    sla: { refreshFrequency: { interval: 2, unit: 'day' }, availabilityTime: '07:30' },
  };
  assert.equal(
    findWeakened(form, weaker).map(({ member, text }) => `${member}: ${text}`),
    [
      'entityStatus: It is no longer in force, but Deprecated',
      'schema: id is no longer promised',
      'schema: total changes its type from DECIMAL to STRING',
      'semantics: The rule r is switched off',
      'qualityExpectations: The test known need no longer pass',
      'sla: The data is refreshed less often',
      'sla: The data is there at 07:30, no longer at 06:00',
    ],
  );
  const stronger: ContractForm = { ...form, sla: { ...form.sla, refreshFrequency: { interval: 1, unit: 'hour' } } };
  assert.equal(findWeakened(form, stronger), []);
});

test('messages of the service stand at the clause that they are about', () => {
  const judged = {
    valid: false,
    entityErrors: ['semantics.0.description is required', 'name size must be between 1 and 256'],
    constraintErrors: [
      'schema names the unknown column x',
      'testCase instance for 1 not found',
      'There is another dataContract already',
    ],
    schemaValidation: { passed: 1, failed: 0, total: 1, typeMismatchFields: ['id: expected INT, got STRING'] },
  };
  assert.equal(
    findProblems(form, judged).map(({ member, isNote }) => [member, isNote]),
    [
      ['semantics', false],
      ['name', false],
      ['schema', false],
      ['qualityExpectations', false],
      [undefined, false],
      ['schema', true],
    ],
  );
  const [rule] = form.semantics;
  const broken = { ...form, semantics: rule ? [{ ...rule, rule: '{' }, rule] : [] };
  assert.equal(
    findProblems(broken, undefined).map(({ text }) => text),
    ['r is no JSON logic and will fail', 'Two rules are called r'],
  );
});

test('the editor offers the time zones that the API takes', () => {
  assert.equal([...ZONES], [...TIMEZONES]);
});

test.run();
