import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { createPerson, expectList, expectRefused, expectUnchanged, ok } from '../support/expect.ts';
import { anonymous, openService, type Service, uniqueName } from '../support/service.ts';
import { deleteSubscriptions } from '../support/subscriptions.ts';
import { suite } from '../support/suite.ts';

/** Shows that event subscriptions are validated and never show their secrets (events.md 4.1). */

const test = suite('events: subscriptions');

const PATH = '/v1/events/subscriptions';
const MASK = '*********';

let service: Service;

test.before(async () => {
  service = await openService();
});

test.after(() => deleteSubscriptions(service));

const webhook = (config: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  category: 'External',
  type: 'Webhook',
  config: { endpoint: 'https://hooks.example.org/md', ...config },
  ...more,
});

const bodyWith = (more: JsonObject = {}): JsonObject => ({
  name: uniqueName('hook'),
  alertType: 'Notification',
  resources: ['table'],
  destinations: [webhook()],
  ...more,
});

const create = async (more: JsonObject = {}) => ok(await service.admin.post(PATH, bodyWith(more)), 201);

const BEARER = { authType: { type: 'bearer', secretKey: 's3cr3t' } };

test('the example of the contract is stored with its defaults and rules', async () => {
  const name = uniqueName('orders-hook');
  const made = ok(
    await service.admin.post(PATH, {
      name,
      alertType: 'Notification',
      resources: ['table'],
      input: {
        filters: [
          {
            name: 'filterByFqn',
            effect: 'include',
            arguments: [{ name: 'fqnList', input: ['shop.pg.public.orders'] }],
          },
        ],
      },
      destinations: [webhook(BEARER)],
    }),
    201,
  );
  const { id, destinations, filteringRules, ...rest } = made;
  assert.equal(
    [rest.name, rest.fullyQualifiedName, rest.version, rest.enabled, rest.provider, rest.alertType],
    [name, name, 0.1, true, 'user', 'Notification'],
  );
  assert.equal([rest.batchSize, rest.retries, rest.pollInterval], [10, 3, 10]);
  assert.ok(made.href.endsWith(`${PATH}/${id}`));
  assert.is('resources' in made, false);
  assert.equal(filteringRules.resources, ['table']);
  assert.is(filteringRules.rules.length, 1);
  const [rule] = filteringRules.rules;
  assert.equal(
    [rule.name, rule.effect, rule.condition, rule.inputType, rule.prefixCondition],
    ['filterByFqn', 'include', "matchAnyEntityFqn({'shop.pg.public.orders'})", 'runtime', 'AND'],
  );
  assert.equal(filteringRules.actions, []);
  const [destination] = destinations;
  assert.match(destination.id, /^[0-9a-f-]{36}$/);
  assert.equal([destination.timeout, destination.readTimeout, destination.enabled], [10, 12, true]);
  assert.equal(destination.config, {
    endpoint: 'https://hooks.example.org/md',
    authType: { type: 'bearer', secretKey: MASK },
  });
  assert.equal(ok(await service.admin.get(`${PATH}/name/${name}?fields=owners,domains`)), made);
  assert.equal(ok(await service.admin.get(`${PATH}/${id}`)).destinations, destinations);
});

test('all resources are included by default, and lists are filtered by alert type', async () => {
  const all = await create({ resources: [], alertType: 'Custom' });
  assert.equal(all.filteringRules.resources, ['all']);
  assert.equal((await create({ resources: ['ALL'] })).filteringRules.resources, ['all']);
  assert.equal((await create({ resources: ['eventSubscription', 'Table'] })).filteringRules.resources, [
    'eventsubscription',
    'table',
  ]);
  const listed = expectList(await service.admin.get(`${PATH}?alertType=Custom&limit=1000`));
  assert.ok(listed.data.some(({ id }: { id: string }) => id === all.id));
  assert.ok(listed.data.every(({ alertType }: { alertType: string }) => alertType === 'Custom'));
  expectRefused(await service.admin.get(`${PATH}?alertType=Rumour`), 400);
});

test('no response, history or event shows a secret, not even to administrators', async () => {
  const destinations = [
    webhook({ ...BEARER, headers: { Authorization: 'Basic s3cr3t', 'X-Api-Key': 's3cr3t', 'X-Team': 'data' } }),
    webhook({
      endpoint: 'https://user:s3cr3t@hooks.example.org/other',
      secretKey: 's3cr3t',
      queryParams: { token: 's3cr3t', lang: 'en' },
    }),
  ];
  const made = await create({ destinations });
  const [first, second] = made.destinations;
  assert.equal(first.config.headers, { Authorization: MASK, 'X-Api-Key': MASK, 'X-Team': 'data' });
  assert.equal(second.config, {
    endpoint: `https://${MASK}@hooks.example.org/other`,
    queryParams: { token: MASK, lang: 'en' },
  });
  ok(await service.admin.patch(`${PATH}/${made.id}`, [{ op: 'add', path: '/description', value: 'x' }]));
  for (const path of [`${PATH}/${made.id}`, `${PATH}/${made.id}/versions`, `${PATH}/${made.id}/versions/0.1`, PATH]) {
    assert.not.match((await service.admin.get(path)).text, /s3cr3t/, path);
  }
  const stored = await service.graph.query(
    `MATCH (n:Entity {id: $id}) OPTIONAL MATCH (n)-[:HAS_VERSION]->(v) OPTIONAL MATCH (e:ChangeEvent)-[:ABOUT]->(n)
     RETURN n{.*} AS n, collect(DISTINCT v{.*}) AS v, collect(DISTINCT e{.*}) AS e`,
    { id: made.id },
  );
  assert.not.match(JSON.stringify(stored), /s3cr3t/);
});

const secretsOf = async (id: string): Promise<(string | undefined)[]> => {
  const { engine } = service.app;
  const kind = service.registry.byType.get('eventsubscription');
  const record = kind && (await engine.store.record(kind, { id }, new Set()));
  const opened = engine.secrets.open((record?.values['destinations'] ?? []) as readonly JsonObject[]);
  return opened.map(({ config }) => {
    const { authType, secretKey } = config as { authType?: { secretKey?: string }; secretKey?: string };
    return authType?.secretKey ?? secretKey;
  });
};

test('a secret stays with its destination when sent back masked, reordered or omitted', async () => {
  const made = await create({
    destinations: [
      webhook({ authType: { type: 'bearer', secretKey: 'one' } }),
      webhook({ endpoint: 'https://hooks.example.org/two', authType: { type: 'bearer', secretKey: 'two' } }),
      webhook({ endpoint: 'https://hooks.example.org/three', secretKey: 'three' }),
    ],
  });
  assert.equal(await secretsOf(made.id), ['one', 'two', 'three']);
  const [one, two, three] = made.destinations;
  const turned = ok(await service.admin.patch(`${PATH}/${made.id}`, { destinations: [three, two, one] }, MERGE));
  assert.equal(await secretsOf(made.id), ['three', 'two', 'one']);
  assert.equal(
    turned.destinations.map(({ id }: { id: string }) => id),
    [three.id, two.id, one.id],
  );
  ok(await service.admin.patch(`${PATH}/${made.id}`, [{ op: 'remove', path: '/destinations/1' }]));
  assert.equal(await secretsOf(made.id), ['three', 'one']);
  ok(
    await service.admin.patch(`${PATH}/${made.id}`, [
      { op: 'add', path: '/destinations/0/config/authType', value: { type: 'none' } },
    ]),
  );
  assert.equal(await secretsOf(made.id), [undefined, 'one']);
});

const MERGE = { 'content-type': 'application/merge-patch+json' };

test('repeating a PUT changes nothing, although it contains no ids', async () => {
  const body = bodyWith({ destinations: [webhook(BEARER), webhook({ endpoint: 'https://hooks.example.org/two' })] });
  const made = ok(await service.admin.put(PATH, body), 201);
  const again = await service.admin.put(PATH, body);
  assert.is(again.headers.get('x-openmetadata-change'), 'entityNoChange');
  assert.equal(ok(again), made);
  const off = ok(await service.admin.put(PATH, { ...body, enabled: false }));
  assert.equal([off.version, off.enabled], [0.2, false]);
  assert.equal(
    off.destinations.map((destination: { statusDetails: object }) => destination.statusDetails),
    [{ status: 'disabled' }, { status: 'disabled' }],
  );
});

test('null means absent, also inside destinations', async () => {
  const made = await create({
    description: null,
    trigger: { triggerType: 'RealTime', scheduleInfo: 'Weekly', cronExpression: null },
    input: { filters: [], actions: null },
    destinations: [
      webhook(
        { headers: null, queryParams: null, receivers: null, sendToAdmins: false, authType: null, httpMethod: 'PUT' },
        { id: null, statusDetails: null, downstreamDepth: null },
      ),
    ],
  });
  assert.equal(made.destinations[0].config, {
    endpoint: 'https://hooks.example.org/md',
    sendToAdmins: false,
    httpMethod: 'PUT',
  });
  assert.equal(made.trigger, { triggerType: 'RealTime', scheduleInfo: 'Weekly' });
});

test('members of other programs are stored and returned', async () => {
  const more = { className: 'a.B', notificationTemplate: { name: 'x' }, config: { any: ['thing'] } };
  const made = await create({ ...more, destinations: [{ category: 'Owners', type: 'ActivityFeed' }] });
  assert.equal(
    { className: made.className, notificationTemplate: made.notificationTemplate, config: made.config },
    more,
  );
});

const byFqn = (input: readonly string[]): JsonObject => ({
  input: { filters: [{ name: 'filterByFqn', arguments: [{ name: 'fqnList', input: [...input] }] }] },
});

const REFUSED: readonly (readonly [what: string, body: JsonObject, message: RegExp])[] = [
  [
    'a schedule',
    { trigger: { triggerType: 'Scheduled', scheduleInfo: 'Daily' } },
    /trigger.triggerType must be RealTime/,
  ],
  ['an unknown kind of alert', { alertType: 'Rumour' }, /alertType must be one of/],
  ['an unknown resource', { resources: ['dragon'] }, /resources.0 must be a known resource/],
  ['an unknown filter', { input: { filters: [{ name: 'filterByWeather' }] } }, /Unknown filter filterByWeather/],
  ['a filter without values', { input: { filters: [{ name: 'filterByFqn' }] } }, /needs values/],
  [
    'an expression nobody understands',
    { input: { filters: [{ name: 'filterByFqn', arguments: [{ name: 'fqnList', input: ['(?=a)'] }] }] } },
    /unsupported group/,
  ],
  [
    'an expression that repeats nothing for ever',
    byFqn(['((((((){1000}){1000}){1000}){1000}){1000}){1000}']),
    /too large/,
  ],
  [
    'expressions that cost too much together',
    byFqn(['a{900}', 'b{900}', 'c{900}', 'd{900}', 'e{900}', 'f{900}']),
    /fqnList the expression is too expensive/,
  ],
  ['a webhook of owners', { destinations: [webhook({}, { category: 'Owners' })] }, /must be External/],
  [
    'a webhook without address',
    { destinations: [{ category: 'External', type: 'Webhook' }] },
    /endpoint must not be null/,
  ],
  [
    'e-mail for those mentioned',
    { destinations: [{ category: 'Mentions', type: 'Email' }] },
    /category must be one of .* for Email/,
  ],
  [
    'the inbox of teams',
    { destinations: [{ category: 'Teams', type: 'ActivityFeed' }] },
    /must be External with Webhook/,
  ],
  [
    'OAuth',
    {
      destinations: [
        webhook({ authType: { type: 'oauth2', tokenUrl: 'https://x', clientId: 'a', clientSecret: 'b' } }),
      ],
    },
    /must be none or bearer/,
  ],
  [
    'bearer without secret',
    { destinations: [webhook({ authType: { type: 'bearer' } })] },
    /secretKey must not be null/,
  ],
  ['another protocol', { destinations: [webhook({ endpoint: 'ftp://example.org/' })] }, /must be an address/],
  ['a file', { destinations: [webhook({ endpoint: 'file:///etc/passwd' })] }, /must be an address/],
  ['loopback', { destinations: [webhook({ endpoint: 'http://127.0.0.1:9/' })] }, /private address/],
  ['a name for loopback', { destinations: [webhook({ endpoint: 'http://localhost:9/' })] }, /private address/],
  ['metadata of the cloud', { destinations: [webhook({ endpoint: 'http://169.254.169.254/' })] }, /private address/],
  ['IPv6 loopback', { destinations: [webhook({ endpoint: 'http://[::1]/' })] }, /private address/],
  ['IPv4 inside IPv6', { destinations: [webhook({ endpoint: 'http://[::ffff:10.0.0.1]/' })] }, /private address/],
  ['a header of the message', { destinations: [webhook({ headers: { 'Content-Length': '1' } })] }, /must be headers/],
  ['another sender', { destinations: [webhook({ headers: { 'user-agent': 'x' } })] }, /must be headers/],
  ['a line break in a header', { destinations: [webhook({ headers: { 'X-A': 'a\r\nb' } })] }, /must be headers/],
  ['too many destinations', { destinations: Array.from({ length: 11 }, () => webhook()) }, /at most 10 items/],
  ['no timeout at all', { destinations: [webhook({}, { timeout: 0 })] }, /timeout must be greater/],
  ['endless retries', { retries: 101 }, /retries must be less/],
  ['a member nobody knows', { webhook: true }, /webhook is not a known property/],
  ['a member of a webhook nobody knows', { destinations: [webhook({ verb: 'GET' })] }, /verb is not a known property/],
];

for (const [what, more, message] of REFUSED) {
  test(`a body is refused with 400: ${what}`, async () => {
    expectRefused(await service.admin.post(PATH, bodyWith(more)), 400, message);
  });
}

test('two destinations with one id and a later private address are refused with 400 and change nothing', async () => {
  const made = await create();
  const [destination] = made.destinations;
  const patch = (value: unknown) => service.admin.patch(`${PATH}/${made.id}`, { destinations: value }, MERGE);
  expectRefused(
    await expectUnchanged(service, made.id, () => patch([destination, destination])),
    400,
    /two items of one id/,
  );
  const inner = { ...destination, config: { endpoint: 'http://10.0.0.1/' } };
  expectRefused(await expectUnchanged(service, made.id, () => patch([inner])), 400, /private address/);
});

test('only administrators may edit, and any authenticated caller may view', async () => {
  const reader = await createPerson(service, uniqueName('reader'));
  const made = await create();
  expectRefused(await reader.post(PATH, bodyWith()), 403);
  expectRefused(await reader.patch(`${PATH}/${made.id}`, { enabled: false }, MERGE), 403);
  expectRefused(await reader.delete(`${PATH}/${made.id}`), 403);
  assert.not.match((await reader.get(`${PATH}/${made.id}`)).text, /s3cr3t/);
  expectRefused(await anonymous(service).get(PATH), 401);
});

test('a deleted subscription is removed permanently', async () => {
  const made = await create();
  ok(await service.admin.delete(`${PATH}/${made.id}`));
  expectRefused(await service.admin.get(`${PATH}/${made.id}?include=all`), 404);
});

test.run();
