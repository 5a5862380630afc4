import * as assert from 'uvu/assert';
import { createPrincipalResolver, type UserRecord } from '../../src/access/principal.ts';
import { invalidTokenError, type TokenVerifier, type VerifiedToken } from '../../src/access/token-verifier.ts';
import { CatalogError } from '../../src/errors.ts';
import { suite } from '../support/suite.ts';
import { authFrom, createClock, refusal } from './fixture.ts';

/** Shows how tokens become principals, including sign-up and impersonation. */

const test = suite('access: principals');

const person = (name: string, more: Partial<UserRecord> = {}): UserRecord => ({
  id: `id-${name}`,
  name,
  email: `${name}@example.org`,
  isAdmin: false,
  isBot: false,
  deleted: false,
  allowImpersonation: false,
  ...more,
});

const tokenOf = (name: string, more: Partial<VerifiedToken> = {}): VerifiedToken => ({
  name,
  email: `${name}@token.example`,
  isBot: false,
  tokenType: 'OM_USER',
  digest: `digest of ${name}`,
  issuedHere: true,
  roles: [],
  ...more,
});

/** In place of signatures: the header's text stands for a token. */
const verifierOf = (tokens: Record<string, VerifiedToken>): TokenVerifier => ({
  verify: async (authorization) => {
    const token = tokens[authorization ?? ''];
    if (token === undefined) throw invalidTokenError(new Error('no such token'));
    return token;
  },
});

const bot = (more: Partial<VerifiedToken> = {}) => tokenOf('robot', { isBot: true, tokenType: 'BOT', ...more });

type Deps = Parameters<typeof createPrincipalResolver>[0];

const world = (users: readonly UserRecord[], tokens: Record<string, VerifiedToken> = {}, more: Partial<Deps> = {}) => {
  const stored = new Map(users.map((user) => [user.name, user]));
  const log: { reads: string[]; created: { name: string; email: string }[] } = { reads: [], created: [] };
  const clock = createClock();
  const principals = createPrincipalResolver({
    verifier: verifierOf({ ana: tokenOf('ana'), robot: bot(), ...tokens }),
    readUser: async (name) => {
      log.reads.push(name);
      await new Promise((resolve) => setImmediate(resolve));
      return stored.get(name);
    },
    createUser: async (user) => {
      log.created.push(user);
      await new Promise((resolve) => setImmediate(resolve));
      const made = person(user.name, { email: user.email });
      stored.set(user.name, made);
      return made;
    },
    config: authFrom(),
    builtIn: { administrator: 'admin', bots: new Set(['ingestion-bot']) },
    clock,
    graceMs: 1_000,
    ...more,
  });
  return { principals, stored, log, clock };
};

const selfSignup = authFrom({ AUTH_SELF_SIGNUP: 'true' });

const refuses = async (calling: Promise<unknown>, status = 401) => {
  const error = await refusal(calling);
  assert.is(error.status, status);
  if (status === 401) assert.is(error.message, 'Not Authorized! Invalid Token');
};

test('a token becomes the principal of its user', async () => {
  const { principals } = world([person('ana', { isAdmin: true })]);
  assert.equal(await principals.authenticate('ana', undefined), {
    id: 'id-ana',
    name: 'ana',
    email: 'ana@example.org',
    isAdmin: true,
    isBot: false,
    roles: [],
  });
});

test('rights come from the record, never from the token', async () => {
  const claims = { ...tokenOf('ana'), isAdmin: true };
  assert.is((await world([person('ana')], { ana: claims }).principals.authenticate('ana', undefined)).isAdmin, false);
});

test('a record without an e-mail takes that of the token', async () => {
  const { email: _, ...record } = person('ana');
  assert.is((await world([record]).principals.authenticate('ana', undefined)).email, 'ana@token.example');
});

test('a token that the verifier refuses is refused before any user is read', async () => {
  const { principals, log } = world([person('ana')]);
  await refuses(principals.authenticate('forged', undefined));
  await refuses(principals.authenticate(undefined, 'ana'));
  assert.equal(log.reads, []);
});

test('an unknown user is refused with 401', async () => {
  const { principals, log } = world([]);
  await refuses(principals.authenticate('ana', undefined));
  assert.equal(log.created, []);
});

test('an unknown user signs up where sign-up is enabled', async () => {
  const { principals, log } = world([], {}, { config: selfSignup });
  assert.is((await principals.authenticate('ana', undefined)).name, 'ana');
  await principals.authenticate('ana', undefined);
  assert.equal(log.created, [{ name: 'ana', email: 'ana@token.example' }]);
});

test('concurrent first requests of one user create one user', async () => {
  const { principals, log } = world([], {}, { config: selfSignup });
  const answers = await Promise.all(Array.from({ length: 10 }, () => principals.authenticate('ana', undefined)));
  assert.is(new Set(answers.map(({ id }) => id)).size, 1);
  assert.is(log.created.length, 1);
});

test('a user created by another process meanwhile is used', async () => {
  const stored: UserRecord[] = [];
  const { principals } = world(
    [],
    {},
    {
      config: selfSignup,
      readUser: async () => stored[0],
      createUser: async () => {
        stored.push(person('ana', { id: 'theirs' }));
        throw new CatalogError('already_exists', 'Entity already exists');
      },
    },
  );
  assert.is((await principals.authenticate('ana', undefined)).id, 'theirs');
});

test('a failed creation is not reported as an invalid token', async () => {
  const createUser = async () => {
    throw new CatalogError('unavailable', 'The database is away');
  };
  await refuses(world([], {}, { config: selfSignup, createUser }).principals.authenticate('ana', undefined), 503);
});

test('an e-mail that clients cannot read is replaced at sign-up', async () => {
  for (const email of ['ana@corp', 'ana@corp.local', 'ana@', `${'a'.repeat(130)}@example.org`]) {
    const { principals, log } = world([], { ana: tokenOf('ana', { email }) }, { config: selfSignup });
    await principals.authenticate('ana', undefined);
    assert.equal(log.created, [{ name: 'ana', email: 'ana@tributary.example' }], email);
  }
});

test('a bot without a user is refused with 401 and does not sign up', async () => {
  const { principals, log } = world([], {}, { config: selfSignup });
  await refuses(principals.authenticate('robot', undefined));
  assert.equal(log.created, []);
});

test('a soft-deleted user is refused with 401, also where sign-up is enabled', async () => {
  const { principals, log } = world([person('ana', { deleted: true })], {}, { config: selfSignup });
  await refuses(principals.authenticate('ana', undefined));
  assert.equal(log.created, []);
});

test('a bot token that names a person is refused with 401', async () => {
  await refuses(world([person('robot')]).principals.authenticate('robot', undefined));
  const { principals } = world([person('robot', { isBot: true })]);
  assert.is((await principals.authenticate('robot', undefined)).isBot, true);
});

test('a revoked token is refused with 401', async () => {
  const seen: [string, string][] = [];
  const accepting = (digests: readonly string[]) => async (token: VerifiedToken, user: UserRecord) => {
    seen.push([token.digest, user.id]);
    return digests.includes(token.digest);
  };
  await refuses(
    world([person('ana')], {}, { isTokenAccepted: accepting([]) }).principals.authenticate('ana', undefined),
  );
  const { principals } = world([person('ana')], {}, { isTokenAccepted: accepting(['digest of ana']) });
  assert.is((await principals.authenticate('ana', undefined)).name, 'ana');
  assert.equal(seen, Array(2).fill(['digest of ana', 'id-ana']));
});

test('roles of the provider count only where enabled, and never for bots', async () => {
  const tokens = { ana: tokenOf('ana', { roles: ['Steward'] }), robot: bot({ roles: ['Steward'] }) };
  const users = [person('ana'), person('robot', { isBot: true })];
  const on = world(users, tokens, { config: authFrom({ AUTH_ROLES_FROM_PROVIDER: 'true' }) }).principals;
  assert.equal((await world(users, tokens).principals.authenticate('ana', undefined)).roles, []);
  assert.equal((await on.authenticate('ana', undefined)).roles, ['Steward']);
  assert.equal((await on.authenticate('robot', undefined)).roles, []);
});

// Impersonation

const agent = person('robot', { isBot: true, isAdmin: true, allowImpersonation: true });

test('a bot with the right to impersonate acts as another user with the rights of that user', async () => {
  const { principals } = world([agent, person('bea')]);
  assert.equal(await principals.authenticate('robot', 'bea'), {
    id: 'id-bea',
    name: 'bea',
    email: 'bea@example.org',
    isAdmin: false,
    isBot: false,
    roles: [],
    impersonatedBy: 'robot',
  });
});

test('the impersonation header is trimmed and lower-cased', async () => {
  assert.is((await world([agent, person('bea')]).principals.authenticate('robot', ' Bea ')).name, 'bea');
});

test('an empty impersonation header is ignored', async () => {
  const principal = await world([agent, person('ana')]).principals.authenticate('robot', ' ');
  assert.is(principal.name, 'robot');
  assert.not.ok('impersonatedBy' in principal);
  assert.is((await world([person('ana')]).principals.authenticate('ana', '')).name, 'ana');
});

test('a person who impersonates is refused with 403, even an administrator or one with the flag', async () => {
  const { principals } = world([person('ana', { isAdmin: true, allowImpersonation: true }), person('bea')]);
  const error = await refusal(principals.authenticate('ana', 'bea'));
  assert.is(error.status, 403);
  assert.is(error.message, "Principal: CatalogPrincipal{name='ana'} operations [Impersonate] not allowed");
});

test('a bot without the flag is refused with 403, whether the target exists or not', async () => {
  const { principals, log } = world([person('robot', { isBot: true }), person('bea')]);
  await refuses(principals.authenticate('robot', 'bea'), 403);
  await refuses(principals.authenticate('robot', 'nobody'), 403);
  assert.equal(log.reads, ['robot'], 'and no target was looked up');
});

test('a user token that names a bot is refused with 401, with or without impersonation', async () => {
  const { principals } = world([agent, person('bea')], { robot: tokenOf('robot') });
  await refuses(principals.authenticate('robot', 'bea'));
  await refuses(principals.authenticate('robot', undefined));
});

test('an unknown or deleted target is refused with 401 and never created', async () => {
  const { principals, log } = world([agent, person('gone', { deleted: true })], {}, { config: selfSignup });
  await refuses(principals.authenticate('robot', 'nobody'));
  await refuses(principals.authenticate('robot', 'gone'));
  assert.equal(log.created, []);
});

// Kept records

test('a user is read once within the grace period', async () => {
  const { principals, log, clock } = world([person('ana')]);
  await principals.authenticate('ana', undefined);
  clock.advance(999);
  await principals.authenticate('ana', undefined);
  assert.equal(log.reads, ['ana']);
  clock.advance(1);
  await principals.authenticate('ana', undefined);
  assert.equal(log.reads, ['ana', 'ana']);
});

test('concurrent callers share one look-up', async () => {
  const { principals, log } = world([person('ana')]);
  await Promise.all(Array.from({ length: 20 }, () => principals.authenticate('ana', undefined)));
  assert.equal(log.reads, ['ana']);
});

test('a change is visible after the grace period, or at once after invalidation', async () => {
  const { principals, stored, clock } = world([person('ana')]);
  await principals.authenticate('ana', undefined);
  stored.set('ana', person('ana', { isAdmin: true }));
  assert.is((await principals.authenticate('ana', undefined)).isAdmin, false);
  clock.advance(1_000);
  assert.is((await principals.authenticate('ana', undefined)).isAdmin, true);
  stored.set('ana', person('ana', { deleted: true }));
  principals.forget('ana');
  await refuses(principals.authenticate('ana', undefined));
});

test('a look-up in progress when a user is invalidated is not reused', async () => {
  const answers: ((user: UserRecord) => void)[] = [];
  const readUser = () => new Promise<UserRecord>((resolve) => answers.push(resolve));
  const { principals } = world([], {}, { readUser });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const early = principals.authenticate('ana', undefined);
  await turn();
  principals.forget('ana');
  const late = principals.authenticate('ana', undefined);
  await turn();
  answers[1]?.(person('ana', { isAdmin: true }));
  answers[0]?.(person('ana'));
  assert.is((await early).isAdmin, false);
  assert.is((await late).isAdmin, true);
  assert.is(
    (await principals.authenticate('ana', undefined)).isAdmin,
    true,
    'the older answer does not replace the newer',
  );
});

test('neither an unknown user nor a failure is cached', async () => {
  const { principals, stored } = world([]);
  await refuses(principals.authenticate('ana', undefined));
  stored.set('ana', person('ana'));
  assert.is((await principals.authenticate('ana', undefined)).name, 'ana');

  const outcomes = [() => Promise.reject(new CatalogError('unavailable', 'away')), async () => person('ana')];
  const flaky = world([], {}, { readUser: () => outcomes.shift()?.() ?? Promise.resolve(undefined) }).principals;
  await refuses(flaky.authenticate('ana', undefined), 503);
  assert.is((await flaky.authenticate('ana', undefined)).name, 'ana');
});

test.run();
