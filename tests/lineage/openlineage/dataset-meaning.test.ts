import * as assert from 'uvu/assert';
import type { DatasetHomes, ServiceHome } from '../../../src/lineage/openlineage/dataset-homes.ts';
import { meaningOf } from '../../../src/lineage/openlineage/dataset-meaning.ts';
import { suite } from '../../support/suite.ts';

/** Shows which records a dataset may be where the setting assigns its namespace. */

const test = suite('lineage: meaning of OpenLineage datasets');

const service = (entityType: string, fqn: string, serviceType: string): ServiceHome => ({
  entityType,
  fqn,
  serviceType,
  config: {},
  ref: {
    id: fqn,
    entityType,
    name: fqn,
    fullyQualifiedName: fqn,
    displayName: null,
    description: null,
    deleted: false,
  },
});

const homesWith = (assigned: string): DatasetHomes => ({
  services: [service('apiService', 'shop', 'Rest'), service('databaseService', 'shop', 'Postgres')],
  namespaces: new Map([['warehouse', { fqn: assigned }]]),
});

test('a name in the setting means the database service, a database or a schema', () => {
  for (const [assigned, name] of [
    ['shop', 'sales.public.orders'],
    ['shop.sales', 'public.orders'],
    ['shop.sales.public', 'orders'],
    ['shop.sales', 'sales.public.orders'],
  ] as const) {
    const { candidates, placement } = meaningOf(homesWith(assigned), { namespace: 'warehouse', name });
    assert.equal(candidates[0], { fqn: 'shop.sales.public.orders', by: 'namespaceMap' }, assigned);
    assert.equal(
      [placement?.service.entityType, placement?.entityType, placement?.path],
      ['databaseService', 'table', ['sales', 'public', 'orders']],
    );
  }
});

test('a name in the setting that no service has finds and places nothing new', () => {
  const { placement } = meaningOf(homesWith('nowhere'), { namespace: 'warehouse', name: 'sales.public.orders' });
  assert.is(placement, undefined);
});

test.run();
