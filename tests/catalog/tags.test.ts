import * as assert from 'uvu/assert';
import { expectRefused, expectUnchanged, ok, pathByName, readStored } from '../support/expect.ts';
import { type CreatedRecord, createSamples, type Samples } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that tag labels are resolved, sorted and validated. */

const test = suite('catalog: tags');

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const newClassification = (mutuallyExclusive: boolean): Promise<CreatedRecord> =>
  samples.create('classification', { mutuallyExclusive });
const newTag = (classification: CreatedRecord, more: object = {}): Promise<CreatedRecord> =>
  samples.create('tag', { classification: classification.fullyQualifiedName, ...more });
const label = (tag: CreatedRecord) => ({ tagFQN: tag.fullyQualifiedName });
const fqns = (labels: readonly { tagFQN: string }[]) => labels.map(({ tagFQN }) => tagFQN);

const newTable = async (more: object = {}) => {
  const body = await samples.body('table', { ...more });
  return { body, made: ok(await service.admin.post('/v1/tables', body), 201) };
};

test('a label gets its defaults on input and contains the properties of its tag', async () => {
  const tag = await newTag(await newClassification(false), { displayName: 'Shown', style: { color: '#fff' } });
  const { made } = await newTable({ tags: [label(tag)] });
  const [shown] = made.tags;
  assert.equal(
    [shown.tagFQN, shown.source, shown.labelType, shown.state, shown.name, shown.displayName, shown.style],
    [tag.fullyQualifiedName, 'Classification', 'Manual', 'Confirmed', tag.name, 'Shown', { color: '#fff' }],
  );
  assert.ok(shown.href.endsWith(`/v1/tags/${tag.id}`));
  assert.is(shown.appliedBy, 'admin');
  assert.match(shown.appliedAt, /^\d{4}-\d\d-\d\dT/);
  const read = ok(await service.admin.get(`/v1/tables/${made.id}?fields=tags`));
  assert.equal(read.tags, made.tags);
  const [edge] = await service.graph.query(
    'MATCH (:Table {id: $id})-[l:TAGGED]->(:Tag {id: $tag}) RETURN l.labelType AS labelType, l.state AS state, l.source AS source',
    { id: made.id, tag: tag.id },
  );
  assert.equal(edge, { labelType: 'Manual', state: 'Confirmed', source: 'Classification' });
});

test('labels are sorted by tag and unique per tag', async () => {
  const classification = await newClassification(false);
  const [b, a] = [await newTag(classification, { name: 'b' }), await newTag(classification, { name: 'a' })];
  const { made } = await newTable({ tags: [label(b), label(a), label(b)] });
  assert.equal(fqns(made.tags), [a.fullyQualifiedName, b.fullyQualifiedName]);
});

test('an unknown tag is 404, and a disabled tag or classification is 400, at every depth', async () => {
  const classification = await newClassification(false);
  const [tag, off] = [await newTag(classification), await newTag(classification)];
  ok(await service.admin.patch(`/v1/tags/${off.id}`, { disabled: true }));
  const closed = await newClassification(false);
  const inside = await newTag(closed);
  ok(await service.admin.patch(`/v1/classifications/${closed.id}`, { disabled: true }));
  const { made } = await newTable({ tags: [label(tag)] });
  const at = `/v1/tables/${made.id}`;
  const cases: [string, number][] = [
    ['No.Such', 404],
    [off.fullyQualifiedName, 400],
    [inside.fullyQualifiedName, 400],
  ];
  for (const [tagFQN, status] of cases) {
    const inColumn = [
      { name: 'a', dataType: 'STRUCT', children: [{ name: 'b', dataType: 'INT', tags: [{ tagFQN }] }] },
    ];
    for (const body of [{ tags: [{ tagFQN }] }, { columns: inColumn }]) {
      expectRefused(await service.admin.post('/v1/tables', await samples.body('table', body as never)), status);
      expectRefused(await expectUnchanged(service, made.id, () => service.admin.patch(at, body)), status);
    }
  }
  expectRefused(
    await service.admin.patch(at, { tags: [{ tagFQN: 'No.Such' }] }),
    404,
    'tag instance for No.Such not found',
  );
  expectRefused(await service.admin.patch(at, { tags: [{}] }), 400);
  expectRefused(await service.admin.patch(at, { tags: [{ ...label(tag), state: 'Maybe' }] }), 400);
  ok(await service.admin.delete(`/v1/tags/${tag.id}`));
  assert.equal(ok(await service.admin.get(`${at}?fields=tags`)).tags, []);
});

test('tags of a mutually exclusive parent exclude each other on records and columns', async () => {
  const exclusive = await newClassification(true);
  const [one, two] = [await newTag(exclusive), await newTag(exclusive)];
  const both = [label(one), label(two)];
  const table = samples.kind('table');
  const columns = [{ name: 'a', dataType: 'INT', tags: both }];
  expectRefused(await service.admin.post('/v1/tables', await samples.body(table, { tags: both })), 400);
  expectRefused(await service.admin.post('/v1/tables', await samples.body(table, { columns })), 400);
  const { body, made } = await newTable({ tags: [label(one)] });
  const at = `/v1/tables/${made.id}`;
  const patch = [{ op: 'add', path: '/tags/-', value: label(two) }];
  expectRefused(await expectUnchanged(service, made.id, () => service.admin.patch(at, patch)), 400);
  expectRefused(
    await expectUnchanged(service, made.id, () => service.admin.put('/v1/tables', { ...body, tags: [label(two)] })),
    400,
  );
  const swapped = ok(await service.admin.patch(at, [{ op: 'replace', path: '/tags/0', value: label(two) }]));
  assert.equal(fqns(swapped.tags), [two.fullyQualifiedName]);
  const lax = await newClassification(false);
  const parent = await newTag(lax, { mutuallyExclusive: true });
  const [x, y] = [
    await samples.create('tag', { parent: parent.fullyQualifiedName }),
    await samples.create('tag', { parent: parent.fullyQualifiedName }),
  ];
  expectRefused(await service.admin.post('/v1/tables', await samples.body(table, { tags: [label(x), label(y)] })), 400);
  expectRefused(await service.admin.patch(at, { tags: [{ tagFQN: 'Tier.Tier1' }, { tagFQN: 'Tier.Tier2' }] }), 400);
});

test('tags below different children of an exclusive ancestor exclude each other', async () => {
  const exclusive = await newClassification(true);
  const [a, b] = [await newTag(exclusive), await newTag(exclusive)];
  const below = (parent: CreatedRecord) => samples.create('tag', { parent: parent.fullyQualifiedName });
  const [ax, ay, bx] = [await below(a), await below(a), await below(b)];
  const axx = await below(ax);
  const post = async (more: object) => service.admin.post('/v1/tables', await samples.body('table', more as never));
  const inColumn = (tags: object[]) => [
    { name: 's', dataType: 'STRUCT', children: [{ name: 'c', dataType: 'INT', tags }] },
  ];
  const { made } = await newTable({ tags: [label(axx)] });
  for (const rivals of [
    [ax, b],
    [b, axx],
    [ax, bx],
    [ax, ay, bx],
  ]) {
    const tags = rivals.map(label);
    expectRefused(await post({ tags }), 400, /are mutually exclusive/);
    expectRefused(await post({ columns: inColumn(tags) }), 400, /are mutually exclusive/);
    expectRefused(
      await expectUnchanged(service, made.id, () => service.admin.patch(`/v1/tables/${made.id}`, { tags })),
      400,
    );
  }
  // A tag and what hangs below it take the same side of every choice, and so do two tags below one that is not exclusive.
  for (const friends of [
    [a, ax],
    [a, ax, axx],
    [ax, ay],
  ]) {
    const tags = friends.map(label);
    assert.equal(fqns(ok(await post({ tags }), 201).tags), friends.map((tag) => tag.fullyQualifiedName).sort());
    ok(await post({ columns: inColumn(tags) }), 201);
  }
  ok(await service.admin.patch(`/v1/tags/${a.id}`, { mutuallyExclusive: true }));
  expectRefused(await post({ tags: [label(axx), label(ay)] }), 400, /are mutually exclusive/);
});

test('terms below different children of an exclusive glossary exclude each other', async () => {
  const { name } = await samples.create('glossary', { mutuallyExclusive: true });
  const [a, b] = [
    await samples.create('glossaryTerm', { glossary: name }),
    await samples.create('glossaryTerm', { glossary: name }),
  ];
  const ax = await samples.create('glossaryTerm', { glossary: name, parent: a.fullyQualifiedName });
  const tags = [ax, b].map((term) => ({ ...label(term), source: 'Glossary' }));
  expectRefused(
    await service.admin.post('/v1/tables', await samples.body('table', { tags })),
    400,
    /are mutually exclusive/,
  );
});

test('PUT merges tags, PATCH removes them', async () => {
  const classification = await newClassification(false);
  const [one, two] = [await newTag(classification), await newTag(classification)];
  const columns = (tags: object[]) => [{ name: 'a', dataType: 'INT', tags }];
  const { body, made } = await newTable({ tags: [label(one)], columns: columns([label(one)]) });
  const put = ok(
    await service.admin.put('/v1/tables', { ...body, tags: [label(two)], columns: columns([label(two)]) }),
  );
  const all = [one, two].map((tag) => tag.fullyQualifiedName).sort();
  assert.equal([fqns(put.tags), fqns(put.columns[0].tags), put.version], [all, all, 0.2]);
  const none = await expectUnchanged(service, made.id, () =>
    service.admin.put('/v1/tables', { ...body, tags: [], columns: columns([]) }),
  );
  assert.equal(fqns(ok(none).tags), all);
  const at = `/v1/tables/${made.id}`;
  const removed = ok(
    await service.admin.patch(at, [
      { op: 'remove', path: '/tags/0' },
      { op: 'remove', path: '/columns/0/tags/1' },
    ]),
  );
  assert.equal([fqns(removed.tags), fqns(removed.columns[0].tags)], [all.slice(1), all.slice(0, 1)]);
  assert.equal(ok(await service.admin.patch(at, { tags: null })).tags, []);
  const [row] = await service.graph.query('RETURN COUNT { (:Table {id: $id})-[:TAGGED]->() } AS labels', {
    id: made.id,
  });
  assert.is(row?.['labels'], 0);
});

test('a stored label keeps who applied it and when', async () => {
  const tag = await newTag(await newClassification(false));
  const { body, made } = await newTable({ tags: [label(tag)] });
  const sent = { ...label(tag), appliedAt: '2001-01-01T00:00:00Z', appliedBy: 'nobody', name: 'x', href: 'http://x' };
  const reply = await expectUnchanged(service, made.id, () =>
    service.admin.put('/v1/tables', { ...body, tags: [sent] }),
  );
  assert.equal(ok(reply).tags, made.tags);
});

test('a nested tag is named and shown below its parent', async () => {
  const classification = await newClassification(false);
  const tag = await newTag(classification);
  const child = await samples.create('tag', { parent: tag.fullyQualifiedName });
  assert.is(child.fullyQualifiedName, `${tag.fullyQualifiedName}.${child.name}`);
  const shown = ok(await service.admin.get(`/v1/tags/${child.id}?fields=children`));
  assert.equal([shown.parent.id, shown.classification.id], [tag.id, classification.id]);
  assert.equal(ok(await service.admin.get(`/v1/tags/${tag.id}?fields=children`)).children[0].id, child.id);
});

test('a tag needs a classification or a parent, and both must match', async () => {
  const [one, two] = [await newClassification(false), await newClassification(false)];
  const parent = await newTag(one);
  const post = (more: object) => service.admin.post('/v1/tags', { name: uniqueName('t'), description: 'd', ...more });
  expectRefused(await post({}), 400);
  ok(await post({ classification: one.name, parent: parent.fullyQualifiedName }), 201);
  expectRefused(await post({ classification: two.name, parent: parent.fullyQualifiedName }), 400);
  expectRefused(await post({ classification: 'nowhere' }), 404, 'classification instance for nowhere not found');
  expectRefused(await post({ parent: 'no.where' }), 404, 'tag instance for no.where not found');
});

test('terms of a classification, and uses of a tag and a classification, are counted', async () => {
  const classification = await newClassification(false);
  const [one] = [await newTag(classification), await newTag(classification)];
  await newTable({ tags: [label(one)], columns: [{ name: 'a', dataType: 'INT', tags: [label(one)] }] });
  const read = ok(await service.admin.get(`/v1/classifications/${classification.id}?fields=termCount,usageCount`));
  assert.equal([read.termCount, read.usageCount], [2, 2]);
  assert.is(ok(await service.admin.get(`/v1/tags/${one.id}?fields=usageCount`)).usageCount, 2);
});

test('hard deletion of a tag removes its labels', async () => {
  const tag = await newTag(await newClassification(false));
  const { made } = await newTable({ tags: [label(tag)] });
  ok(await service.admin.delete(pathByName(samples.kind('tag'), tag.fullyQualifiedName, '?hardDelete=true')));
  assert.equal(ok(await service.admin.get(`/v1/tables/${made.id}?fields=tags`)).tags, []);
  assert.is(await readStored(service, tag.id), undefined);
});

test('the system classifications exist, are mutually exclusive and cannot be deleted', async () => {
  for (const [name, tags] of Object.entries({
    Tier: ['Tier1', 'Tier2', 'Tier3', 'Tier4', 'Tier5'],
    PII: ['None', 'NonSensitive', 'Sensitive'],
    Certification: ['Gold', 'Silver', 'Bronze'],
  })) {
    const read = ok(await service.admin.get(`/v1/classifications/name/${name}`));
    assert.equal([read.mutuallyExclusive, read.provider], [true, 'system']);
    for (const tag of tags) {
      const shown = ok(await service.admin.get(`/v1/tags/name/${name}.${tag}`));
      assert.is(shown.provider, 'system');
      expectRefused(await service.admin.delete(`/v1/tags/${shown.id}`), 400);
    }
  }
});

test.run();
