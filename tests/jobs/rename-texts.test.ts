import * as assert from 'uvu/assert';
import type { App } from '../../src/app.ts';
import { requireKind } from '../../src/catalog/registry.ts';
import { MAX_CONDITION_LENGTH } from '../../src/model/language/condition.ts';
import { expectRefused, expectUnchanged, ok, readStored } from '../support/expect.ts';
import { pickMembers, waitForJobEnd } from '../support/job.ts';
import {
  applies,
  conditionsOf,
  createDenyingPolicy,
  denyingPolicy,
  readNotedConditions,
  readPolicy,
} from '../support/policies.ts';
import { createSamples, type Samples } from '../support/samples.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that conditions of policies follow a renaming that needs several transactions (DESIGN 5). */

const test = suite('jobs: large renames and conditions');

const BELOW = 12;

let service: Service;
let samples: Samples;
let client: Client;
let app: App;

test.before(async () => {
  service = await openService();
  samples = createSamples(service);
  // Nothing is carried on before a case says so.
  await service.app.runner.stop();
  ({ client, app } = await openSecondProcessWith(service, { cascadeRows: 5, jobs: { pollMs: 20, idlePollMs: 50 } }));
});

test.after(() => service.app.runner.start());

type Root = { readonly id: string; readonly name: string; readonly at: string };

/** A glossary with more terms than are renamed within a request. */
const plantTerms = async (count = BELOW): Promise<Root> => {
  const name = uniqueName('glossary');
  const { id } = ok(await client.post('/v1/glossaries', { name, description: 'Many terms.' }), 201);
  const rows = Array.from({ length: count }, (_, at) => ({ name: `t${at}`, glossary: name, description: 'A term.' }));
  assert.is(ok(await client.put('/v1/glossaryTerms/bulk', rows)).numberOfRowsPassed, count);
  return { id, name, at: `/v1/glossaries/${id}` };
};

/** A classification with more tags than are renamed within a request. */
const plantTags = async (): Promise<Root> => {
  const name = uniqueName('classes');
  const { id } = ok(await client.post('/v1/classifications', { name, description: 'Many tags.' }), 201);
  const rows = Array.from({ length: BELOW }, (_, at) => ({
    name: `t${at}`,
    classification: name,
    description: 'A tag.',
  }));
  assert.is(ok(await client.put('/v1/tags/bulk', rows)).numberOfRowsPassed, BELOW);
  return { id, name, at: `/v1/classifications/${id}` };
};

const renameTo = async ({ at }: Root, name: string): Promise<string> => {
  ok(await client.patch(at, { name }));
  const [job] = ok(await client.get('/v1/jobs?limit=1')).data;
  assert.equal(pickMembers(job, 'operation', 'status'), ['RENAME', 'QUEUED']);
  return job.jobId;
};

const carryOn = async (...jobIds: readonly string[]): Promise<void> => {
  app.runner.start();
  try {
    for (const jobId of jobIds) {
      assert.equal(pickMembers(await waitForJobEnd(client, jobId), 'status', 'error'), ['COMPLETED', undefined]);
    }
  } finally {
    await app.runner.stop();
  }
};

const conditions = async ({ id }: { readonly id: string }) => conditionsOf(await readPolicy(client, id));

const labelled = (tagFQN: string, source: string) =>
  samples.create(requireKind(service.registry, 'table'), {
    tags: [{ tagFQN, source }],
  });

const tagsOf = async ({ id }: { readonly id: string }): Promise<ReadonlySet<string>> => {
  const { tags } = ok(await client.get(`/v1/tables/${id}?fields=tags`));
  return new Set(tags.map(({ tagFQN }: { tagFQN: string }) => tagFQN));
};

test('conditions that name the root are rewritten at once in one version, and the rest follows', async () => {
  for (const [plant, source, collection] of [
    [plantTerms, 'Glossary', 'glossaryTerms'],
    [plantTags, 'Classification', 'tags'],
  ] as const) {
    const root = await plant();
    const table = await labelled(`${root.name}.t7`, source);
    const policy = await createDenyingPolicy(
      client,
      `matchAnyTag('${root.name}.t1','${root.name}.t7')`,
      `matchAllTags('${root.name}.t7')`,
    );
    const fresh = uniqueName("it's");
    const jobId = await renameTo(root, fresh);
    const quoted = fresh.replace("'", "''");
    const wanted = [`matchAnyTag('${quoted}.t1','${quoted}.t7')`, `matchAllTags('${quoted}.t7')`];
    const isFollowed = async () => {
      const after = await readPolicy(client, policy.id);
      assert.equal([conditionsOf(after), after.version], [wanted, 0.2]);
      assert.ok(applies(after, { resource: { tags: await tagsOf(table) } }));
      for (const at of [1, 7]) ok(await client.get(`/v1/${collection}/name/${encodeURIComponent(`${fresh}.t${at}`)}`));
    };
    await isFollowed();
    ok(await client.get(`/v1/${collection}/name/${root.name}.t2`));
    await carryOn(jobId);
    await isFollowed();
    expectRefused(await client.get(`/v1/${collection}/name/${root.name}.t2`), 404);
    ok(await client.get(`/v1/${collection}/name/${encodeURIComponent(`${fresh}.t2`)}`));
  }
});

test('a condition stored before its turn is rewritten when it is reached', async () => {
  const root = await plantTerms();
  const fresh = uniqueName('fresh');
  const jobId = await renameTo(root, fresh);
  expectRefused(await client.post('/v1/policies', denyingPolicy(`matchAnyTag('${fresh}.t3')`)), 404);
  const late = await createDenyingPolicy(
    client,
    `matchAnyTag('${root.name}.t3') or not matchAllTags('${root.name}.t4')`,
  );
  assert.equal(await readNotedConditions(service, late.id), [
    `glossaryTerm ${root.name}.t3`,
    `glossaryTerm ${root.name}.t4`,
  ]);
  await carryOn(jobId);
  const after = ok(await client.get(`/v1/policies/${late.id}`));
  assert.equal(conditionsOf(after), [`matchAnyTag('${fresh}.t3') or not matchAllTags('${fresh}.t4')`]);
  assert.equal(
    [after.version, after.updatedBy, after.changeDescription.fieldsUpdated[0].name],
    [0.2, 'admin', 'rules'],
  );
  assert.equal(await readNotedConditions(service, late.id), [`glossaryTerm ${fresh}.t3`, `glossaryTerm ${fresh}.t4`]);
});

test('at no moment do a rule and the assets of its term disagree', async () => {
  const root = await plantTerms(60);
  const fresh = uniqueName('fresh');
  const places = [3, 20, 41, 59];
  const tables = await Promise.all(places.map((at) => labelled(`${root.name}.t${at}`, 'Glossary')));
  const jobId = await renameTo(root, fresh);
  const policies = await Promise.all(
    places.map((at) => createDenyingPolicy(client, `matchAnyTag('${root.name}.t${at}')`)),
  );
  const pairs = tables.flatMap((table, at) => policies.slice(at, at + 1).map(({ id }) => ({ table, id })));
  let isOver = false;
  const watch = pairs.map(async ({ table, id }) => {
    let looks = 0;
    // However quickly the renaming ends, every rule and its table are looked at once.
    while (!isOver || looks === 0) {
      const before = await readPolicy(client, id);
      const tags = await tagsOf(table);
      const after = await readPolicy(client, id);
      // Rewritten between the two looks, it tells nothing of the tags in between.
      if (before.version !== after.version) continue;
      assert.ok(applies(after, { resource: { tags } }), `${conditionsOf(after)} and ${[...tags]}`);
      looks += 1;
    }
  });
  await carryOn(jobId);
  isOver = true;
  await Promise.all(watch);
  for (const [at, policy] of policies.entries()) {
    assert.equal(await conditions(policy), [`matchAnyTag('${fresh}.t${places[at]}')`]);
  }
});

test('more late conditions than one transaction may change are rewritten in several', async () => {
  const root = await plantTerms();
  const fresh = uniqueName('fresh');
  const jobId = await renameTo(root, fresh);
  const late = await Promise.all(
    Array.from({ length: BELOW }, (_, at) => createDenyingPolicy(client, `matchAnyTag('${root.name}.t${at}')`)),
  );
  await carryOn(jobId);
  for (const [at, policy] of late.entries()) {
    assert.equal(await conditions(policy), [`matchAnyTag('${fresh}.t${at}')`]);
  }
});

test('further renames at the root and in the middle keep conditions and names consistent', async () => {
  const root = await plantTerms();
  const { id: middle } = ok(await client.get(`/v1/glossaryTerms/name/${root.name}.t0`));
  const body = { name: 'deep', parent: `${root.name}.t0`, glossary: root.name, description: 'Below.' };
  const { id: deep } = ok(await client.post('/v1/glossaryTerms', body), 201);
  const policy = await createDenyingPolicy(client, `matchAnyTag('${root.name}.t0.deep')`);
  const agree = async () => {
    const { fullyQualifiedName } = ok(await client.get(`/v1/glossaryTerms/${deep}`));
    assert.equal(await conditions(policy), [`matchAnyTag('${fullyQualifiedName}')`]);
    assert.equal(await readNotedConditions(service, policy.id), [`glossaryTerm ${fullyQualifiedName}`]);
    return fullyQualifiedName;
  };
  const [first, second] = [uniqueName('first'), uniqueName('second')];
  const jobs = [await renameTo(root, first)];
  assert.is(await agree(), `${first}.t0.deep`);
  ok(await client.patch(`/v1/glossaryTerms/${middle}`, { name: 'mid' }));
  await agree();
  jobs.push(await renameTo(root, second));
  await agree();
  ok(await client.patch(`/v1/glossaryTerms/${deep}`, { name: 'deeper' }));
  await agree();
  await carryOn(...jobs);
  assert.is(await agree(), `${second}.mid.deeper`);
});

test('a large rename that would make a condition too long is refused and not started', async () => {
  const root = await plantTerms();
  const condition = `matchAnyTag('${root.name}.t1')`;
  const policy = await createDenyingPolicy(client, condition + ' '.repeat(MAX_CONDITION_LENGTH - condition.length));
  const [before] = ok(await client.get('/v1/jobs?limit=1')).data;
  const attempt = () => expectUnchanged(service, policy.id, () => client.patch(root.at, { name: `${root.name}x` }));
  expectRefused(
    await expectUnchanged(service, root.id, attempt),
    400,
    /^\[rules\.0\.condition is not a condition: longer than 10000 /,
  );
  const [after] = ok(await client.get('/v1/jobs?limit=1')).data;
  assert.is(after?.jobId, before?.jobId);
  ok(await client.get(`/v1/glossaryTerms/name/${root.name}.t1`));
});

test('rewritten conditions may exceed the limit for callers', async () => {
  const root = await plantTerms();
  const fresh = `${root.name}x`;
  const jobId = await renameTo(root, fresh);
  const condition = `matchAnyTag('${root.name}.t1')`;
  const late = await createDenyingPolicy(client, condition + ' '.repeat(MAX_CONDITION_LENGTH - condition.length));
  await carryOn(jobId);
  const after = await readPolicy(client, late.id);
  assert.equal(
    conditionsOf(after).map((text) => [text.trimEnd(), text.length]),
    [[`matchAnyTag('${fresh}.t1')`, MAX_CONDITION_LENGTH + 1]],
  );
  assert.ok(applies(after, { resource: { tags: new Set([`${fresh}.t1`]) } }));
  assert.is((await readStored(service, late.id))?.versions, 1);
});

test.run();
