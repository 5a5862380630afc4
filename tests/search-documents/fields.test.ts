import * as assert from 'uvu/assert';
import { loadKinds, requireKind } from '../../src/catalog/registry.ts';
import { createFieldLookup, createFieldNameTest, fieldWeightsOf } from '../../src/search-documents/fields.ts';
import { suite } from '../support/suite.ts';

/** Shows that search fields have the right types and names. */

const test = suite('search: fields');
const registry = await loadKinds();

const classOf = (entityType: string, name: string) => createFieldLookup(requireKind(registry, entityType))(name)?.class;

/** How each field is compared, as the contract and its clarifications say it. */
const CLASSES: readonly (readonly [kind: string, how: string | undefined, ...names: readonly string[]])[] = [
  ['table', 'text', 'name', 'displayName', 'description', 'columns.name', 'columns.description', 'columnNamesFuzzy'],
  ['table', 'text', 'columns.children.children.name', 'database.name', 'fullyQualifiedName.text', 'name.ngram'],
  ['pipeline', 'text', 'tasks.name', 'tasks.description', 'tasks.displayName'],
  ['dashboard', 'text', 'charts.name', 'charts.description', 'name.compound'],
  [
    ...(['table', 'folded', 'name.keyword', 'displayName.keyword', 'displayName.lc', 'fullyQualifiedName'] as const),
    ...['fullyQualifiedName.keyword', 'columns.fullyQualifiedName', 'columns.name.keyword', 'columns.dataType'],
    ...['tableType', 'tableType.keyword', 'serviceType', 'tags.tagFQN', 'columns.tags.tagFQN', 'owners.name'],
    ...['owners.displayName', 'owners.displayName.keyword', 'service.name.keyword', 'database.name.keyword'],
    ...['database.displayName.keyword', 'databaseSchema.name.keyword', 'certification.tagLabel.tagFQN'],
    ...['tableConstraints.constraintType.keyword', 'domains.displayName.keyword', 'service.type', 'descriptionStatus'],
    ...['ownerName', 'ownerDisplayName', 'entityStatus', 'tags.source', 'extension.color.keyword'],
  ],
  [
    ...(['table', 'exact', 'id', 'id.keyword', '_id', 'entityType', 'columnNames', 'followers', 'fqnParts'] as const),
    ...['tier.tagFQN', 'tier.tagFQN.keyword', 'sourceUrl', 'domains.fullyQualifiedName', 'aliases', 'aliases.keyword'],
    ...['dataProducts.fullyQualifiedName', 'displayName.actualCase', 'classificationTagFQNs', 'glossaryTermFQNs'],
    ...['upstreamLineage.fromEntity.id', 'upstreamLineage.docId', 'owners.id', 'fqnHash'],
  ],
  ['query', 'exact', 'checksum', 'checksum.keyword'],
  ['container', 'exact', 'fullPath', 'fullPath.keyword'],
  ['topic', 'exact', 'fieldNames'],
  ['table', 'number', 'version', 'totalVotes', 'usageSummary.weeklyStats.count', 'usageSummary.dailyStats.count'],
  ['topic', 'number', 'partitions', 'fqnDepth'],
  ['tag', 'number', 'usageCount'],
  ['table', 'number', 'queryCount'],
  ['table', 'date', 'updatedAt', 'certification.appliedDate', 'lifeCycle.created.timestamp'],
  ['pipeline', 'date', 'startDate'],
  ['table', 'flag', 'deleted', 'processedLineage', 'owners.deleted'],
  ['user', 'flag', 'isBot', 'isAdmin'],
  ['team', 'flag', 'isBot'],
  ['table', 'object', 'owners', 'tags', 'columns', 'service'],
  ['glossaryTerm', 'object', 'relatedTerms'],
  ['glossaryTerm', 'text', 'relatedTerms.term.name', 'synonyms'],
  ['glossaryTerm', 'folded', 'relatedTerms.relationType'],
  ['query', 'text', 'query', 'queryType'],
  ['table', 'any', 'extension', 'extension.color', 'extension.deep.down'],
  ['topic', 'text', 'messageSchema.schemaFields.name'],
  ['table', undefined, 'nothing', 'name.first', 'owners.keyword', 'columns.nothing', 'partitions', 'constructor', ''],
  ['table', undefined, '__proto__', 'connection', 'name.keyword.keyword', 'columns.__proto__', '.', 'name.'],
];

for (const [kind, how, ...names] of CLASSES) {
  test(`${kind}: ${how ?? 'unknown'} fields are ${names[0] || 'nothing'} and similar`, () => {
    for (const name of names) assert.is(classOf(kind, name), how, name);
  });
}

test('a variant of a field has the location of the field', () => {
  const fields = createFieldLookup(requireKind(registry, 'table'));
  assert.equal(fields('columns.name.keyword')?.path, ['columns', 'name']);
  assert.equal(fields('_id')?.path, ['id']);
  assert.equal(fields('extension.color.keyword')?.path, ['extension', 'color']);
});

test('a name is a field if some kind has it', () => {
  const { kinds } = registry;
  assert.ok(createFieldNameTest(kinds)('partitions'));
  assert.ok(createFieldNameTest(kinds)('email.keyword'));
  assert.not.ok(createFieldNameTest(kinds)('http'));
  assert.not.ok(createFieldNameTest([requireKind(registry, 'table')])('partitions'));
});

test('words without a field are searched in fields that a kind has', () => {
  const table = fieldWeightsOf(requireKind(registry, 'table'));
  assert.is(table.get('name'), 10);
  assert.is(table.get('columns.name'), 2);
  assert.is(table.has('tasks.name'), false);
  assert.is(fieldWeightsOf(requireKind(registry, 'pipeline')).get('tasks.name'), 8);
  assert.is(fieldWeightsOf(requireKind(registry, 'user')).has('columns.name'), false);
  for (const kind of registry.kinds) {
    for (const name of Object.keys(kind.search.weights ?? {})) {
      assert.ok(fieldWeightsOf(kind).has(name), `${kind.entityType} weighs ${name}, which it does not have`);
    }
    for (const name of kind.search.keywordMembers ?? []) assert.is(createFieldLookup(kind)(name)?.class, 'exact');
  }
});

test.run();
