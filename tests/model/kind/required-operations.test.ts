import * as assert from 'uvu/assert';
import { bot } from '../../../src/kinds/bot.ts';
import { dashboard } from '../../../src/kinds/dashboard.ts';
import { databaseService } from '../../../src/kinds/database-service.ts';
import { eventSubscription } from '../../../src/kinds/event-subscription.ts';
import { pipeline } from '../../../src/kinds/pipeline.ts';
import { table } from '../../../src/kinds/table.ts';
import { topic } from '../../../src/kinds/topic.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import type { Kind } from '../../../src/model/kind/kind.ts';
import {
  operationsToPatch,
  operationsToReadFields,
  operationsToReadPatched,
} from '../../../src/model/kind/required-operations.ts';
import { parsePatch } from '../../../src/model/language/patch.ts';
import { expectLinearCalls } from '../../support/count-calls.ts';
import { suite } from '../../support/suite.ts';

/** Shows that each request requires the operations of the fields that it reads or changes. */

const test = suite('model: required operations');

const label = (tagFQN: string, source = 'Classification'): JsonObject => ({ tagFQN, source, labelType: 'Manual' });

const DOCUMENT: JsonObject = {
  description: 'What it is.',
  owners: [{ id: 'a', type: 'user' }],
  tags: [label('PII.Sensitive'), label('Tier.Tier1'), label('Business.Order', 'Glossary')],
  columns: [{ name: 'one', dataType: 'INT', tags: [label('PII.None')] }],
  extension: { note: 'x' },
};

const needs = (body: Json): string[] => [...operationsToPatch(table, DOCUMENT, parsePatch(body))].sort();

for (const [fields, operations] of [
  ['', ['ViewBasic']],
  ['owners,tags,domains', ['ViewBasic']],
  ['columns,description', ['ViewBasic']],
  ['usageSummary', ['ViewBasic', 'ViewUsage']],
  ['owners,tableProfilerConfig,customMetrics', ['ViewBasic', 'ViewDataProfile', 'ViewTests']],
  ['profile', ['ViewBasic', 'ViewDataProfile']],
  ['testSuite', ['ViewBasic', 'ViewTests']],
  ['queries', ['ViewBasic', 'ViewQueries']],
  ['owners,joins', ['ViewAll', 'ViewBasic']],
  ['joins,sampleData', ['ViewAll', 'ViewBasic', 'ViewSampleData']],
] as const)
  test(`fields=${fields} requires its operations`, () => {
    const names = new Set(fields.split(',').filter((name) => name !== ''));
    assert.equal([...operationsToReadFields(table, names)].sort(), operations);
  });

test('fields=* requires ViewAll and the operations of single fields', () => {
  assert.equal([...operationsToReadFields(table, table.gatedNames)].sort(), [
    'ViewAll',
    'ViewBasic',
    'ViewDataProfile',
    'ViewQueries',
    'ViewSampleData',
    'ViewTests',
    'ViewUsage',
  ]);
});

for (const kind of [bot, eventSubscription])
  test(`fields=* requires ViewAll, also for a ${kind.entityType} with few fields`, () => {
    assert.equal([...operationsToReadFields(kind, kind.gatedNames)].sort(), ['ViewAll', 'ViewBasic']);
    assert.equal(operationsToReadFields(kind, new Set(['domains'])), ['ViewBasic']);
  });

const op = (path: string, value: Json = 'x', kind = 'add'): JsonObject => ({ op: kind, path, value });

for (const [title, body, operations] of [
  ['a description', [op('/description')], ['EditDescription']],
  ['a description of a column', [op('/columns/0/description')], ['EditDescription']],
  ['a display name and an owner', [op('/displayName'), op('/owners/-', {})], ['EditDisplayName', 'EditOwners']],
  ['a custom property', [op('/extension/description')], ['EditCustomFields']],
  ['reviewers, domains', [op('/reviewers', []), op('/domains', [])], ['EditDomains', 'EditReviewers']],
  ['roles and teams of a user', [op('/roles', []), op('/teams', [])], ['EditRole', 'EditTeams']],
  ['anything else', [op('/retentionPeriod', 'P1D')], ['EditAll']],
  ['anything else beside what has an operation', [op('/description'), op('/columns/0/dataType')], ['EditAll']],
  ['the whole document', [op('', {}, 'replace')], ['EditAll']],
  ['a new label', [op('/tags/-', label('PII.None'))], ['EditTags']],
  ['a tier', [op('/tags/-', label('Tier.Tier2'))], ['EditTier']],
  ['a certification by label', [op('/tags/-', label('Certification.Gold'))], ['EditCertification']],
  ['a tier in quotes', [op('/tags/-', label('"Tier".Tier2'))], ['EditTier']],
  ['a tier half in quotes, without a source', [op('/tags/-', { tagFQN: 'Tier."Tier2"' })], ['EditTier']],
  ['a tier in quotes on a column', [op('/columns/0/tags/-', label('"Tier"."Tier2"'))], ['EditTier']],
  ['a merge of a tier in quotes', { tags: [...(DOCUMENT['tags'] as Json[]), label('"Tier".Tier2')] }, ['EditTier']],
  ['a certification in quotes', [op('/tags/-', label('"Certification".Gold'))], ['EditCertification']],
  ['a tag whose name holds a dot', [op('/tags/-', label('"Tier.Tier2"'))], ['EditTags']],
  ['a name that cannot be read', [op('/tags/-', label('"Tier.Tier2'))], ['EditTags']],
  ['users of a team', [op('/users', [])], ['EditUsers']],
  ['policies of a role or a team', [op('/policies', [])], ['EditPolicy']],
  ['roles that a team passes on', [op('/defaultRoles', [])], ['EditRole']],
  ['the certification', [op('/certification', {})], ['EditCertification']],
  ['a term', [op('/tags/-', label('Business.Price', 'Glossary'))], ['EditGlossaryTerms']],
  ['a label without a source', [op('/tags/-', { tagFQN: 'A.b' })], ['EditGlossaryTerms', 'EditTags']],
  ['the label that is removed', [{ op: 'remove', path: '/tags/1' }], ['EditTier']],
  ['one label in place of another', [op('/tags/2', label('PII.None'), 'replace')], ['EditGlossaryTerms', 'EditTags']],
  [
    'a whole list in which one label is new',
    [op('/tags', [...(DOCUMENT['tags'] as Json[]), label('PII.None')])],
    ['EditTags'],
  ],
  [
    'labels that stay, without what their tags say of themselves, and one that is new',
    {
      tags: [...(DOCUMENT['tags'] as Json[]).map((one) => ({ ...(one as JsonObject), name: 'x' })), label('PII.None')],
    },
    ['EditTags'],
  ],
  [
    'a label that is confirmed',
    [op('/tags/1', { ...label('Tier.Tier1'), state: 'Suggested' }, 'replace')],
    ['EditTier'],
  ],
  ['all labels gone', [{ op: 'remove', path: '/tags' }], ['EditGlossaryTerms', 'EditTags', 'EditTier']],
  ['labels that stay', [op('/tags', DOCUMENT['tags'] ?? [])], ['EditTags']],
  ['a label of a column', [op('/columns/0/tags/0', label('Tier.Tier1'), 'replace')], ['EditTags', 'EditTier']],
  ['a label that does not apply', [{ op: 'remove', path: '/tags/9' }], ['EditGlossaryTerms', 'EditTags', 'EditTier']],
  [
    'both ends of a move',
    [{ op: 'move', from: '/description', path: '/displayName' }],
    ['EditDescription', 'EditDisplayName'],
  ],
  ['a test alone', [op('/description', 'What it is.', 'test')], ['ViewBasic']],
  ['a merge', { description: 'New.', extension: { note: 'y' } }, ['EditCustomFields', 'EditDescription']],
  ['a merge of what is there', { description: 'What it is.' }, ['ViewBasic']],
  ['a merge of labels', { tags: [label('PII.Sensitive')] }, ['EditGlossaryTerms', 'EditTier']],
  ['a merge of anything else', { description: 'New.', columns: [] }, ['EditAll']],
] as readonly (readonly [string, Json, readonly string[]])[])
  test(`a patch requires its operations: ${title}`, () => assert.equal(needs(body), operations));

for (const [title, kind, path] of [
  ['a secret', databaseService, '/connection/config/description'],
  ['labels in a secret', databaseService, '/connection/config/tags/-'],
  ['a free-form value', pipeline, '/tasks/0/taskSQL/description'],
  ['a member that nobody declares', table, '/columns/0/unknown/description'],
  ['a reference of another member', dashboard, '/charts/0/displayName'],
  ['a reference inside a value', table, '/lifeCycle/created/accessedBy/displayName'],
] as const)
  test(`below what is not declared only the right to edit everything is enough: ${title}`, () =>
    assert.equal(operationsToPatch(kind, {}, parsePatch([op(path)])), ['EditAll']));

test('at any depth of declared members their own operation is enough', () => {
  const needed = (kind: Kind, path: string) => operationsToPatch(kind, {}, parsePatch([op(path)]));
  assert.equal(needed(table, '/columns/0/children/1/children/-/description'), ['EditDescription']);
  assert.equal(needed(topic, '/messageSchema/schemaFields/0/children/1/displayName'), ['EditDisplayName']);
  assert.equal(needed(pipeline, '/tasks/2/description'), ['EditDescription']);
});

for (const [title, body, operations] of [
  ['a test of a member that everybody sees', [op('/description', 'x', 'test')], []],
  ['a test of labels', [op('/tags/0', {}, 'test')], ['ViewBasic']],
  ['a test of sample data', [op('/sampleData/rows', [], 'test')], ['ViewBasic', 'ViewSampleData']],
  [
    'a copy of what only some may see',
    [{ op: 'copy', from: '/customMetrics/0/name', path: '/description' }],
    ['ViewBasic', 'ViewTests'],
  ],
  ['both ends of a move', [{ op: 'move', from: '/joins/x', path: '/description' }], ['ViewAll', 'ViewBasic']],
  ['writing alone', [op('/sampleData', {})], []],
  ['a merge', { description: 'New.' }, []],
] as readonly (readonly [string, Json, readonly string[]])[])
  test(`a patch reveals fields: ${title}`, () => {
    assert.equal([...operationsToReadPatched(table, parsePatch(body))].sort(), operations);
  });

test('a patch can reveal the whole document', () => {
  const views = operationsToReadPatched(table, parsePatch([{ op: 'copy', from: '', path: '/extension/x' }]));
  assert.equal(views, operationsToReadFields(table, table.gatedNames));
});

test('several operations on one list of labels are authorized once', () => {
  const prepare = (size: number) => {
    const tags = Array.from({ length: size }, (_, at) => label(`PII.tag${at}`));
    return {
      tags,
      operations: tags.map((_, at) => ({ op: 'add', path: `/tags/${at}`, value: label(`Tier.tier${at}`) })),
    };
  };
  const find = ({ tags, operations }: ReturnType<typeof prepare>) => [
    ...operationsToPatch(table, { tags }, parsePatch(operations)),
  ];
  assert.equal(find(prepare(2000)), ['EditTier']);
  expectLinearCalls(500, prepare, find);
});

test.run();
