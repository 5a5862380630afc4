import * as assert from 'uvu/assert';
import { requireKind } from '../../src/catalog/registry.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { waitForJobEnd } from '../support/job.ts';
import { createSamples, type Samples } from '../support/samples.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that a renaming reaches all descendants and everything that refers to them. */

const test = suite('catalog: renames');

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const make = (entityType: string, more: Parameters<Samples['create']>[1] = {}) => {
  const kind = requireKind(service.registry, entityType);
  return samples.create(kind, more);
};

const read = async (path: string) => service.admin.get(`/v1/${path}`);

const RENAMABLE = ['glossary', 'classification', 'domain', 'dataProduct', 'team', 'role', 'policy'];

for (const entityType of RENAMABLE) {
  test(`${entityType}: both patch formats rename it`, async () => {
    const made = await make(entityType);
    const path = service.registry.byType.get(entityType)?.path ?? '';
    const [first, second] = [uniqueName('first'), uniqueName('second.part')];
    const merged = ok(await service.admin.patch(`/v1/${path}/${made.id}`, { name: first }));
    assert.equal([merged.name, merged.fullyQualifiedName, merged.version], [first, first, 0.2]);
    assert.equal(merged.changeDescription.fieldsUpdated, [{ name: 'name', oldValue: made.name, newValue: first }]);
    const patch = [{ op: 'replace', path: '/name', value: second }];
    const patched = ok(await service.admin.patch(`/v1/${path}/name/${first}`, patch));
    assert.equal([patched.name, patched.fullyQualifiedName, patched.version], [second, `"${second}"`, 0.3]);
    ok(await read(`${path}/name/${encodeURIComponent(`"${second}"`)}`));
    expectRefused(await read(`${path}/name/${first}`), 404);
    const again = ok(
      await service.admin.post(`/v1/${path}`, { ...(await samples.body(entityType)), name: first }),
      201,
    );
    expectRefused(await service.admin.patch(`/v1/${path}/${again.id}`, { name: second }), 409, 'Entity already exists');
    expectRefused(await service.admin.patch(`/v1/${path}/${again.id}`, { name: 'a::b' }), 400, 'Invalid name a::b');
    expectRefused(await service.admin.patch(`/v1/${path}/${again.id}`, { name: 5 }), 400);
    assert.is(ok(await read(`${path}/${again.id}`)).version, 0.1);
    const kept = ok(await service.admin.patch(`/v1/${path}/${again.id}`, { name: null }));
    assert.equal([kept.name, kept.version], [first, 0.1]);
  });
}

test('descendant terms and their labels get the new name', async () => {
  const glossary = await make('glossary');
  const term = await make('glossaryTerm', { name: 'person', glossary: glossary.fullyQualifiedName });
  const below = await make('glossaryTerm', {
    name: 'first.name',
    glossary: glossary.fullyQualifiedName,
    parent: term.fullyQualifiedName,
  });
  const label = { tagFQN: below.fullyQualifiedName, source: 'Glossary' };
  const table = await make('table', { tags: [label], columns: [{ name: 'n', dataType: 'INT', tags: [label] }] });
  const before = await read(`glossaryTerms/${below.id}`);
  const name = uniqueName('words');
  ok(await service.admin.patch(`/v1/glossaries/${glossary.id}`, { name }));
  const after = await read(`glossaryTerms/name/${encodeURIComponent(`${name}.person."first.name"`)}?fields=parent`);
  const child = ok(after);
  assert.equal([child.id, child.version, child.name], [below.id, 0.1, 'first.name']);
  assert.equal([child.glossary.name, child.parent.fullyQualifiedName], [name, `${name}.person`]);
  assert.is.not(after.headers.get('etag'), before.headers.get('etag'));
  expectRefused(await read(`glossaryTerms/name/${glossary.name}.person`), 404);
  const labelled = ok(await read(`tables/${table.id}?fields=tags`));
  const fqn = `${name}.person."first.name"`;
  assert.equal([labelled.tags[0].tagFQN, labelled.columns[0].tags[0].tagFQN], [fqn, fqn]);
  const list = ok(await read(`glossaryTerms?glossary=${name}&limit=10`));
  assert.equal(
    [list.data.map((one: { id: string }) => one.id).sort(), list.paging.total],
    [[term.id, below.id].sort(), 2],
  );
  assert.is(ok(await read(`glossaryTerms?glossary=${glossary.id}`)).paging.total, 2);
  const middle = uniqueName('human');
  ok(await service.admin.patch(`/v1/glossaryTerms/${term.id}`, { name: middle }));
  ok(await read(`glossaryTerms/name/${encodeURIComponent(`${name}.${middle}."first.name"`)}`));
});

test('tags and sub-domains get the new name, and members of a domain keep theirs', async () => {
  const classification = await make('classification');
  const tag = await make('tag', { name: 'outer', classification: classification.fullyQualifiedName });
  const inner = await make('tag', { name: 'inner', parent: tag.fullyQualifiedName });
  const name = uniqueName('classes');
  ok(await service.admin.patch(`/v1/classifications/${classification.id}`, { name }));
  assert.is(ok(await read(`tags/name/${name}.outer.inner`)).id, inner.id);
  ok(await service.admin.patch(`/v1/tags/${tag.id}`, { name: 'middle' }));
  const read2 = ok(await read(`tags/name/${name}.middle.inner?fields=parent`));
  assert.equal([read2.id, read2.parent.fullyQualifiedName], [inner.id, `${name}.middle`]);
  const domain = await make('domain');
  const sub = await make('domain', { name: 'sub', parent: domain.fullyQualifiedName });
  const product = await make('dataProduct', { domains: [sub.fullyQualifiedName] });
  const realm = uniqueName('realm');
  ok(await service.admin.patch(`/v1/domains/${domain.id}`, { name: realm }));
  assert.is(ok(await read(`domains/name/${realm}.sub`)).id, sub.id);
  const kept = ok(await read(`dataProducts/${product.id}?fields=domains`));
  assert.equal([kept.fullyQualifiedName, kept.domains[0].fullyQualifiedName], [product.name, `${realm}.sub`]);
});

test('a rename of a system record or of a kind with fixed names is ignored', async () => {
  const tier = ok(await read('classifications/name/Tier'));
  const kept = ok(await service.admin.patch(`/v1/classifications/${tier.id}`, { name: 'Level' }));
  assert.equal([kept.name, kept.version], ['Tier', tier.version]);
  const organization = ok(await read('teams/name/Organization'));
  assert.is(ok(await service.admin.patch(`/v1/teams/${organization.id}`, { name: 'Company' })).name, 'Organization');
  const table = await make('table');
  assert.is(ok(await service.admin.patch(`/v1/tables/${table.id}`, { name: 'other' })).name, table.name);
});

test('a rename that would make a descendant name too long is refused and changes nothing', async () => {
  const domain = await make('domain');
  let parent = domain.fullyQualifiedName;
  for (let depth = 0; depth < 11; depth += 1) {
    parent = (await make('domain', { name: 'x'.repeat(256), parent })).fullyQualifiedName;
  }
  expectRefused(await service.admin.patch(`/v1/domains/${domain.id}`, { name: 'y'.repeat(256) }), 400, /at most 3072/);
  ok(await read(`domains/name/${parent}`));
  assert.is(ok(await read(`domains/${domain.id}`)).version, 0.1);
});

test('a job completes a large rename, the root is renamed at once, and a later rename wins', async () => {
  const { client, app } = await openSecondProcessWith(service, {
    cascadeRows: 5,
    jobs: { pollMs: 20, idlePollMs: 50 },
  });
  await service.app.runner.stop();
  const glossary = await make('glossary');
  const rows = Array.from({ length: 12 }, (_, at) => ({
    name: `t${at}`,
    glossary: glossary.fullyQualifiedName,
    description: 'One of several.',
  }));
  ok(await service.admin.put('/v1/glossaryTerms/bulk', rows));
  const [first, second] = [uniqueName('first'), uniqueName('second')];
  ok(await client.patch(`/v1/glossaries/${glossary.id}`, { name: first }));
  ok(await read(`glossaries/name/${first}`));
  ok(await read(`glossaryTerms/name/${glossary.name}.t3`));
  ok(await client.patch(`/v1/glossaries/${glossary.id}`, { name: second }));
  const jobs = ok(await client.get('/v1/jobs?limit=2')).data;
  assert.equal(
    jobs.map((job: { operation: string }) => job.operation),
    ['RENAME', 'RENAME'],
  );
  app.runner.start();
  for (const { jobId } of jobs) assert.is((await waitForJobEnd(client, jobId)).status, 'COMPLETED');
  await app.runner.stop();
  service.app.runner.start();
  for (const { name } of rows) ok(await read(`glossaryTerms/name/${second}.${name}`));
  assert.is(ok(await read(`glossaryTerms?glossary=${second}&limit=0`)).paging.total, rows.length);
});

test('terms created during a rename of their glossary get its new name', async () => {
  const glossary = await make('glossary');
  const name = uniqueName('moving');
  const creations = Array.from({ length: 40 }, (_, at) =>
    service.admin.post('/v1/glossaryTerms', {
      name: `t${at}`,
      glossary: glossary.fullyQualifiedName,
      description: 'Racing.',
    }),
  );
  const renaming = service.admin.patch(`/v1/glossaries/${glossary.id}`, { name });
  const answers = await Promise.all(creations);
  ok(await renaming);
  for (const answer of answers) assert.ok([201, 404].includes(answer.status), answer.text);
  const made = answers.filter((answer) => answer.status === 201);
  for (const { json } of made) {
    assert.is(ok(await read(`glossaryTerms/${json.id}`)).fullyQualifiedName, `${name}.${json.name}`);
  }
  assert.is(ok(await read(`glossaryTerms?glossary=${name}&limit=0`)).paging.total, made.length);
});

test.run();
