import * as assert from 'uvu/assert';
import { ok } from '../../../support/expect.ts';
import { pauseUntilKept, SOON } from '../../../support/kept-answers.ts';
import { waitUntil } from '../../../support/patience.ts';
import { createRightsFactory } from '../../../support/rights.ts';
import { openSecondProcess, openSecondProcessWith } from '../../../support/second-process.ts';
import { type Client, type Reply, uniqueName } from '../../../support/service.ts';
import { suite } from '../../../support/suite.ts';
import { type Made, openWorld, ref, type World } from '../../fixture.ts';
import { tested } from '../record-tests-fixture.ts';
import { chain, HIDING, tablesOf } from './fixture.ts';

/**
 * Shows which graphs are kept, that each is of its own time, and that states which change without a revision are never
 * older than the newest change. `kept-map.test.ts` shows the same of all other changes.
 */

const test = suite('lineage: kept graphs');

let world: World;
/** Calls a service that confirms answers soon. */
let soon: Client;

test.before(async () => {
  world = await openWorld();
  soon = (await openSecondProcessWith(world.service, SOON)).client;
});

type Ask = (client: Client) => Promise<Reply>;

const graphAround =
  ({ id }: Pick<Made, 'id'>, query = ''): Ask =>
  (client) =>
    client.get(`/v1/lineage/graph?id=${id}&upstreamDepth=3&downstreamDepth=3${query}`);

/** An answer that is made anew is streamed, so that its length is not known in advance. */
const isKept = ({ headers }: Reply): boolean => headers.has('content-length');

/** Asks until the answer comes from memory: others may change the store meanwhile. */
const readKept = async (ask: Ask): Promise<Reply> => {
  let reply: Reply | undefined;
  await waitUntil(async () => {
    await pauseUntilKept();
    reply = await ask(soon);
    return isKept(reply);
  }, 'the graph is kept');
  return reply as Reply;
};

const TIME = /"asOf":\d+/g;

const withoutTime = ({ text }: Reply): string => text.replace(TIME, '"asOf":0');

const makeChain = async () => {
  const tables = await tablesOf(world, 'first', 'middle', 'last', 'other');
  const { first, middle, last } = tables;
  await chain(world.admin, first, middle, last);
  return tables;
};

test('a graph that is asked for again is the same, and of its own time', async () => {
  const { middle } = await makeChain();
  const fresh = await openSecondProcess(world.service);
  for (const ask of [
    graphAround(middle),
    graphAround(middle, '&columns=true&compact=true&edgeFields=source'),
    graphAround(middle, '&types=table&groupBy=type'),
  ]) {
    const before = Date.now();
    const kept = await readKept(ask);
    const made = await ask(fresh);
    assert.not.ok(isKept(made));
    assert.is(withoutTime(kept), withoutTime(made));
    assert.is(kept.headers.get('content-type'), made.headers.get('content-type'));
    assert.is([...kept.text.matchAll(TIME)].length, 1);
    assert.ok(kept.json.asOf >= before);
  }
});

test('a kept graph is not used after a change without a revision, nor after one of what is above its records', async () => {
  const { first, middle, last } = await makeChain();
  const fresh = await openSecondProcess(world.service);
  const ask = graphAround(middle);
  const owner = ok(await world.admin.post('/v1/teams', { name: uniqueName('team'), teamType: 'Group' }), 201);
  const contract = ok(
    await world.admin.post('/v1/dataContracts', { name: uniqueName('contract'), entity: ref(last) }),
    201,
  );
  const changes: Readonly<Record<string, () => Promise<unknown>>> = {
    'a test fails': () => tested(world, first, 'Failed'),
    'a contract is judged': async () =>
      ok(
        await world.admin.put(`/v1/dataContracts/${contract.id}/results`, {
          timestamp: 1_763_700_000_000,
          contractExecutionStatus: 'Failed',
        }),
      ),
    'the schema above gets an owner': async () => {
      const schema = ok(await world.admin.get(`/v1/databaseSchemas/name/${world.schemaFqn}`));
      const value = [{ id: owner.id, type: 'team' }];
      ok(await world.admin.patch(`/v1/databaseSchemas/${schema.id}`, [{ op: 'add', path: '/owners', value }]));
    },
  };
  for (const [what, change] of Object.entries(changes)) {
    const kept = await readKept(ask);
    await change();
    const [now, made] = [await ask(soon), await ask(fresh)];
    assert.is(withoutTime(now), withoutTime(made), what);
    assert.is.not(withoutTime(now), withoutTime(kept), what);
  }
});

test('what is cut, of the past, of columns or in other formats is not kept, nor what not everybody sees', async () => {
  const { middle } = await makeChain();
  const some = await (await createRightsFactory(world.service)).person([HIDING]);
  const { as } = await openSecondProcessWith(world.service, SOON);
  const limited = await as(some.name);
  for (const [client, query] of [
    [soon, `&asOf=${Date.now()}`],
    [soon, '&format=csv'],
    [soon, '&maxNodes=2'],
    [soon, '&column=a'],
    [soon, '&assertions=true'],
    [soon, '&tags=PII.Sensitive'],
    [soon, '&fields=name,importance'],
    [limited, ''],
  ] as const) {
    const ask = graphAround(middle, query);
    for (let round = 0; round < 4; round += 1) {
      await pauseUntilKept();
      const reply = await ask(client);
      assert.is(reply.status, 200);
      assert.not.ok(isKept(reply), query);
    }
  }
});

test.run();
