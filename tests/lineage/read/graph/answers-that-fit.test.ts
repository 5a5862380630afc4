import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../../src/model/json.ts';
import { ok } from '../../../support/expect.ts';
import { moment } from '../../../support/patience.ts';
import { createRightsFactory, type RightsFactory } from '../../../support/rights.ts';
import { type Client, uniqueName } from '../../../support/service.ts';
import { suite } from '../../../support/suite.ts';
import { column, type Made, mapping, openWorld, pipelineIn, ref, type World } from '../../fixture.ts';
import { tested } from '../record-tests-fixture.ts';
import { type Answer, choose, chooseOfEdges, expand, groupsOf, plainGroups } from './fit-reference.ts';
import { chain, HIDING, lots, randomPairs, SENSITIVE, tablesOf } from './fixture.ts';

/** Shows that compact, grouped and shortened answers say what the plain ones do, on random graphs with hidden assets. */

const test = suite('lineage: answers that fit');

type Asset = Made & { readonly type: string };

let world: World;
let rights: RightsFactory;
const assets: Asset[] = [];
const times: number[] = [];
/** Who asks: the administrator, one who may not see marked tables, and one who sees no teams and domains either. */
const clients: Client[] = [];

const SIZE = 24;
const FIELDS = ['fullyQualifiedName', 'owners', 'service', 'domains', 'tier'];
const ALL_FIELDS = 'name,fullyQualifiedName,displayName,description,deleted,inherited,href,service,owners,tier,domains';
const GRAPH_FIELDS = `${ALL_FIELDS},depth,contractStatus,testStatus`;

const owned = async (owners: readonly JsonObject[], domains: readonly string[]) => {
  const service = await world.make('services/databaseServices', {
    name: uniqueName('fit'),
    serviceType: 'Snowflake',
    owners,
    domains,
  });
  const database = await world.make('databases', { name: 'db', service: service.fullyQualifiedName });
  return (await world.make('databaseSchemas', { name: 'public', database: database.fullyQualifiedName }))
    .fullyQualifiedName;
};

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
  const draw = lots(7);
  const users = await Promise.all(
    ['one', 'two'].map((name) =>
      world.make('users', { name: uniqueName(name), email: `${uniqueName(name)}@example.com` }),
    ),
  );
  const teams = [await rights.team(), await rights.team()];
  const domains = await Promise.all(
    ['one', 'two'].map((name) =>
      world.make('domains', { name: uniqueName(name), description: 'x', domainType: 'Aggregate' }),
    ),
  );
  const owners = [users.map((user) => ref(user, 'user')), ...teams.map((team) => [ref(team, 'team')])];
  const domainNames = domains.map(({ fullyQualifiedName }) => fullyQualifiedName);
  const schemas = [
    world.schemaFqn,
    await owned(owners[1] ?? [], domainNames.slice(0, 1)),
    await owned(owners[0] ?? [], []),
  ];
  const topics = await world.make('services/messagingServices', { name: uniqueName('mes'), serviceType: 'Kafka' });
  for (let at = 0; at < SIZE; at += 1) {
    const more = {
      name: uniqueName(`f${at}`),
      ...(draw(3) === 0 ? { owners: owners[draw(3)] ?? [] } : {}),
      ...(draw(4) === 0 ? { domains: draw(2) === 0 ? domainNames : domainNames.slice(1) } : {}),
      ...(draw(5) === 0 ? { displayName: `The ${at}`, description: 'said of it' } : {}),
    };
    const tags = [...(draw(4) === 0 ? [SENSITIVE] : []), ...(draw(4) === 0 ? [{ tagFQN: 'Tier.Tier1' }] : [])];
    const isTopic = draw(3) === 0;
    const made = isTopic
      ? await world.make('topics', { ...more, service: topics.fullyQualifiedName, partitions: 1 })
      : await world.make('tables', {
          ...more,
          databaseSchema: schemas[draw(3)] ?? '',
          columns: ['a', 'b'].map((name) => column(name, name === 'b' ? { tags: [{ tagFQN: 'PII.None' }] } : {})),
          tags,
        });
    assets.push({ ...made, type: isTopic ? 'topic' : 'table' });
  }
  for (const asset of assets.filter(({ type }) => type === 'table').slice(0, 4)) await tested(world, asset, 'Failed');
  const pipelines = [await pipelineIn(world, 'p'), await pipelineIn(world, 'q')];
  const edges = randomPairs(11, SIZE, SIZE * 2).map(([from, to], at) => {
    const [start, end] = [assets[from] as Asset, assets[to] as Asset];
    const isMapped = start.type === 'table' && end.type === 'table' && draw(2) === 0;
    return {
      fromEntity: ref(start, start.type),
      toEntity: ref(end, end.type),
      lineageDetails: {
        ...(at % 2 === 0 ? { sqlQuery: 'INSERT INTO one SELECT 1', description: 'every night' } : {}),
        ...(draw(3) === 0 ? { pipeline: ref(pipelines[draw(2)] as Made, 'pipeline') } : {}),
        ...(isMapped
          ? { columnsLineage: [mapping(start, ['a'], end, 'a'), mapping(start, ['a', 'b'], end, 'b')] }
          : {}),
      },
    };
  });
  times.push(await moment());
  ok(await world.admin.put('/v1/lineage/bulk', edges.slice(0, SIZE) as unknown as JsonObject));
  times.push(await moment());
  ok(await world.admin.put('/v1/lineage/bulk', edges.slice(SIZE) as unknown as JsonObject));
  for (const { fromEntity, toEntity } of edges.slice(0, 5)) {
    const path = [fromEntity, toEntity].map(({ type, id }) => `${type}/${id}`).join('/');
    ok(await world.admin.delete(`/v1/lineage/${path}`));
  }
  times.push(await moment());
  const reader = await rights.person([HIDING]);
  const blind = await rights.person([
    HIDING,
    { effect: 'deny', operations: ['ViewAll', 'ViewBasic'], resources: ['team', 'domain', 'pipeline'] },
  ]);
  clients.push(world.admin, reader, blind);
});

test.after(() => rights.clear());

const read = async (client: Client, path: string): Promise<Answer | undefined> => {
  const reply = await client.get(`/v1/lineage/${path}`);
  if (reply.status === 403) return undefined;
  const { asOf: _moment, ...answer } = ok(reply);
  return answer;
};

/** What was answered to each of the clients, since several tests need the same answers. */
const answers = new Map<Client, Map<string, Promise<Answer | undefined>>>();

const get = async (client: Client, path: string): Promise<Answer | undefined> => {
  const known = answers.get(client) ?? new Map<string, Promise<Answer | undefined>>();
  answers.set(client, known);
  const answer = known.get(path) ?? read(client, path);
  known.set(path, answer);
  return structuredClone(await answer);
};

/** Some questions of every operation about random assets. */
const questions = (seed: number): readonly string[] => {
  const draw = lots(seed);
  const one = () => assets[draw(SIZE)] as Asset;
  const types = () => ['', '&types=table', '&types=topic', '&types=table,topic'][draw(4)] ?? '';
  const span = () => `&upstreamDepth=${draw(4)}&downstreamDepth=${1 + draw(4)}`;
  const [from, to] = [one(), one()];
  return [
    `graph?id=${one().id}${span()}${types()}&columns=true`,
    `graph?id=${one().id}${span()}${types()}&asOf=${times[1]}`,
    `impact?id=${one().id}${types()}`,
    `impact?id=${one().id}&maxDepth=${1 + draw(3)}${types()}`,
    `paths?from=${from.id}&to=${to.id}&maxPaths=20&maxLength=6${types()}`,
    `diff?id=${one().id}${span()}${types()}&from=${times[draw(2)]}&to=${times[2]}`,
  ];
};

const SEEDS = [1, 2];

const ofAll = async (check: (client: Client, path: string, plain: Answer) => Promise<void>): Promise<void> => {
  let asked = 0;
  for (const seed of SEEDS) {
    for (const path of questions(seed)) {
      for (const client of clients) {
        const plain = await get(client, path);
        if (plain === undefined) continue;
        asked += 1;
        await check(client, path, plain);
      }
    }
  }
  assert.ok(asked > SEEDS.length * 10, `${asked} answers`);
};

test('a compact answer, expanded, is the plain answer', async () => {
  await ofAll(async (client, path, plain) => {
    const compact = await get(client, `${path}&compact=true`);
    assert.equal(expand(compact), plain, path);
    const some = `${path}&fields=${FIELDS}`;
    assert.equal(expand(await get(client, `${some}&compact=true`)), await get(client, some), some);
  });
});

test('the answers have what is hard to get right: hidden assets, and references that are inherited', async () => {
  const texts: string[] = [];
  await ofAll(async (client, path) => {
    texts.push(JSON.stringify(await get(client, `${path}&compact=true`)));
  });
  for (const part of [
    '"hidden":true',
    '"inherits":[',
    '"pipeline":"',
    '"testStatus"',
    '"bridged":true',
    '"tests":["',
  ]) {
    assert.ok(
      texts.some((text) => text.includes(part)),
      part,
    );
  }
});

test('a compact answer holds each reference once', async () => {
  await ofAll(async (client, path) => {
    const { entities, ...rest } = await get(client, `${path}&compact=true`);
    const text = JSON.stringify(rest);
    assert.not.match(text, /"href"|"fullyQualifiedName":"(?!.*"name")/, path);
    for (const [id, entity] of Object.entries<Answer>(entities)) assert.is(entity.id, id);
  });
});

test('the fields that somebody names are those of the whole answer', async () => {
  await ofAll(async (client, path) => {
    const all = await get(client, `${path}&fields=${path.startsWith('graph') ? GRAPH_FIELDS : ALL_FIELDS}`);
    for (const fields of [FIELDS, ['id'], ['name', 'owners', 'inherited']]) {
      assert.equal(await get(client, `${path}&fields=${fields}`), choose(all, fields), `${path} ${fields}`);
    }
  });
});

test('edges have what somebody names, and count what can be read of them', async () => {
  const texts: string[] = [];
  await ofAll(async (client, path, plain) => {
    if (path.startsWith('impact')) return;
    for (const names of [
      ['source', 'pipeline'],
      ['sqlQuery', 'description'],
    ]) {
      const some = await get(client, `${path}&edgeFields=${names}`);
      assert.equal(some, chooseOfEdges(plain, names), `${path} ${names}`);
      assert.equal(expand(await get(client, `${path}&edgeFields=${names}&compact=true`)), some, path);
      texts.push(JSON.stringify(some));
    }
  });
  for (const part of ['"hasSql":true', '"columnPairs":', '"pipeline":{', '"lineageDetails":{}', '"description":']) {
    assert.ok(
      texts.some((text) => text.includes(part)),
      part,
    );
  }
});

test('all fields are what the answer has anyway, and what may be asked for', async () => {
  await ofAll(async (client, path, plain) => {
    const fields = path.startsWith('graph') ? GRAPH_FIELDS : ALL_FIELDS;
    const named = path.includes('columns=true') ? `${fields},columns` : fields;
    const all = await get(client, `${path}&fields=${named}`);
    const own = ['name', 'fullyQualifiedName', 'displayName', 'description', 'deleted', 'inherited', 'href'];
    const described = path.startsWith('impact') ? ['owners', 'tier'] : [];
    const expected = path.startsWith('graph') ? plain : choose(all, [...own, ...described]);
    if (path.startsWith('graph')) for (const node of all.nodes) for (const one of node.columns ?? []) dropDetails(one);
    assert.equal(path.startsWith('graph') ? all : plain, expected, path);
  });
});

const dropDetails = (one: Answer): void => {
  delete one.dataType;
  delete one.dataTypeDisplay;
  delete one.tags;
};

for (const by of ['type', 'owner', 'service', 'domain']) {
  test(`groups by ${by} are those of the plain answer`, async () => {
    await ofAll(async (client, path, plain) => {
      const full = path.startsWith('graph') ? plain : await get(client, `${path}&fields=${ALL_FIELDS}`);
      const { groups, ...rest } = await get(client, `${path}&groupBy=${by}`);
      assert.equal(rest, plain, path);
      assert.equal(plainGroups(groups), groupsOf(full, by), `${path} by ${by}`);
      for (const { count, ids } of groups) assert.is(count, ids.length);
      assert.equal(
        groups.map(({ count }: Answer) => count),
        groups.map(({ count }: Answer) => count).sort((a: number, b: number) => b - a),
      );
      const compact = await get(client, `${path}&groupBy=${by}&compact=true&fields=id`);
      assert.equal(compact.groups, groups);
    });
  });
}

test('what no member needs is not read', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  await chain(world.admin, a, b);
  const sentFor = async (query: string): Promise<readonly string[]> => {
    const before = new Map(world.service.allSent());
    ok(await world.admin.get(`/v1/lineage/graph?id=${a.id}${query}`));
    return [...world.service.allSent()].flatMap(([name, times]) => (times > (before.get(name) ?? 0) ? [name] : []));
  };
  const costly = ['lineage/graph/read_descriptions', 'lineage/list_contracts'];
  const costlyFor = async (query: string) => {
    const sent = await sentFor(query);
    return costly.filter((name) => sent.includes(name));
  };
  assert.equal(await costlyFor(''), costly);
  assert.equal(await costlyFor('&fields=type'), []);
  assert.equal(await costlyFor('&fields=name,contractStatus'), ['lineage/list_contracts']);
  for (const query of ['&fields=owners', '&fields=testStatus', '&fields=type&groupBy=owner']) {
    assert.equal(await costlyFor(query), ['lineage/graph/read_descriptions'], query);
  }
});

test.run();
