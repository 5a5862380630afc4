import type { Json, JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { exampleIdOf, ORDERS, RECORD_EXAMPLES } from './records.ts';

/** Example bodies of the operations that many kinds have, by method and the path below the collection. */

const ORDERS_TABLE: JsonObject = { type: 'table', fullyQualifiedName: ORDERS };

type ExampleWriter = (record: JsonObject, kind: Kind) => Json | undefined;

const describeIt: ExampleWriter = () => [
  { op: 'add', path: '/description', value: 'Loaded every night. Ask the sales team.' },
];

/** What an ingestion run says that has seen this record alone below its parent. */
const seenInParent: ExampleWriter = (record, { parents }) => {
  const parent = parents.find(({ field, namedBy }) => namedBy === 'fqn' && typeof record[field] === 'string');
  if (!parent) return undefined;
  const scopeFqn = String(record[parent.field]);
  const seenFqns = [[scopeFqn, ...(parent.infix ? [parent.infix] : []), record['name']].join('.')];
  return { scopeFqn, scopeEntityType: parent.kind, seenFqns, dryRun: true };
};

const assets: ExampleWriter = () => ({ assets: [ORDERS_TABLE] });

const EXAMPLES: Readonly<Record<string, ExampleWriter>> = {
  'POST ': (record) => record,
  'PUT ': (record) => record,
  'PUT /bulk': (record) => [record],
  'PATCH /{id}': describeIt,
  'PATCH /name/{fqn}': describeIt,
  'DELETE /deleteStale': seenInParent,
  'PUT /restore': (_, { path }) => ({ id: exampleIdOf(path) }),
  'PUT /{id}/followers': () => exampleIdOf('users'),
  'PUT /{id}/vote': () => ({ updatedVoteType: 'votedUp' }),
  'PUT /{id}/testConnectionResult': () => ({
    status: 'Successful',
    steps: [{ name: 'CheckAccess', mandatory: true, passed: true, message: 'Connected as reader' }],
  }),
  'PUT /{name}/assets/add': assets,
  'PUT /{name}/assets/remove': assets,
  'PUT /{name}/inputPorts/add': assets,
  'PUT /{name}/inputPorts/remove': assets,
  'PUT /{name}/outputPorts/add': assets,
  'PUT /{name}/outputPorts/remove': assets,
};

/** The example of an operation on records of a kind; nothing where the kind has no record to show or the operation none. */
export const exampleOfKind = (kind: Kind, operation: string): Json | undefined => {
  const record = RECORD_EXAMPLES[kind.path];
  return record && EXAMPLES[operation]?.(record, kind);
};

/** What one day's use of a record is reported as. */
export const USAGE_EXAMPLE: JsonObject = { date: '2026-01-31', count: 12 };
