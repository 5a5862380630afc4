import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { importOpenMetadata, OPENMETADATA } from '../../../src/cli/move/openmetadata/import-openmetadata.ts';
import { playInstance, type RecordedInstance } from '../../support/recorded-instance.ts';
import { openService, type Service, uniqueName } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { type RunOptions, runMove } from './run-move.ts';

/**
 * Shows that what an instance of OpenMetadata answers comes over whole. `fixtures/moves/openmetadata.jsonl` has answers in
 * the form of OpenMetadata 2.0.7 for a sample of our own: a harbor.
 */

const test = suite('cli: import from OpenMetadata');

const TOKEN = 'recorded';
const PUBLIC = 'harbor_pg.port.public';

let service: Service;
let instance: RecordedInstance;
let folder: string;

const run = (args: readonly string[], { env = { OPENMETADATA_TOKEN: TOKEN }, ...options }: RunOptions = {}) =>
  runMove({ other: OPENMETADATA, run: importOpenMetadata, instance, service }, ['--page-size', '3', ...args], {
    env,
    ...options,
  });

const failureOf = async (work: Promise<{ readonly printed: string }>): Promise<string> =>
  work.then(
    ({ printed }) => assert.unreachable(`it came to an end: ${printed}`),
    ({ message }: Error) => message,
  ) as Promise<string>;

const stateFile = (name: string) => ['--state', join(folder, name)];

const find = (path: string) => service.admin.get(`/v1/${path}`);

const read = async (path: string) => {
  const { status, json, text } = await find(path);
  assert.is(status, 200, `${path}: ${text}`);
  return json;
};

type Recorded = Readonly<Record<string, unknown>>;

/** The records of the recording by the path of their collection. */
const recordedLists = (): ReadonlyMap<string, readonly Recorded[]> => {
  const lists = new Map<string, Recorded[]>();
  for (const [address, answer] of Object.entries(instance.recording)) {
    const { pathname, searchParams } = new URL(address, 'http://instance');
    const { data = [] } = answer as { readonly data?: readonly Recorded[] };
    if (!searchParams.has('fields') || searchParams.get('limit') !== '3' || data.length === 0) continue;
    const path = pathname.replace('/api/v1/', '');
    lists.set(path, [...(lists.get(path) ?? []), ...data]);
  }
  return lists;
};

/** What every server says of a record by itself, and what the page says does not come. */
const NOT_COMPARED: ReadonlySet<string> = new Set([
  'id',
  'href',
  'version',
  'updatedAt',
  'updatedBy',
  'changeDescription',
  'incrementalChangeDescription',
  'deleted',
  'provider',
  'appliedAt',
  'appliedBy',
  'certification',
  'disabled',
  'testConnectionResult',
  'usageCount',
  'termCount',
  'testSuite',
  'testSuites',
  'testCaseResult',
  'testCaseStatus',
  'incidentId',
  'createdBy',
  'entityFQN',
  'isEmailVerified',
  'isAdmin',
  'lastLoginTime',
  'roles',
  'inheritedRoles',
  'defaultRoles',
  'policies',
  'personas',
  'summary',
]);

/** Which record a reference or a tag names; what it shows besides is of that record. */
const namedBy = ({ tagFQN, source, labelType, state, type, fullyQualifiedName, inherited }: Recorded) =>
  tagFQN === undefined
    ? `${type} ${fullyQualifiedName}${inherited === true ? ' (inherited)' : ''}`
    : `${source} ${tagFQN} ${labelType} ${state}`;

const isNamed = ({ tagFQN, type, id }: Recorded) => tagFQN !== undefined || (type !== undefined && id !== undefined);

const MASKED = '*********';

/** A value as it is compared: without what no import keeps, and without what says nothing. */
const comparable = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    const all = value.map(comparable);
    return value.every((one) => typeof one === 'object' && isNamed(one)) ? all.sort() : all;
  }
  if (typeof value !== 'object' || value === null) return value;
  const { term, relationType } = value as Recorded;
  // Newer versions wrap related terms.
  if (term !== undefined && relationType !== undefined) return comparable(term);
  if (isNamed(value as Recorded)) return namedBy(value as Recorded);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([member, one]) => !NOT_COMPARED.has(member) && one !== null && one !== false && one !== MASKED)
      .map(([member, one]) => [member, comparable(one)] as const)
      .filter(([, one]) => typeof one !== 'object' || Object.keys(one as object).length > 0)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
};

/** Members of a record that are not alike here, with what there is instead. */
const differences = (recorded: Recorded, own: Recorded): readonly string[] => {
  const [wanted, actual] = [comparable(recorded) as Recorded, comparable(own) as Recorded];
  return Object.keys(wanted).flatMap((member) => {
    const [one, other] = [JSON.stringify(wanted[member]), JSON.stringify(actual[member])];
    return one === other ? [] : [`${recorded['fullyQualifiedName']}.${member}: ${one} is ${other}`];
  });
};

const readState = async () => {
  const records = await service.graph.query(
    `MATCH (n) WHERE toLower(n.fullyQualifiedName) CONTAINS 'harbor' AND n.version IS NOT NULL
     RETURN n.fullyQualifiedName AS name, n.entityType AS type, n.version AS version, n.updatedAt AS updatedAt
     ORDER BY name, type`,
    {},
  );
  const edges = await service.graph.query(
    `MATCH (s:Assertion), (a {id: s.fromId}) WHERE a.fullyQualifiedName STARTS WITH 'harbor'
     RETURN s.id AS id, s.contentJson AS content, s.updatedAt AS updatedAt, s.until AS until ORDER BY id`,
    {},
  );
  assert.ok(records.length > 40 && edges.length === 7, `${records.length} records, ${edges.length} edges`);
  return { records, edges };
};

test.before(async () => {
  service = await openService();
  instance = await playInstance('openmetadata', { token: TOKEN });
  folder = await mkdtemp(join(tmpdir(), 'tributary-openmetadata-'));
  // An administrator here, whose address the other catalog must not decide on.
  const kai = { name: 'harbor_kai', email: 'kai@tributary.example', isAdmin: true };
  assert.is((await service.admin.post('/v1/users', kai)).status, 201);
});

test.after(async () => {
  await instance.close();
  await rm(folder, { recursive: true, force: true });
});

test('a dry run reads all and writes nothing', async () => {
  const { code, printed } = await run(['--dry-run', ...stateFile('dry')]);
  assert.is(code, 0, printed);
  assert.match(printed, /^Nothing was written; would come: \d+ records of OpenMetadata 2\.0\.7\n/);
  assert.match(printed, /\ntable +5\n/);
  for (const path of ['domains/name/Harbor', 'users/name/harbor_mia', 'services/databaseServices/name/harbor_pg']) {
    assert.is((await find(path)).status, 404, path);
  }
  assert.is(await stat(join(folder, 'dry')).catch(() => 'none'), 'none');
});

test('a wrong token is told with where it comes from, and never the token', async () => {
  const wrong = await failureOf(run(stateFile('wrong'), { env: { OPENMETADATA_TOKEN: 'guessed' } }));
  assert.match(wrong, /answered 401: .*The token \(--token or OPENMETADATA_TOKEN\) is missing, wrong or has expired$/);
  assert.not.match(wrong, /guessed/);
  assert.match(await failureOf(run(stateFile('none'), { env: {} })), /answered 401/);
});

test('a caller who may not write is told so, and nothing is written', async () => {
  const name = uniqueName('reader').toLowerCase();
  await service.admin.put('/v1/users', { name, email: `${name}@example.com` });
  const message = await failureOf(run(stateFile('reader'), { user: name }));
  assert.match(message, /^Nothing was written: .*(denied|not allowed|permission)/i);
  assert.is((await find('domains/name/Harbor')).status, 404);
});

test('an import that broke off goes on where it stopped', async () => {
  instance.asked.length = 0;
  instance.beBusyOnce();
  instance.hangUpAfter(60);
  assert.match(await failureOf(run(stateFile('state'))), /OpenMetadata does not answer at/);
  const readTerms = () => instance.asked.filter((path) => /\/glossaryTerms\?.*fields=/.test(path));
  assert.ok(readTerms().length > 0, 'terms were read before');
  instance.asked.length = 0;
  instance.hangUpAfter(undefined);
  const { code, printed } = await run(stateFile('state'));
  assert.is(code, 0, printed);
  assert.match(printed, /^Going on where the last run stopped; /);
  assert.equal(readTerms(), []);
  assert.match(await readFile(join(folder, 'state'), 'utf8'), /^\{"import":"OpenMetadata"[^\n]*\n$/);
});

test('every record reads back as it was', async () => {
  const lists = recordedLists();
  assert.ok(lists.size > 25, `${lists.size} collections`);
  const differ: string[] = [];
  let compared = 0;
  for (const [path, records] of lists) {
    for (const record of records) {
      const { fullyQualifiedName, name, isBot } = record as Record<string, string>;
      const isLeftOut = isBot || ['admin', 'Organization'].includes(name ?? '') || path === 'metadata/types';
      const isOwn = record['provider'] === 'system';
      const isOfTable = path === 'dataQuality/testSuites' && record['basic'] === true;
      if (isLeftOut || isOwn || isOfTable) continue;
      const own = await read(`${path}/name/${encodeURIComponent(fullyQualifiedName ?? '')}?fields=*`);
      differ.push(...differences(record, own));
      compared += 1;
    }
  }
  assert.equal(differ.sort(), [
    // Reviewers are not inherited here, so that the term has them itself.
    'HarborWords.Berth.reviewers: ["user harbor_mia (inherited)"] is ["user harbor_mia"]',
    // An administrator here stays as they are.
    'harbor_kai.email: "kai@harbor.example" is "kai@tributary.example"',
    'harbor_kai.teams: ["team harbor_analysts"] is undefined',
    // The bot does not come.
    `${PUBLIC}."tides.hourly".owners: ["user harbor-bot"] is ["user harbor_noor (inherited)"]`,
    // A choice is no list here, and one property is of a type that is not known here.
    `${PUBLIC}.calls.extension: {"harborRetention":["long"],"harborSignal":"red","harborSteward":"user harbor_mia"} is {"harborRetention":"long","harborSteward":"user harbor_mia"}`,
  ]);
  assert.ok(compared > 40, `${compared} records were compared`);
});

type Edge = {
  readonly fromEntity: string;
  readonly toEntity: string;
  readonly lineageDetails: Readonly<Record<string, unknown>>;
};

test('every edge comes with its columns, its SQL, its pipeline and its source', async () => {
  const recorded = Object.entries(instance.recording).filter(([address]) => address.includes('/lineage/'));
  let compared = 0;
  for (const [, answer] of recorded) {
    const { entity, nodes, upstreamEdges } = answer as Record<'entity' | 'nodes' | 'upstreamEdges', never>;
    const { type, fullyQualifiedName } = entity as Record<string, string>;
    const kept = (nodes as Recorded[]).filter((node) => node['deleted'] !== true && node['type'] !== 'spreadsheet');
    const names = new Map(kept.map((node) => [node['id'], node['fullyQualifiedName']]));
    const fqn = encodeURIComponent(fullyQualifiedName ?? '');
    const own = await read(`lineage/${type}/name/${fqn}?upstreamDepth=1&downstreamDepth=0`);
    const ownNames = new Map(own.nodes.map((node: Recorded) => [node['id'], node['fullyQualifiedName']]));
    const detailsByName = (edges: readonly Edge[], nameOf: ReadonlyMap<unknown, unknown>, to: unknown) =>
      edges
        .flatMap(({ fromEntity, toEntity, lineageDetails }) => {
          const { createdAt: _, createdBy: __, ...details } = lineageDetails;
          return toEntity === to && nameOf.has(fromEntity)
            ? [[String(nameOf.get(fromEntity)), comparable(details)] as const]
            : [];
        })
        .sort(([one], [other]) => (one < other ? -1 : 1));
    const wanted = detailsByName(upstreamEdges, names, entity['id']);
    assert.equal(detailsByName(own.upstreamEdges, ownNames, own.entity.id), wanted, fullyQualifiedName);
    compared += wanted.length;
  }
  // A pipeline also shows the edge that passes through it.
  assert.is(compared, 8);
});

test('tests come with their newest result, and suites with their tests', async () => {
  const name = encodeURIComponent(`${PUBLIC}.calls.imo.calls_imo_known`);
  const testCase = await read(`dataQuality/testCases/name/${name}?fields=*`);
  const { timestamp, testCaseStatus, result, testResultValue, failedRows } = testCase.testCaseResult;
  assert.equal(
    [timestamp, testCaseStatus, result, testResultValue, failedRows],
    [1767200000000, 'Failed', 'Found 3 nulls', [{ name: 'nullCount', value: '3' }], 3],
  );
  const suites = testCase.testSuites.map((one: Recorded) => one['name']);
  assert.ok(suites.includes('harbor_nightly'), suites.join());
  assert.is((await find(`dataQuality/testSuites/name/harbor_nightly`)).status, 200);
});

test('secrets that are shown as stars are no values here', async () => {
  const rows = await service.graph.query(
    `MATCH (n) WHERE n.fullyQualifiedName STARTS WITH 'harbor' RETURN n.fullyQualifiedName AS name, properties(n) AS all`,
    {},
  );
  assert.ok(rows.length > 20);
  assert.equal(
    rows.filter(({ all }) => JSON.stringify(all).includes('*****')).map(({ name }) => name),
    [],
  );
  const { connection } = await read('services/databaseServices/name/harbor_pg');
  assert.equal(
    [connection.config.hostPort, connection.config.username, connection.config.authType?.password],
    ['pg.harbor.example:5432', 'reader', undefined],
  );
});

test('people come without rights, and bots and what is deleted stay away', async () => {
  const noor = await read('users/name/harbor_noor?fields=roles,teams');
  assert.equal([noor.isAdmin ?? false, noor.roles ?? []], [false, []]);
  assert.equal((await read('users/name/harbor_mia?fields=roles')).roles ?? [], []);
  const operations = await read('teams/name/harbor_operations?fields=policies,defaultRoles');
  assert.equal([operations.policies ?? [], operations.defaultRoles ?? []], [[], []]);
  for (const path of [
    'users/name/harbor-bot',
    'users/name/harbor_left',
    'bots/name/harbor-bot',
    'roles/name/HarborPilot',
  ]) {
    assert.is((await find(`${path}?include=all`)).status, 404, path);
  }
  assert.is((await find(`tables/name/${PUBLIC}.old_calls?include=all`)).status, 404);
});

test('a second run changes nothing, not even a secret that was entered here', async () => {
  const { id } = await read('services/databaseServices/name/harbor_pg');
  const patch = [{ op: 'add', path: '/connection/config/authType', value: { password: 'entered-here' } }];
  const headers = { 'content-type': 'application/json-patch+json' };
  const patched = await service.admin.patch(`/v1/services/databaseServices/${id}`, patch, headers);
  assert.is(patched.status, 200, patched.text);
  const before = await readState();
  assert.is((await run(stateFile('state'))).code, 0);
  assert.equal(await readState(), before);
  const { connection } = await read('services/databaseServices/name/harbor_pg');
  assert.ok(connection.config.authType?.password, 'the password is still there');
});

test('what does not come is named with how often', async () => {
  const { written, leftOut, refused } = JSON.parse((await run(['--json', ...stateFile('json')])).printed);
  assert.is(refused, 0);
  assert.equal([written.table, written['edge of lineage'], written['test result']], [5, 7, 1]);
  for (const [what, count] of Object.entries({
    'the custom property harborSignal of table': 1,
    'the custom property harborSheet of worksheet': 1,
    'table.extension.harborSignal': 1,
    'table.certification': 1,
    'table: deleted there': 1,
    'user: deleted there': 1,
    'user: a bot': 1,
    'user: an administrator here, or somebody with another address': 1,
    'user.isAdmin: rights are given here': 1,
    'table.owners: a user that does not come': 1,
    'tag.disabled': 1,
    'testCase.incidentId': 1,
    'lineage: an edge from a table that does not come': 1,
    'lineage: an edge from a spreadsheet that does not come': 1,
    'roles: rights are given here': 2,
    'drives/spreadsheets: the catalog has no place for them': 1,
    'services/metadataServices: the catalog has no place for them': 1,
  })) {
    assert.is(leftOut[what], count, what);
  }
});

test('the import asks OpenMetadata for nothing that was not recorded', () => {
  assert.equal(instance.missing, []);
});

test.run();
