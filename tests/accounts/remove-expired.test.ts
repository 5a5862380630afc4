import * as assert from 'uvu/assert';
import { removeExpiredCredentials } from '../../src/accounts/remove-expired.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { openService, type Service, uniqueName, withToken } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import {
  countHeldCredentials,
  expectTokenAccepted,
  generate,
  logIn,
  logInMember,
  newBot,
  newMember,
} from './fixture.ts';

/** Shows that expired sessions, tokens and logouts are removed in small batches. */

const test = suite('accounts: removal of expired data');

let service: Service;
test.before(async () => {
  service = await openService();
});

const DAY = 86_400_000;

const expired = async (now: number): Promise<number> => {
  const [row] = await service.graph.query('MATCH (e:Expiring) WHERE e.expiresAt <= $now RETURN count(e) AS count', {
    now,
  });
  return Number(row?.['count']);
};

const newMess = async (prefix: string, count: number, expiresAt: number) => {
  await service.graph.query(
    'UNWIND range(1, $count) AS i CREATE (:LoggedOut:Expiring {digest: $prefix + i, expiresAt: $expiresAt})',
    { prefix, count, expiresAt },
  );
};

test('all expired data is removed in small batches, and the rest stays', async () => {
  const [member, robot] = [await newMember(service), await newBot(service)];
  const tokens = await logInMember(service, member);
  const client = withToken(service, tokens.accessToken);
  const { jwtToken } = ok(await client.put('/v1/users/security/token', { tokenName: 'script' }));
  const forRobot = ok(await generate(service.admin, robot.id, { JWTTokenExpiry: '1' }));
  await service.token(member.name);
  expectRefused(await logIn(service, `${uniqueName('nobody')}@example.com`, 'x'), 401);
  const now = Date.now();
  await removeExpiredCredentials(service.graph, now);
  assert.equal(
    [await expired(now), await countHeldCredentials(service, member), await countHeldCredentials(service, robot)],
    [0, 2, 1],
  );
  await expectTokenAccepted(service, tokens.accessToken, member);
  await expectTokenAccepted(service, jwtToken, member);
  await expectTokenAccepted(service, forRobot.JWTToken, robot);

  const past = now - 10;
  await newMess(uniqueName('out'), 25, past);
  await removeExpiredCredentials(service.graph, now, { batch: 5, batches: 3 });
  assert.is(await expired(now), 10);
  await removeExpiredCredentials(service.graph, now, { batch: 5, batches: 3 });
  assert.is(await expired(now), 0);

  // The session goes after a week, the personal token after a month; of a bot's, it is still told that it has ended.
  await removeExpiredCredentials(service.graph, now + 8 * DAY);
  assert.equal([await countHeldCredentials(service, member), await countHeldCredentials(service, robot)], [1, 1]);
  const [failed] = await service.graph.query('RETURN COUNT { (:FailedLogin) } AS count');
  assert.is(failed?.['count'], 0);
  await removeExpiredCredentials(service.graph, now + 31 * DAY);
  assert.equal([await countHeldCredentials(service, member), await countHeldCredentials(service, robot)], [0, 1]);
});

test.run();
