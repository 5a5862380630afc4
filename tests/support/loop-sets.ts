import type { Route } from '../../src/http/route.ts';
import { ok } from './expect.ts';
import { type Attack, type Attacks, expectSent, type HeldService, openHeldService } from './loop-attacks.ts';
import { type CreatedRecord, createSamples, type Samples, strayId } from './samples.ts';
import { type Service, uniqueName } from './service.ts';
import { createWideSchema } from './wide-schema.ts';

/**
 * The worst sensible input for every route with a body and for every expensive parameter, which must not block the main
 * thread. `wide-loop-sets.ts` has what works on records with very many columns.
 */

/** A body of this size is the largest that the main thread works on by itself. */
const LIGHT = 60 * 1024;
const HEAVY = 400 * 1024;

/** What attacks are made of. */
export type LoopStage = {
  readonly service: Service;
  readonly samples: Samples;
  readonly held: HeldService;
  readonly table: CreatedRecord;
  /** A table with 20,000 columns, and the body of another one. */
  readonly wide: CreatedRecord;
  readonly bodyOfWide: object;
};

type AttackMaker = (stage: LoopStage) => Promise<readonly Attacks[]>;

const json = (value: unknown): string => JSON.stringify(value);
const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const columns = (count: number) =>
  many(count, (at) => ({ name: `c${at}`, dataType: 'INT', description: 'One of very many.' }));
const lists = (bytes: number): string => `[${'[],'.repeat(bytes / 3)}[]]`;
const members = (bytes: number): string => `{${many(bytes / 12, (at) => `"k${at}":{}`).join(',')}}`;

/** Opens the service that is attacked and makes what attacks need. */
export const openLoopStage = async (service: Service): Promise<LoopStage> => {
  const samples = createSamples(service);
  // What is asked of every route must not end anybody else's session.
  const { name } = await samples.create('user', { isAdmin: true });
  const held = await openHeldService(await service.token(name));
  const table = await samples.create('table', { columns: columns(5) });
  // What is compiled at its first use is compiled now.
  for (const path of ['/v1/tables?limit=10', `/v1/tables/${table.id}?fields=columns,tags`, '/v1/search/query?q=x']) {
    await expectSent(held, { path }, 200);
  }
  const bodyOfWide = await samples.body('table', { columns: columns(20_000) });
  const body = json({ ...bodyOfWide, name: uniqueName('wide') });
  const wide = JSON.parse(await expectSent(held, { method: 'POST', path: '/v1/tables', body }, 201)) as CreatedRecord;
  return { service, samples, held, table, wide, bodyOfWide };
};

const filled = (path: string): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => (/id$/i.test(name) ? strayId() : 'x'));

const CONTENTS = [lists(LIGHT), members(LIGHT), lists(HEAVY)];

const attackOn =
  ({ method, path, body }: Route, content: string) =>
  (): Attack => ({ method, path: filled(path), body: content, type: body?.mediaTypes[0] ?? 'application/json' });

/** Routes that are one declaration for many kinds (`catalogRoutes`), and each other route by itself. */
const families = (
  routes: readonly Route[],
  kinds: readonly { readonly path: string }[],
): readonly (readonly Route[])[] => {
  const found = new Map<string, Route[]>();
  for (const route of routes) {
    const kind = kinds.find(({ path }) => `${route.path}/`.startsWith(`/v1/${path}/`));
    const key = `${route.method} ${kind ? route.path.replace(`/v1/${kind.path}`, '/v1/{collection}') : route.path}`;
    found.set(key, [...(found.get(key) ?? []), route]);
  }
  return [...found.values()];
};

/** All contents for a route of its own; in a large family, the kinds take turns, so that each content has several. */
const contentsFor = (family: readonly Route[], at: number): readonly string[] =>
  family.length < 3 * CONTENTS.length ? CONTENTS : CONTENTS.filter((_, turn) => turn === at % CONTENTS.length);

const attackRoutes: AttackMaker = async ({ service }) => {
  const routes = service.app.routes.filter(({ body }) => body !== undefined);
  return families(routes, service.registry.kinds).flatMap((family) =>
    family.map((route, at): Attacks => {
      const contents = contentsFor(family, at);
      return [`${route.method} ${route.path}`, ...contents.map((content) => attackOn(route, content))];
    }),
  );
};

const attackWithLargeBodies: AttackMaker = async () => {
  const MIB = 1024 * 1024;
  const post = (body: string) => () => ({ method: 'POST', path: '/v1/tables', body });
  const [listed, named] = [lists(31 * MIB), members(20 * MIB)];
  return [
    ['32 MiB of lists', post(listed)],
    ['20 MiB of members', post(named)],
    ['5 MiB of malformed text', post(`${lists(5 * MIB)}x`)],
    ['a text of 20 MiB', post(json({ name: 'é'.repeat(10 * MIB) }))],
    ['32 MiB without a token', () => ({ method: 'POST', path: '/v1/users/login', body: listed })],
  ];
};

const attackWithWideRecords: AttackMaker = async ({ samples, table, wide, bodyOfWide }) => {
  const rows = await Promise.all(many(400, () => samples.body('table', { columns: columns(20) })));
  const name = encodeURIComponent(wide.fullyQualifiedName);
  const patch = (id: string, operations: () => unknown) => () => ({
    method: 'PATCH',
    path: `/v1/tables/${id}`,
    body: json(operations()),
  });
  return [
    [
      'a wide record made',
      () => ({ method: 'POST', path: '/v1/tables', body: json({ ...bodyOfWide, name: uniqueName('w') }) }),
    ],
    ['a wide record read', () => ({ path: `/v1/tables/${wide.id}?fields=columns,tags,owners` })],
    ['a wide record read by name', () => ({ path: `/v1/tables/name/${name}` })],
    ['a wide record patched', patch(wide.id, () => ({ description: uniqueName('text') }))],
    ['its versions', () => ({ path: `/v1/tables/${wide.id}/versions` })],
    ['one of its versions', () => ({ path: `/v1/tables/${wide.id}/versions/0.1` })],
    ['history', () => ({ path: `/v1/tables/history?startTs=0&endTs=${Date.now()}&limit=10` })],
    ['its columns', () => ({ path: `/v1/tables/${wide.id}/columns?limit=1000` })],
    [
      'a vote',
      () => ({ method: 'PUT', path: `/v1/tables/${wide.id}/vote`, body: json({ updatedVoteType: 'votedUp' }) }),
    ],
    ['its search document', () => ({ path: `/v1/search/get/table/doc/${wide.id}` })],
    ['its CSV', () => ({ path: `/v1/tables/name/${name}/export` })],
    ['a list', () => ({ path: '/v1/tables?limit=100&fields=columns,tags' })],
    ['events', () => ({ path: '/v1/events?timestamp=0&entityUpdated=table' })],
    ['a bulk request', () => ({ method: 'PUT', path: '/v1/tables/bulk', body: json(rows) })],
    ['2,001 operations', patch(table.id, () => many(2001, () => ({ op: 'add', path: '/description', value: 'x' })))],
    ['700 operations', patch(table.id, () => many(700, (at) => ({ op: 'add', path: '/displayName', value: `${at}` })))],
    [
      'operations on one list of labels',
      patch(table.id, () => many(2000, (at) => ({ op: 'add', path: `/tags/${at}`, value: { tagFQN: `PII.x${at}` } }))),
      patch(table.id, () => many(800, (at) => ({ op: 'add', path: `/tags/${at}`, value: { tagFQN: `PII.x${at}` } }))),
    ],
    [
      'copies of copies',
      patch(table.id, () => many(900, () => ({ op: 'copy', from: '/columns', path: '/columns/0/children' }))),
    ],
  ];
};

const attackWithContracts: AttackMaker = async ({ held, table, wide }) => {
  const schema = columns(19_000).map(({ name, dataType }) => ({ name, dataType }));
  const entity = { id: wide.id, type: 'table' };
  const contract = { name: 'contract', entity, schema };
  const put = await held.send({ method: 'PUT', path: '/v1/dataContracts', body: json(contract) });
  const { id } = JSON.parse(put.text) as { readonly id: string };
  const path = '/v1/dataContracts';
  const ddl = `create table t (${schema.slice(0, 2000).map(({ name }) => `${name} int`)})`;
  const texts = [
    `a: [${'[],'.repeat(LIGHT / 3)}]`,
    `${'- '.repeat(60)}x\n${'- a\n'.repeat(LIGHT / 4)}`,
    many(LIGHT / 10, (at) => `k${at}: v`).join('\n'),
    `a: &a [1,2,3]\n${many(4000, (at) => `k${at}: *a`).join('\n')}`,
    '# x\n'.repeat(LIGHT / 4),
  ];
  const yaml = (to: string) =>
    texts.map((text) => () => ({ method: 'POST', path: to, body: text, type: 'application/yaml' }));
  return [
    [
      'a contract of 19,000 columns',
      () => ({ method: 'PUT', path, body: json({ ...contract, description: uniqueName('x') }) }),
    ],
    ['the same read', () => ({ path: `${path}/${id}` })],
    ['the same as a document', () => ({ path: `${path}/${id}/odcs/yaml` })],
    ['the same judged', () => ({ method: 'POST', path: `${path}/${id}/validate` })],
    [
      'the same validated',
      () => ({ method: 'POST', path: `${path}/validate`, body: json({ ...contract, name: 'other' }) }),
    ],
    [
      'a check of columns',
      () => ({ method: 'POST', path: `${path}/check`, body: json({ entity, proposed: { columns: schema } }) }),
    ],
    ['a check of SQL', () => ({ method: 'POST', path: `${path}/check`, body: json({ entity, proposed: { ddl } }) })],
    ['YAML of the open standard', ...yaml(`${path}/odcs/validate/yaml?entityId=${table.id}&entityType=table`)],
    ['a contract in YAML', ...yaml(path)],
  ];
};

const attackWithLineage: AttackMaker = async ({ service }) => {
  const { schema } = await createWideSchema(service.admin, 1500);
  const { data } = ok(await service.admin.get(`/v1/tables?databaseSchema=${schema}&limit=1500`));
  const hub: CreatedRecord = data[0];
  const end = ({ id }: CreatedRecord) => ({ id, type: 'table' });
  const edges = (data as CreatedRecord[]).slice(1).map((one) => ({ fromEntity: end(hub), toEntity: end(one) }));
  ok(await service.admin.put('/v1/lineage/bulk', edges));
  const name = encodeURIComponent(hub.fullyQualifiedName);
  const around = `fqn=${name}&type=table&downstreamDepth=3&upstreamDepth=3`;
  const sql = [
    `select ${'('.repeat(2000)}1${')'.repeat(2000)}`,
    many(700, () => 'select a from t').join(' union all '),
    `insert into x select ${many(3000, (at) => `a${at} as b${at}`).join(',')} from t`,
    `select * from t0 ${many(1200, (at) => `join t${at} x${at} on x${at}.a = 1`).join(' ')}`,
    `with ${many(1200, (at) => `c${at} as (select * from c${at - 1})`).join(',')} select * from c1`,
  ];
  return [
    ['lineage', () => ({ path: `/v1/lineage/table/${hub.id}?downstreamDepth=3&upstreamDepth=3` })],
    ['lineage by name', () => ({ path: `/v1/lineage/table/name/${name}?downstreamDepth=3` })],
    ['a map', () => ({ path: `/v1/lineage/getLineage?${around}` })],
    ['an export of lineage', () => ({ path: `/v1/lineage/export?${around}` })],
    ['a long list', () => ({ path: `/v1/tables?limit=5000&databaseSchema=${schema}&fields=columns,tags` })],
    [
      'SQL',
      ...sql.map((sqlQuery) => () => ({
        method: 'PUT',
        path: '/v1/lineage?parseSql=true',
        body: json({ edge: { fromEntity: end(hub), toEntity: end(data[1]), lineageDetails: { sqlQuery } } }),
      })),
    ],
  ];
};

const attackWithParameters: AttackMaker = async ({ table }) => {
  const query = (text: string) => () => ({ path: `/v1/search/query?q=${encodeURIComponent(text)}&index=table` });
  const filter = (value: string) => () => ({
    path: `/v1/search/query?q=x&query_filter=${encodeURIComponent(value)}`,
  });
  const terms = many(100, (at) => ({ term: { 'owners.id': `x${at}` } }));
  return [
    ['a search of many hits', () => ({ path: '/v1/search/query?q=t*&index=table&size=300' })],
    ['clauses', query(many(500, () => 'a').join(' OR ')), query('name:a~ '.repeat(400))],
    ['brackets', query('('.repeat(2000)), query('"'.repeat(2001)), query(`${'('.repeat(500)}a${')'.repeat(500)}`)],
    ['wildcards', query('a*'.repeat(12)), query('?*'.repeat(12))],
    ['filters', filter(json({ query: { bool: { must: terms } } })), filter(`${'{"bool":{"must":['.repeat(80)}`)],
    ['fields', () => ({ path: `/v1/tables?fields=${'columns,'.repeat(1500)}` })],
    ['relations', () => ({ path: `/v1/tables?includeRelations=${'owners:all,'.repeat(1000)}` })],
    ['many parameters', () => ({ path: `/v1/tables?${'a=1&'.repeat(3500)}` })],
    ['a cursor', () => ({ path: `/v1/tables?after=${'A'.repeat(12_000)}` })],
    [
      'a name',
      () => ({ path: `/v1/tables/name/${'a.'.repeat(6000)}` }),
      () => ({ path: `/v1/tables/name/${'%22'.repeat(4000)}` }),
    ],
    [
      'a link',
      () => ({
        path: `/v1/dataQuality/testCases?entityLink=${encodeURIComponent(`<#E::table::${'a:'.repeat(2000)}`)}`,
      }),
    ],
    [
      'a token',
      () => ({ path: '/v1/tables', headers: { authorization: `Bearer ${'a'.repeat(5000)}.${'b'.repeat(5000)}.c` } }),
    ],
    ['tags of states', () => ({ path: `/v1/tables/${table.id}`, headers: { 'if-none-match': '"a",'.repeat(3500) } })],
  ];
};

const attackWithLanguages: AttackMaker = async ({ table }) => {
  const policy = (condition: string) => () => ({
    method: 'POST',
    path: '/v1/policies',
    body: json({
      name: uniqueName('policy'),
      rules: [{ name: 'r', effect: 'allow', operations: ['ViewAll'], resources: ['all'], condition }],
    }),
  });
  const described = (description: string) => () => ({
    method: 'POST',
    path: '/v1/domains',
    body: json({ name: uniqueName('domain'), domainType: 'Aggregate', description }),
  });
  const file = (body: string) => () => ({
    method: 'PUT',
    path: `/v1/tables/name/${encodeURIComponent(table.fullyQualifiedName)}/import?dryRun=true`,
    body,
    type: 'text/csv',
  });
  const logic = (rule: string) => () => ({
    method: 'POST',
    path: '/v1/dataContracts/validate',
    body: json({
      name: 'x',
      entity: { id: table.id, type: 'table' },
      semantics: [{ name: 's', description: '', enabled: true, rule }],
    }),
  });
  return [
    [
      'conditions',
      policy(`${'!'.repeat(3000)}isOwner()`),
      policy(`${'('.repeat(3000)}isOwner()${')'.repeat(3000)}`),
      policy(many(3000, () => 'isOwner()').join(' && ')),
      policy(`matchAnyTag(${many(4000, (at) => `'a.b${at}'`).join(',')})`),
    ],
    [
      'descriptions',
      described('<#E::user::a'.repeat(4500)),
      described('[a]('.repeat(14_000)),
      described('*'.repeat(55_000)),
    ],
    [
      'CSV',
      file('"'.repeat(LIGHT)),
      file(','.repeat(LIGHT)),
      file('\n'.repeat(LIGHT)),
      file(`"${'a,'.repeat(LIGHT / 2)}`),
    ],
    [
      'logic',
      logic(`${'{"!":['.repeat(90)}1${']}'.repeat(90)}`),
      logic(`{"and":[${many(5000, () => '{"==":[1,1]}')}]}`),
    ],
  ];
};

/** The sets of attacks, by what they are about. Later ones may need what earlier ones have made. */
export const LOOP_SETS: readonly (readonly [title: string, AttackMaker])[] = [
  ['bodies on every route that accepts one', attackRoutes],
  ['very large bodies with lists, members, malformed text or one long text', attackWithLargeBodies],
  ['patches, bulk requests and wide records', attackWithWideRecords],
  ['contracts and YAML documents', attackWithContracts],
  ['lineage and SQL', attackWithLineage],
  ['parameters and headers', attackWithParameters],
  ['conditions, descriptions, CSV and JsonLogic', attackWithLanguages],
];
