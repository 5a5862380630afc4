import * as assert from 'uvu/assert';
import { type ApiSchemas, dropMasked, fitRequest } from '../../../src/cli/move/openmetadata/fit-request.ts';
import { suite } from '../../support/suite.ts';

/** Shows how what another catalog answers becomes a request, by the schema of the service. */

const test = suite('cli: fitting records to requests');

const text = { type: 'string' };
const reference = { $ref: '#/components/schemas/EntityReference' };

const SCHEMAS: ApiSchemas = {
  EntityReference: { type: 'object', properties: { id: text, type: text, fullyQualifiedName: text } },
  Column: {
    type: 'object',
    properties: { name: text, children: { type: 'array', items: { $ref: '#/components/schemas/Column' } } },
  },
  CreateTable: {
    type: 'object',
    properties: {
      name: text,
      databaseSchema: text,
      domains: { type: 'array', items: text },
      owners: { type: 'array', items: reference },
      reviewers: { type: 'array', items: reference },
      columns: { type: 'array', items: { $ref: '#/components/schemas/Column' } },
      extension: { type: 'object' },
      relatedTerms: { type: 'array', items: text },
    },
  },
};

const CREATE_TABLE = { $ref: '#/components/schemas/CreateTable' };

const fit = (record: object, absent: readonly string[] = []) => {
  const leftOut: string[] = [];
  const room = {
    schemas: SCHEMAS,
    isAbsent: (type: string, name: string) => absent.includes(`${type} ${name}`),
    onLeftOut: (what: string) => leftOut.push(what),
  };
  const request = fitRequest(room, record as Parameters<typeof fitRequest>[1], CREATE_TABLE, 'table');
  return { request, leftOut };
};

const refer = (type: string, fullyQualifiedName: string, more: object = {}) => ({
  id: 'b7c1a0d2-0000-4000-8000-000000000000',
  type,
  name: fullyQualifiedName.split('.').at(-1),
  fullyQualifiedName,
  ...more,
});

test('references become names, whatever their IDs there', () => {
  const { request, leftOut } = fit(
    {
      id: 'x',
      version: 0.3,
      name: 'calls',
      databaseSchema: refer('databaseSchema', 'pg.port.public'),
      domains: [refer('domain', 'Harbor.Docks'), refer('domain', 'Harbor', { inherited: true })],
      owners: [refer('user', 'mia'), refer('team', 'crew', { deleted: true }), refer('user', 'bot')],
      reviewers: [refer('user', 'mia', { inherited: true })],
      relatedTerms: [{ relationType: 'partOf', term: refer('glossaryTerm', 'Words.Ship') }],
      extension: { steward: refer('user', 'mia'), level: 3 },
    },
    ['user bot'],
  );
  assert.equal(request, {
    name: 'calls',
    databaseSchema: 'pg.port.public',
    domains: ['Harbor.Docks'],
    owners: [{ type: 'user', fullyQualifiedName: 'mia' }],
    reviewers: [{ type: 'user', fullyQualifiedName: 'mia' }],
    relatedTerms: ['Words.Ship'],
    extension: { steward: { type: 'user', fullyQualifiedName: 'mia' }, level: 3 },
  });
  assert.equal(leftOut, [
    'table.owners: a team that does not come',
    'table.owners: a user that does not come',
    'table.relatedTerms.relationType',
  ]);
});

test('what the service does not know is left out and told, at any depth', () => {
  const { request, leftOut } = fit({
    name: 'calls',
    warmth: 'high',
    empty: [],
    off: false,
    constructor: 'odd',
    columns: [{ name: 'fix', colour: 'blue', children: [{ name: 'lat', colour: 'red', fullyQualifiedName: 'x' }] }],
  });
  assert.equal(request, { name: 'calls', columns: [{ name: 'fix', children: [{ name: 'lat' }] }] });
  assert.equal(leftOut, ['table.warmth', 'table.constructor', 'table.columns.colour', 'table.columns.children.colour']);
});

test('secrets that are shown as stars are dropped', () => {
  let dropped = 0;
  const config = { user: 'reader', password: '*********', nested: [{ key: '***', name: 'a*' }] };
  const kept = dropMasked({ config }, () => {
    dropped += 1;
  });
  assert.equal([kept, dropped], [{ config: { user: 'reader', nested: [{ name: 'a*' }] } }, 2]);
});

test.run();
