import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectList, expectRef, expectRefused, expectUnchanged, ok, pathByName } from '../support/expect.ts';
import { type CreatedRecord, createSamples, type Samples, strayId } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that glossary terms nest, relate to each other and label assets. */

const test = suite('catalog: glossaries and terms');

const PATH = '/v1/glossaryTerms';

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const newTerm = (glossary: CreatedRecord, more: JsonObject = {}): Promise<CreatedRecord> =>
  samples.create('glossaryTerm', { glossary: glossary.fullyQualifiedName, ...more });
const below = (glossary: CreatedRecord, parent: CreatedRecord, more: JsonObject = {}): Promise<CreatedRecord> =>
  newTerm(glossary, { parent: parent.fullyQualifiedName, ...more });
const read = async ({ id }: CreatedRecord, fields = '') =>
  ok(await service.admin.get(`${PATH}/${id}?fields=${fields}`));
const ids = (refs: readonly CreatedRecord[]) => refs.map(({ id }) => id).sort();
const label = (term: CreatedRecord) => ({ tagFQN: term.fullyQualifiedName, source: 'Glossary' });

test('every member of a term is stored and returned where the contract says', async () => {
  const glossary = await samples.create('glossary');
  const user = await samples.create('user');
  const domain = await samples.create('domain');
  const own = {
    displayName: 'Customer',
    description: 'Who buys',
    iri: 'https://example.com/terms#customer',
    style: {
      color: '#ffffff',
      iconURL: 'https://example.com/i.png',
      coverImage: { url: 'https://example.com/c.png', position: 'top' },
    },
    synonyms: ['Buyer', 'Client'],
    references: [{ name: 'Wiki', endpoint: 'https://example.com/wiki' }],
    conceptMappings: [
      {
        conceptIri: 'https://example.com/c',
        mappingType: 'EXACT_MATCH',
        schemeIri: 'https://example.com/s',
        source: 'skos',
      },
    ],
    provider: 'automation',
    mutuallyExclusive: true,
  };
  const body = {
    name: uniqueName('t'),
    glossary: glossary.fullyQualifiedName,
    ...own,
    owners: [{ id: user.id, type: 'user' }],
    domains: [domain.fullyQualifiedName],
  };
  const made = ok(await service.admin.post(PATH, body), 201);
  const [full, plain] = [await read(made, '*'), await read(made)];
  for (const answer of [made, full, plain]) {
    for (const [member, value] of Object.entries(own)) assert.equal(answer[member], value, member);
    assert.equal([answer.glossary.id, answer.parent, answer.entityStatus], [glossary.id, undefined, 'Approved']);
  }
  assert.equal(
    [full.owners[0].id, full.domains[0].id, full.children, full.relatedTerms, full.reviewers],
    [user.id, domain.id, [], [], []],
  );
  assert.equal([full.usageCount, full.childrenCount], [0, 0]);
  const gated = ['children', 'relatedTerms', 'reviewers', 'usageCount', 'childrenCount', 'owners', 'domains'];
  assert.equal(
    gated.filter((member) => member in plain),
    [],
  );
  const bad: readonly JsonObject[] = [
    { description: null },
    { iri: 'nothing' },
    { synonyms: [''] },
    { synonyms: 'Buyer' },
    { references: [{ name: 'x', endpoint: 'nothing' }] },
    { references: [{ url: 'https://example.com' }] },
    { conceptMappings: [{ conceptIri: 'https://example.com/c' }] },
    { style: { colour: 'x' } },
    { dataProducts: [] },
    { lifeCycle: {} },
    { sourceUrl: 'https://example.com' },
    { glossary: null },
  ];
  for (const more of bad)
    expectRefused(await service.admin.post(PATH, { ...body, name: uniqueName('t'), ...more }), 400);
  expectRefused(await service.admin.post(PATH, { ...body, name: uniqueName('t'), glossary: 'nowhere' }), 404);
  const bare = await read(await newTerm(glossary));
  assert.equal([bare.provider, bare.mutuallyExclusive, bare.synonyms], ['user', false, undefined]);
});

test('terms nest, with their names, parents, children and counts', async () => {
  const glossary = await samples.create('glossary');
  const top = await newTerm(glossary, { name: 'a.b' });
  const inner = await below(glossary, top, { name: 'inner' });
  const leaf = await below(glossary, inner, { name: 'leaf' });
  const fqn = `${glossary.name}."a.b".inner.leaf`;
  assert.is(leaf.fullyQualifiedName, fqn);
  const shown = await read(leaf);
  expectRef(shown.parent);
  assert.equal([shown.parent.id, shown.glossary.id], [inner.id, glossary.id]);
  assert.is(ok(await service.admin.get(pathByName(samples.kind('glossaryTerm'), fqn))).id, leaf.id);
  const counted = await read(top, 'children,childrenCount');
  assert.equal([ids(counted.children), counted.childrenCount], [[inner.id], 1]);
  const at = `/v1/glossaries/${glossary.id}`;
  assert.is(ok(await service.admin.get(`${at}?fields=termCount`)).termCount, 3);
  assert.is('termCount' in ok(await service.admin.get(at)), false);
  const other = await samples.create('glossary');
  const post = (more: object) => service.admin.post(PATH, { name: uniqueName('t'), description: 'd', ...more });
  expectRefused(await post({ glossary: other.name, parent: top.fullyQualifiedName }), 400);
  expectRefused(await post({ glossary: glossary.name, parent: 'no.where' }), 404);
  expectRefused(await post({ parent: top.fullyQualifiedName }), 400, /glossary must not be null/);
  expectRefused(await service.admin.delete(`${PATH}/${top.id}`), 400, 'glossaryTerm is not empty');
  expectRefused(await service.admin.delete(at), 400, 'glossary is not empty');
  ok(await service.admin.delete(`${PATH}/${top.id}?recursive=true`));
  for (const { id } of [top, inner, leaf]) expectRefused(await service.admin.get(`${PATH}/${id}`), 404);
  assert.is(ok(await service.admin.get(`${at}?fields=termCount`)).termCount, 0);
  ok(await service.admin.put(`${PATH}/restore`, { id: top.id }));
  assert.is((await read(leaf)).parent.id, inner.id);
});

test('terms are listed by glossary and by parent, by id and by name', async () => {
  const [one, two] = [await samples.create('glossary', { name: uniqueName('g.x') }), await samples.create('glossary')];
  const top = await newTerm(one, { name: 'a' });
  const inner = await below(one, top, { name: 'b' });
  const leaf = await below(one, inner, { name: 'c' });
  const side = await newTerm(one, { name: 'd' });
  const far = await newTerm(two);
  const list = async (query: string) => ids(expectList(await service.admin.get(`${PATH}?limit=100&${query}`)).data);
  const fqn = encodeURIComponent(one.fullyQualifiedName);
  const parent = encodeURIComponent(top.fullyQualifiedName);
  for (const named of [one.id, one.id.toUpperCase(), fqn]) {
    assert.equal(await list(`glossary=${named}`), ids([top, inner, leaf, side]), named);
    assert.equal(expectList(await service.admin.get(`${PATH}?limit=0&glossary=${named}`)).paging.total, 4);
  }
  assert.equal(await list(`glossary=${two.id}`), [far.id]);
  for (const named of [top.id, parent]) {
    const found = await list(`parent=${named}`);
    assert.ok(found.includes(inner.id) && !found.includes(top.id) && !found.includes(side.id), named);
    assert.equal(await list(`parent=${named}&glossary=${one.id}`), found);
    assert.equal(await list(`parent=${named}&glossary=${two.id}`), []);
  }
  assert.equal(await list('glossary=nowhere'), []);
  expectRefused(await service.admin.get(`${PATH}?glossary=${strayId()}`), 404);
  expectRefused(await service.admin.get(`${PATH}?glossary=${top.id}`), 404);
  expectRefused(await service.admin.get(`${PATH}?parent=${one.id}`), 404);
});

test('related terms are given by full name and shown on both sides with their relation', async () => {
  const [one, two] = [await samples.create('glossary'), await samples.create('glossary')];
  const [a, b] = [await newTerm(one), await newTerm(two)];
  const c = ok(
    await service.admin.post(PATH, {
      name: uniqueName('t'),
      description: 'd',
      glossary: one.name,
      relatedTerms: [a.fullyQualifiedName, b.fullyQualifiedName],
    }),
    201,
  );
  const related = async (term: CreatedRecord) =>
    (await read(term, 'relatedTerms')).relatedTerms as readonly { relationType: string; term: CreatedRecord }[];
  const of = async (term: CreatedRecord) => ids((await related(term)).map(({ term: other }) => other));
  assert.equal([await of(a), await of(b), await of(c)], [[c.id], [c.id], ids([a, b])]);
  for (const { relationType, term } of [...(await related(a)), ...c.relatedTerms]) {
    expectRef(term as never);
    assert.is(relationType, 'relatedTo');
  }
  const at = `${PATH}/${c.id}`;
  const fewer = ok(await service.admin.patch(at, [{ op: 'remove', path: '/relatedTerms/0' }]));
  assert.equal([fewer.version, fewer.relatedTerms.length], [0.2, 1]);
  // What was drawn from the other end is taken away from this one.
  const from = (fewer.relatedTerms[0].term.id === a.id ? a : b) as CreatedRecord;
  const none = ok(await service.admin.patch(`${PATH}/${from.id}`, { relatedTerms: [] }));
  assert.equal([none.relatedTerms, await of(c)], [[], []]);
  const merged = ok(
    await service.admin.patch(at, {
      relatedTerms: [{ relationType: 'relatedTo', term: { id: a.id, type: 'glossaryTerm' } }],
    }),
  );
  assert.equal([merged.relatedTerms[0].term.id, await of(a)], [a.id, [c.id]]);
  expectRefused(
    await expectUnchanged(service, c.id, () => service.admin.patch(at, { relatedTerms: ['no.where'] })),
    404,
  );
  expectRefused(
    await service.admin.post(PATH, {
      name: 'x',
      description: 'd',
      glossary: one.name,
      relatedTerms: [{ id: a.id, type: 'glossaryTerm' }],
    }),
    400,
  );
  ok(await service.admin.delete(`${PATH}/${a.id}?hardDelete=true`));
  assert.equal(await of(c), []);
});

test('a term with reviewers starts as a draft, any other as approved', async () => {
  const [user, team] = [await samples.create('user'), await samples.create('team')];
  const glossary = await samples.create('glossary', { reviewers: [{ id: user.id, type: 'user' }] });
  assert.equal(ids(ok(await service.admin.get(`/v1/glossaries/${glossary.id}?fields=reviewers`)).reviewers), [user.id]);
  const status = async (more: JsonObject) => (await read(await newTerm(glossary, more))).entityStatus;
  assert.is(await status({ reviewers: [{ id: user.id, type: 'user' }] }), 'Draft');
  assert.is(await status({ reviewers: [{ id: team.id, type: 'team' }] }), 'Draft');
  assert.is(await status({ reviewers: [] }), 'Approved');
  const draft = await newTerm(glossary, { reviewers: [{ id: user.id, type: 'user' }] });
  assert.equal(ids((await read(draft, 'reviewers')).reviewers), [user.id]);
  const approved = ok(await service.admin.patch(`${PATH}/${draft.id}`, { entityStatus: 'Approved' }));
  assert.equal([approved.entityStatus, approved.version], ['Approved', 0.2]);
  // A later change of the reviewers does not put the status back.
  assert.is(ok(await service.admin.patch(`${PATH}/${draft.id}`, { reviewers: [] })).entityStatus, 'Approved');
  const stranger = { reviewers: [{ id: glossary.id, type: 'glossary' }] };
  const refusedPost = await service.admin.post(PATH, {
    name: 'x',
    description: 'd',
    glossary: glossary.name,
    ...stranger,
  });
  assert.ok([400, 404].includes(refusedPost.status));
});

test('terms label records and columns, and their usages are counted', async () => {
  const glossary = await samples.create('glossary');
  const top = await newTerm(glossary, { displayName: 'Top' });
  const leaf = await below(glossary, top);
  const table = await samples.create('table', {
    tags: [label(leaf)],
    columns: [{ name: 'a', dataType: 'INT', tags: [{ tagFQN: top.fullyQualifiedName }] }],
  });
  const topic = await samples.create('topic', {
    messageSchema: { schemaFields: [{ name: 'f', dataType: 'INT', tags: [label(leaf)] }] },
  });
  const shown = ok(await service.admin.get(`/v1/tables/${table.id}?fields=tags`));
  assert.equal([shown.tags[0].source, shown.tags[0].tagFQN], ['Glossary', leaf.fullyQualifiedName]);
  const [onColumn] = shown.columns[0].tags;
  assert.equal(
    [onColumn.source, onColumn.displayName, onColumn.href.endsWith(`${PATH}/${top.id}`)],
    ['Glossary', 'Top', true],
  );
  assert.is(
    ok(await service.admin.get(`/v1/topics/${topic.id}?fields=tags`)).messageSchema.schemaFields[0].tags[0].tagFQN,
    leaf.fullyQualifiedName,
  );
  assert.equal([(await read(leaf, 'usageCount')).usageCount, (await read(top, 'usageCount')).usageCount], [2, 3]);
  assert.is(ok(await service.admin.get(`/v1/glossaries/${glossary.id}?fields=usageCount`)).usageCount, 3);
  expectRefused(
    await service.admin.post('/v1/tables', {
      ...(await samples.body('table')),
      tags: [{ tagFQN: leaf.fullyQualifiedName, source: 'Classification' }],
    }),
    404,
  );
});

test('labels of disabled ancestors and of mutually exclusive terms are refused', async () => {
  const table = async (more: JsonObject) => service.admin.post('/v1/tables', await samples.body('table', more));
  const tagged = async (...terms: readonly CreatedRecord[]) => table({ tags: terms.map(label) });
  const onColumn = async (...terms: readonly CreatedRecord[]) =>
    table({ columns: [{ name: 'a', dataType: 'INT', tags: terms.map(label) }] });
  const glossary = await samples.create('glossary');
  const top = await newTerm(glossary);
  const inner = await below(glossary, top);
  const leaf = await below(glossary, inner);
  const made = ok(await tagged(leaf), 201);
  for (const [path, { id }] of [
    ['glossaryTerms', leaf],
    ['glossaryTerms', inner],
    ['glossaryTerms', top],
    ['glossaries', glossary],
  ] as const) {
    const off = ok(await service.admin.patch(`/v1/${path}/${id}`, { disabled: true }));
    assert.is(off.disabled, true);
    for (const send of [tagged, onColumn]) expectRefused(await send(leaf), 400, /is disabled/);
    // A label that is there stays.
    assert.is(ok(await service.admin.get(`/v1/tables/${made.id}?fields=tags`)).tags.length, 1);
    ok(await service.admin.patch(`/v1/${path}/${id}`, { disabled: false }));
    ok(await tagged(leaf), 201);
  }
  const exclusive = await samples.create('glossary', { mutuallyExclusive: true });
  const [x, y] = [await newTerm(exclusive, { mutuallyExclusive: true }), await newTerm(exclusive)];
  const [p, q] = [await below(exclusive, x), await below(exclusive, x)];
  const [r, s] = [await below(exclusive, y), await below(exclusive, y)];
  for (const send of [tagged, onColumn]) {
    expectRefused(await send(x, y), 400, /mutually exclusive/);
    expectRefused(await send(p, q), 400, /mutually exclusive/);
    expectRefused(await send(p, r), 400, /mutually exclusive/);
    expectRefused(await send(p, y), 400, /mutually exclusive/);
    ok(await send(r, s), 201);
    ok(await send(x, p), 201);
  }
  const { id } = ok(await tagged(x), 201);
  const patch = [{ op: 'add', path: '/tags/-', value: label(y) }];
  expectRefused(
    await expectUnchanged(service, id, () => service.admin.patch(`/v1/tables/${id}`, patch)),
    400,
    /mutually exclusive/,
  );
});

test('a system glossary cannot be deleted, and glossaries have exactly the members of the contract', async () => {
  const body = {
    name: uniqueName('g'),
    description: 'd',
    displayName: 'G',
    mutuallyExclusive: true,
    provider: 'automation',
  };
  const made = ok(await service.admin.post('/v1/glossaries', body), 201);
  assert.equal(
    [made.provider, made.mutuallyExclusive, made.displayName, made.entityStatus],
    ['automation', true, 'G', 'Unprocessed'],
  );
  for (const more of [{ description: null }, { disabled: true }, { dataProducts: [] }, { glossary: 'x' }]) {
    expectRefused(await service.admin.post('/v1/glossaries', { ...body, name: uniqueName('g'), ...more }), 400);
  }
  const system = await samples.create('glossary', { provider: 'system' });
  expectRefused(
    await service.admin.delete(`/v1/glossaries/${system.id}?hardDelete=true`),
    400,
    `System entity [${system.name}] of type glossary can not be deleted.`,
  );
});

test.run();
