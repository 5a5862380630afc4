import * as assert from 'uvu/assert';
import { type Attack, type Attacks, expectSent, type HeldService, openHeldService } from './loop-attacks.ts';
import { waitUntil } from './patience.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import { createRightsFactory } from './rights.ts';
import { type CreatedRecord, createSamples } from './samples.ts';
import { type Service, uniqueName } from './service.ts';
import { deleteSubscriptions, SUBSCRIPTIONS_PATH, webhookTo } from './subscriptions.ts';

/**
 * Work on tables with very many columns that must not block the main thread: jobs, deletions, callers with conditional
 * rights, listeners, deliveries and search maintenance.
 */

/** Somebody who follows the events of the service. */
type Listener = {
  /** Whether an event with a text has arrived as a whole. */
  hasHeard(text: string): boolean;
  forget(): void;
  hangUp(): void;
};

export type WideStage = {
  readonly held: HeldService;
  readonly receiver: Receiver;
  readonly listener: Listener;
  /** The token of a caller with conditional rights. */
  readonly restricted: string;
  readonly schema: CreatedRecord;
  /** A table of 20,000 columns, and one of half as many that jobs work on. */
  readonly wide: CreatedRecord;
  readonly half: CreatedRecord;
  close(): Promise<void>;
};

type AttackMaker = (stage: WideStage) => Promise<readonly Attacks[]>;

const json = (value: unknown): string => JSON.stringify(value);
const columns = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    name: `c${at}`,
    dataType: 'INT',
    description: 'One of very many.',
    tags: at % 100 === 0 ? [{ tagFQN: 'PII.None' }] : [],
  }));

const bodyOf = (schema: CreatedRecord, name: string, count: number) => ({
  name,
  databaseSchema: schema.fullyQualifiedName,
  columns: columns(count),
});

/** Reads a stream of events until it is hung up. */
const listen = async (held: HeldService, token: string): Promise<Listener> => {
  const hangingUp = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const { signal } = hangingUp;
  const response = await fetch(`${held.address}/v1/events/stream?scope=events`, { headers, signal });
  assert.is(response.status, 200);
  let heard = '';
  const hear = async () => {
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) heard += decoder.decode(piece as Uint8Array, { stream: true });
  };
  hear().catch(() => {});
  return {
    hasHeard: (text) => heard.includes(text) && heard.endsWith('\n\n'),
    forget: () => {
      heard = '';
    },
    hangUp: () => hangingUp.abort(),
  };
};

/** Makes a caller with conditional rights, and answers who that is. */
const restrictedPerson = (service: Service) => {
  const operations = ['ViewAll', 'ViewBasic'];
  const hidden = { effect: 'deny', operations, condition: "matchAnyTag('PII.Sensitive')" } as const;
  return createRightsFactory(service).person([hidden, { operations: ['EditAll', 'Delete'] }]);
};

/** Opens the service that is attacked and makes what attacks need. Its own background work is left to that service. */
export const openWideStage = async (service: Service): Promise<WideStage> => {
  const { runner, dispatcher, notifications } = service.app;
  const samples = createSamples(service);
  await deleteSubscriptions(service);
  await Promise.all([runner.stop(), dispatcher.stop(), notifications.stop()]);
  const { name } = await samples.create('user', { isAdmin: true });
  const held = await openHeldService(await service.token(name));
  const person = await restrictedPerson(service);
  const restricted = await service.token(person.name);
  const receiver = await openReceiver();
  const destinations = [webhookTo(`${receiver.address}/heard`)];
  const subscription = { alertType: 'Notification', resources: ['table'], destinations };
  for (const more of [{}, { owners: [{ id: person.id, type: 'user' }] }]) {
    const body = json({ name: uniqueName('hook'), ...subscription, ...more });
    await expectSent(held, { method: 'POST', path: SUBSCRIPTIONS_PATH, body }, 201);
  }
  const schema = await samples.create('databaseSchema');
  const make = async (table: string, count: number): Promise<CreatedRecord> => {
    const attack = { method: 'PUT', path: '/v1/tables', body: json(bodyOf(schema, table, count)) };
    return JSON.parse(await expectSent(held, attack, 201)) as CreatedRecord;
  };
  const [wide, half] = [await make('wide', 20_000), await make('half', 10_000)];
  const listener = await listen(held, restricted);
  const close = async () => {
    listener.hangUp();
    await held.close();
    await deleteSubscriptions(service);
    await receiver.down();
    for (const each of [runner, dispatcher, notifications]) each.start();
  };
  return { held, receiver, listener, restricted, schema, wide, half, close };
};

const patch = ({ id }: CreatedRecord, body: unknown, own: Partial<Attack> = {}): Attack => ({
  method: 'PATCH',
  path: `/v1/tables/${id}`,
  body: json(body),
  ...own,
});

/** A change that is over when it was delivered to a receiver and told to a listener. */
const described = ({ wide, receiver, listener }: WideStage): Attack => {
  const description = uniqueName('text');
  const isDelivered = () => receiver.calls.some(({ body }) => body.includes(description));
  const settled = async () => {
    await waitUntil(isDelivered, 'the event is delivered');
    await waitUntil(() => listener.hasHeard(description), 'a listener has heard the whole event');
    listener.forget();
  };
  return patch(wide, { description }, { settled });
};

const attackWithJobs: AttackMaker = async ({ held, half, schema }) => {
  const name = encodeURIComponent(half.fullyQualifiedName);
  const file = await expectSent(held, { path: `/v1/tables/name/${name}/export` }, 200);
  assert.is(file.trimEnd().split('\n').length, 10_001);
  const rows = (): Attack => ({
    method: 'PUT',
    path: '/v1/tables/bulk?async=true',
    body: json([{ ...bodyOf(schema, 'half', 10_000), description: uniqueName('text') }]),
  });
  const again = () => file.replace(/One of very many\./, uniqueName('One'));
  return [
    ['a bulk request as a job', rows],
    ['an export as a job', () => ({ path: `/v1/tables/name/${name}/exportAsync` })],
    [
      'an import as a job',
      () => ({
        method: 'PUT',
        path: `/v1/tables/name/${name}/importAsync?dryRun=false`,
        body: again(),
        type: 'text/csv',
      }),
    ],
  ];
};

const attackAsRestricted: AttackMaker = async ({ restricted, wide }) => {
  const name = encodeURIComponent(wide.fullyQualifiedName);
  const get = (path: string) => (): Attack => ({ path, token: restricted });
  const since = `startTs=0&endTs=${Date.now()}&limit=10`;
  return [
    ['a read', get(`/v1/tables/${wide.id}?fields=columns,tags,owners`)],
    ['a read by name', get(`/v1/tables/name/${name}`)],
    ['a page of Markdown', get(`/v1/tables/name/${name}/context`)],
    [
      'a patch',
      () => patch(wide, [{ op: 'add', path: '/description', value: uniqueName('text') }], { token: restricted }),
    ],
    ['versions', get(`/v1/tables/${wide.id}/versions`)],
    ['one version', get(`/v1/tables/${wide.id}/versions/0.1`)],
    ['history', get(`/v1/tables/history?${since}`)],
    ['columns', get(`/v1/tables/${wide.id}/columns?limit=1000`)],
    ['a search document', get(`/v1/search/get/table/doc/${wide.id}`)],
    ['a search', get('/v1/search/query?q=wide&index=table')],
    ['a file', get(`/v1/tables/name/${name}/export`)],
    ['a list', get('/v1/tables?limit=100&fields=columns,tags')],
    ['events', get('/v1/events?timestamp=0&entityUpdated=table&entityCreated=table')],
    ['lineage', get(`/v1/lineage/table/${wide.id}`)],
  ];
};

const attackVersions: AttackMaker = async ({ held, half, schema, restricted }) => {
  const narrow = json(bodyOf(schema, 'half', 1));
  await expectSent(held, { method: 'PUT', path: '/v1/tables', body: narrow }, 200);
  const get = (path: string) => (): Attack => ({ path, token: restricted });
  return [
    ['its versions', get(`/v1/tables/${half.id}/versions`)],
    ['its widest version', get(`/v1/tables/${half.id}/versions/0.1`)],
  ];
};

const attackFollowers: AttackMaker = async (stage) => {
  return [
    ['an event', () => described(stage)],
    [
      'documents that tell of another record',
      () => ({
        method: 'PATCH',
        path: `/v1/databaseSchemas/${stage.schema.id}`,
        body: json({ displayName: uniqueName('shown') }),
      }),
    ],
  ];
};

const attackByDeletion: AttackMaker = async ({ wide, schema }) => {
  const remove = (path: string) => (): Attack => ({ method: 'DELETE', path });
  const restore = (path: string, id: string) => (): Attack => ({
    method: 'PUT',
    path: `${path}/restore`,
    body: json({ id }),
  });
  const name = encodeURIComponent(wide.fullyQualifiedName);
  const schemaName = encodeURIComponent(schema.fullyQualifiedName);
  const database = schema.fullyQualifiedName.split('.').slice(0, -1).join('.');
  let isGone = false;
  const removeForGood = (): Attack => {
    isGone = true;
    return { method: 'DELETE', path: `/v1/tables/name/${name}?hardDelete=true` };
  };
  const makeAgain = (): Attack => ({ method: 'PUT', path: '/v1/tables', body: json(bodyOf(schema, 'wide', 20_000)) });
  /** The table is made again only for a second try. */
  const there = (): Attack => (isGone ? makeAgain() : { path: `/v1/tables/name/${name}` });
  return [
    ['deletion and restoring', remove(`/v1/tables/${wide.id}`), restore('/v1/tables', wide.id)],
    [
      'deletion of what holds it',
      remove(`/v1/databaseSchemas/${schema.id}?recursive=true`),
      restore('/v1/databaseSchemas', schema.id),
    ],
    ['deletion for good', there, removeForGood],
    [
      'deletion for good of what holds it',
      () => ({ method: 'PUT', path: '/v1/databaseSchemas', body: json({ name: schema.name, database }) }),
      makeAgain,
      remove(`/v1/databaseSchemas/name/${schemaName}?recursive=true&hardDelete=true`),
    ],
  ];
};

/** The sets of attacks, by what they are about, in the order in which they can share one table. */
export const WIDE_LOOP_SETS: readonly (readonly [title: string, AttackMaker])[] = [
  ['jobs on wide records', attackWithJobs],
  ['responses to callers with conditional rights', attackAsRestricted],
  ['versions of a table that was wide', attackVersions],
  ['deliveries, listeners and search maintenance', attackFollowers],
  ['deletion and restore', attackByDeletion],
];
