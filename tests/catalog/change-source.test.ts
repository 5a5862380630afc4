import * as assert from 'uvu/assert';
import { requireKind } from '../../src/catalog/registry.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { createSamples, type Samples } from '../support/samples.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that the change description records the source of each changed field. */

const test = suite('catalog: change source');

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const makeTable = async () => {
  const kind = requireKind(service.registry, 'table');
  const columns = [{ name: 'amount', dataType: 'INT' }];
  return samples.create(kind, { columns });
};

const set = (path: string, value: unknown) => [{ op: 'add', path, value }];

test('the change description records the source of each field that the caller states', async () => {
  const table = await makeTable();
  const path = `/v1/tables/${table.id}`;
  const first = ok(await service.admin.patch(`${path}?changeSource=Automated`, set('/displayName', 'Orders')));
  const { changeSummary } = first.changeDescription;
  assert.equal(changeSummary, {
    displayName: { changeSource: 'Automated', changedBy: 'admin', changedAt: first.updatedAt },
  });
  assert.equal(first.incrementalChangeDescription.changeSummary, changeSummary);
});

test('later changes keep the sources, count as manual, and drop sources of removed fields', async () => {
  const table = await makeTable();
  const path = `/v1/tables/${table.id}`;
  const first = ok(await service.admin.patch(`${path}?changeSource=Ingested`, set('/columns/0/description', 'Gross')));
  const summary = first.changeDescription.changeSummary;
  assert.is(summary['columns.amount.description'].changeSource, 'Ingested');
  const second = ok(await service.admin.patch(path, set('/displayName', 'Orders')));
  assert.equal(
    Object.entries(second.changeDescription.changeSummary).map(([name, origin]) => [
      name,
      (origin as { changeSource: string }).changeSource,
    ]),
    [
      ['columns.amount.description', 'Ingested'],
      ['displayName', 'Manual'],
    ],
  );
  const third = ok(await service.admin.patch(path, [{ op: 'remove', path: '/displayName' }]));
  assert.equal(Object.keys(third.changeDescription.changeSummary), ['columns.amount.description']);
  assert.equal(ok(await service.admin.get(path)).changeDescription, third.changeDescription);
});

test('a change without a source records none, and an unknown source is refused and changes nothing', async () => {
  const table = await makeTable();
  const path = `/v1/tables/${table.id}`;
  const plain = ok(await service.admin.patch(`${path}?changeSource=`, set('/displayName', 'Orders')));
  assert.is('changeSummary' in plain.changeDescription, false);
  expectRefused(
    await service.admin.patch(`${path}?changeSource=Guessed`, set('/displayName', 'Sales')),
    400,
    '[changeSource must be one of Manual, Propagated, Automated, Derived, Ingested, Suggested]',
  );
  assert.is(ok(await service.admin.get(path)).version, plain.version);
});

test.run();
