import * as assert from 'uvu/assert';
import { ok } from '../support/expect.ts';
import { CASES } from '../support/quality-tests.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { follow, inboxOf, inShort, newActor, newPerson, newShop, type Person } from './fixture.ts';

/** Shows that failing tests notify the followers of their table. */

const test = suite('notifications: failing tests');

let service: Service;
let actor: Person;

test.before(async () => {
  service = await openService();
  actor = await newActor(service);
});

test('followers of a table are notified only when one of its test cases starts to fail', async () => {
  const shop = await newShop(service);
  const [follower, bystander, both] = [await newPerson(service), await newPerson(service), await newPerson(service)];
  const table = uniqueName('tested');
  const id = await shop.newTable(table);
  const [other, otherId] = [uniqueName('other'), await shop.newTable(uniqueName('other'))];
  await follow(follower, 'tables', id);
  await follow(both, 'tables', id);
  await follow(bystander, 'tables', otherId);
  const tests: { readonly id: string; readonly name: string; readonly fullyQualifiedName: string }[] = [];
  for (const column of ['', '::columns::id']) {
    const definition =
      column === ''
        ? { testDefinition: 'tableRowCountToEqual', parameterValues: [{ name: 'value', value: '1' }] }
        : { testDefinition: 'columnValuesToBeNotNull' };
    const body = { name: uniqueName('check'), entityLink: `<#E::table::${shop.name}.db.public.${table}${column}>` };
    tests.push(ok(await service.admin.post(CASES, { ...body, ...definition }), 201));
  }
  await follow(both, 'dataQuality/testCases', tests[0]?.id ?? '');
  let timestamp = 1_700_000_000_000;
  const say = async (at: number, testCaseStatus: string) => {
    timestamp += 1;
    const fqn = encodeURIComponent(tests[at]?.fullyQualifiedName ?? '');
    const reply = await actor.post(`${CASES}/testCaseResults/${fqn}`, { timestamp, testCaseStatus });
    assert.ok([200, 201].includes(reply.status), reply.text);
  };
  const told = async (who: Person) => {
    const notices = await inboxOf(service, who);
    return tests.map(({ name }) => inShort(notices).filter((line) => line.includes(name)).length);
  };
  await say(0, 'Success');
  assert.equal(await told(follower), [0, 0]);
  await say(0, 'Failed');
  await say(1, 'Failed');
  assert.equal(await told(follower), [1, 1]);
  await say(0, 'Failed');
  assert.equal(await told(follower), [1, 1], 'the same again tells nobody anything');
  await say(0, 'Success');
  await say(0, 'Aborted');
  assert.equal(await told(follower), [2, 1]);
  const [notice] = await inboxOf(service, follower);
  assert.is(notice?.reason, 'follower');
  assert.equal(await told(bystander), [0, 0], other);
  assert.equal((await told(both))[1], 1);
  ok(await follower.put('/v1/notifications/preferences', { enabled: false }));
  await say(1, 'Success');
  await say(1, 'Failed');
  assert.equal(await told(follower), [2, 1], 'preferences hold for this as well');
});

test.run();
