import * as assert from 'uvu/assert';
import { StartupError } from '../../src/errors.ts';
import {
  applySchema,
  claimFingerprint,
  refuseNewerVersion,
  type SchemaStep,
  STORE_VERSION,
} from '../../src/graph/apply-schema.ts';
import { parseSchemaDefinition } from '../../src/graph/schema-definition.ts';
import { documentIndexSteps } from '../../src/search-documents/index/fulltext-index.ts';
import { runProgram } from '../support/program.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that the schema and its migrations are applied once, also by several processes. */

const schema = suite('graph: schema of the store');

let service: Service;

schema.before(async () => {
  service = await openService();
});

const refusedBy = async (work: () => Promise<unknown>): Promise<string> => {
  try {
    await work();
  } catch (failure) {
    assert.instance(failure, StartupError);
    return (failure as Error).message;
  }
  return assert.unreachable('nothing was refused') as never;
};

const steps = () => service.graph.query('MATCH (n:SchemaStep) RETURN n.name AS name, n.hash AS hash ORDER BY name');

schema('applying the schema twice, and by two processes at once, changes nothing', async () => {
  const before = await steps();
  assert.ok(before.length > 20);
  const { kinds } = service.registry;
  await Promise.all([applySchema(service.graph, kinds), applySchema(service.graph, kinds)]);
  assert.equal(await steps(), before);
});

schema('what an empty store is given at once is what the steps in their order make', async () => {
  const { graph, registry } = service;
  const read = async () => ({
    indexes: await graph.query('SHOW INDEXES YIELD name, type, labelsOrTypes, properties RETURN * ORDER BY name'),
    constraints: await graph.query('SHOW CONSTRAINTS YIELD name, type RETURN * ORDER BY name'),
    notifications: await graph.query('MATCH (progress:Progress {name: "notifications"}) RETURN progress.name AS name'),
    steps: await steps(),
  });
  const before = await read();
  assert.is(before.notifications.length, 1);
  await graph.query('MATCH (step:SchemaStep) DELETE step');
  await applySchema(graph, registry.kinds, documentIndexSteps(registry.kinds));
  assert.equal(await read(), before);
});

schema('a changed step is applied again, by two processes at once', async () => {
  await service.graph.query('MATCH (n:SchemaStep {name: "Table_list"}) SET n.hash = "older"');
  const { kinds } = service.registry;
  await Promise.all([applySchema(service.graph, kinds), applySchema(service.graph, kinds)]);
  const [step] = (await steps()).filter((row) => row['name'] === 'Table_list');
  assert.is.not(step?.['hash'], 'older');
});

schema('versions that an older release stored in full join the history of their kind', async () => {
  const id = uniqueName('old');
  await service.graph.query(
    `CREATE (:Entity {id: $id, entityType: 'table'})-[:HAS_VERSION]->(:Version {version: 0.1, at: 1, json: '{}'})`,
    { id },
  );
  await service.graph.query('MATCH (n:SchemaStep {name: "022_version_record"}) SET n.hash = "older"');
  await applySchema(service.graph, service.registry.kinds);
  const rows = await service.graph.query(
    `MATCH (n:Entity {id: $id})-[:HAS_VERSION]->(state)
     WITH n, state, state.entityId AS entityId, state.entityType AS entityType
     DETACH DELETE n, state
     RETURN entityId, entityType`,
    { id },
  );
  assert.equal(rows, [{ entityId: id, entityType: 'table' }]);
});

const RENAMED_EDGES = [
  { step: '160_references_name', former: 'NAMES', present: 'REFERENCES_NAME' },
  { step: '161_has_preferences', former: 'PREFERS', present: 'HAS_PREFERENCES' },
  { step: '162_fed_until', former: 'FED', present: 'FED_UNTIL' },
];

schema('edges that an older release wrote with other names are renamed with all their properties', async () => {
  const mark = uniqueName('renamed');
  for (const { step, former } of RENAMED_EDGES) {
    await service.graph.query(
      `MERGE (target:Entity {id: $mark})
       CREATE (:Entity {id: $mark + '${former}'})-[:${former} {id: $mark, since: 1, until: 2}]->(target)`,
      { mark },
    );
    await service.graph.query('MATCH (n:SchemaStep {name: $step}) SET n.hash = "older"', { step });
  }
  await applySchema(service.graph, service.registry.kinds);
  const rows = await service.graph.query(
    `MATCH (source:Entity)-[edge]->(target:Entity {id: $mark})
     WITH source, target, type(edge) AS type, properties(edge) AS properties
     DETACH DELETE source, target
     RETURN type, properties ORDER BY type`,
    { mark },
  );
  const expected = RENAMED_EDGES.map(({ present }) => ({
    type: present,
    properties: { id: mark, since: 1, until: 2 },
  }));
  assert.equal(
    rows,
    expected.sort((one, other) => (one.type < other.type ? -1 : 1)),
  );
});

schema('every kind has a unique name, and all share indexes for names, lists and every ancestor', async () => {
  const rows = await service.graph.query('SHOW INDEXES YIELD name, labelsOrTypes, properties RETURN *');
  const has = (label: string, properties: readonly string[]) =>
    rows.some(
      (row) =>
        (row['labelsOrTypes'] as string[] | null)?.[0] === label &&
        JSON.stringify(row['properties']) === JSON.stringify(properties),
    );
  const { kinds } = service.registry;
  for (const kind of kinds) assert.is(has(kind.label, ['fullyQualifiedName']), !kind.sharesNames, kind.label);
  assert.ok(has('Entity', ['entityType', 'fullyQualifiedName']));
  assert.ok(has('Entity', ['entityType', 'deleted', 'sortKey']));
  for (let depth = 1; depth <= Math.max(...kinds.map(({ scopeDepth }) => scopeDepth)); depth += 1) {
    assert.ok(has('Entity', ['entityType', `scope${depth}`, 'deleted', 'sortKey']), String(depth));
  }
});

schema('a store of a newer release is refused', async () => {
  const name = uniqueName('future');
  await service.graph.query('CREATE (:SchemaStep {name: $name, hash: "x", version: 99})', { name });
  const message = await refusedBy(() => applySchema(service.graph, service.registry.kinds));
  await service.graph.query('MATCH (n:SchemaStep {name: $name}) DELETE n', { name });
  assert.match(message, /newer version/);
});

schema('a store of the previous release gets the current version even without a new step', async () => {
  await service.graph.query('MATCH (n:SchemaStep) SET n.version = 1');
  const before = await steps();
  assert.equal(await apply(), []);
  assert.equal(await steps(), before);
  // The former program looks at the versions of all steps, in these words.
  const rows = await service.graph.query('MATCH (n:SchemaStep) RETURN n.version AS version');
  const versions = rows.map(({ version }) => Number(version));
  assert.equal([...new Set(versions)], [STORE_VERSION]);
  const message = await refusedBy(async () => refuseNewerVersion(versions, 1));
  assert.ok(message.includes(`store version ${STORE_VERSION}, this program knows 1`), message);
  refuseNewerVersion(versions);
});

schema('a process with another key than the store is refused, naming the variable', async () => {
  const name = uniqueName('key');
  await claimFingerprint(service.graph, name, 'fingerprint-1', 'AUTH_KEY_FILE');
  await claimFingerprint(service.graph, name, 'fingerprint-1', 'AUTH_KEY_FILE');
  const message = await refusedBy(() => claimFingerprint(service.graph, name, 'fingerprint-2', 'AUTH_KEY_FILE'));
  assert.match(message, /AUTH_KEY_FILE/);
  assert.not.match(message, /fingerprint-\d/);
});

/** The whole schema of this program with further steps, as a program before or after this one may have them. */
const apply = async (further: readonly SchemaStep[] = []): Promise<string[]> => {
  const { kinds } = service.registry;
  const lines: string[] = [];
  const report = (line: string) => lines.push(line);
  await applySchema(service.graph, kinds, [...documentIndexSteps(kinds), ...further], { report });
  return lines;
};

const indexNamed = async (name: string) =>
  (await service.graph.query('SHOW INDEXES YIELD * WHERE name = $name RETURN *', { name }))[0];

schema('an index or constraint with a changed definition is recreated, and an unused one is removed', async () => {
  const [index, constraint] = [uniqueName('index'), uniqueName('constraint')];
  const stepsWith = (property: string): SchemaStep[] => [
    { name: '148_index', text: `CREATE INDEX ${index} IF NOT EXISTS FOR (n:Probe) ON (n.${property}, n.b)` },
    {
      name: '149_constraint',
      text: `// Said first.\nCREATE CONSTRAINT ${constraint} IF NOT EXISTS FOR (n:Probe) REQUIRE n.${property} IS UNIQUE`,
    },
  ];
  await apply(stepsWith('a'));
  assert.equal((await indexNamed(index))?.['properties'], ['a', 'b']);
  const lines = await apply(stepsWith('c'));
  assert.equal((await indexNamed(index))?.['properties'], ['c', 'b']);
  assert.equal((await indexNamed(constraint))?.['properties'], ['c']);
  assert.is((await indexNamed(constraint))?.['owningConstraint'], constraint);
  assert.is(lines.filter((line) => line.startsWith('replacing')).length, 2, lines.join('\n'));
  assert.equal(await apply(stepsWith('c')), []);
  await apply();
  assert.is(await indexNamed(index), undefined);
  assert.is(await indexNamed(constraint), undefined);
  assert.equal(
    (await steps()).filter(({ name }) => name === '148_index' || name === '149_constraint'),
    [],
  );
});

schema('an index that differs from the record of the store is detected, and a foreign one stays', async () => {
  const theirs = uniqueName('theirs');
  await service.graph.query(`CREATE INDEX ${theirs} FOR (n:Probe) ON (n.theirs)`);
  await service.graph.query('DROP INDEX Entity_scope3');
  await service.graph.query('CREATE INDEX Entity_scope3 FOR (n:Entity) ON (n.sortKey)');
  await service.graph.query('DROP INDEX Entity_scope4');
  await apply();
  assert.equal((await indexNamed('Entity_scope3'))?.['properties'], ['entityType', 'scope3', 'deleted', 'sortKey']);
  assert.equal((await indexNamed('Entity_scope4'))?.['properties'], ['entityType', 'scope4', 'deleted', 'sortKey']);
  assert.is((await indexNamed(theirs))?.['state'], 'ONLINE');
  await service.graph.query(`DROP INDEX ${theirs}`);
});

schema('an unrecorded index of an older release is removed by its name', async () => {
  const name = uniqueName('Former_list');
  await service.graph.query(`CREATE INDEX ${name} FOR (n:Former) ON (n.sortKey)`);
  await service.graph.query('CREATE (:SchemaStep {name: $name, hash: "x", version: 1})', { name });
  await apply();
  assert.is(await indexNamed(name), undefined);
});

schema('a step whose result cannot be compared later is refused', () => {
  assert.throws(
    () => parseSchemaDefinition({ name: 'x', text: 'CREATE VECTOR INDEX v IF NOT EXISTS FOR (n:A) ON (n.b)' }),
    /cannot/,
  );
  assert.is(parseSchemaDefinition({ name: 'x', text: 'MATCH (n) SET n.x = 1' }), undefined);
  assert.is(parseSchemaDefinition({ name: 'x', text: 'DROP INDEX x IF EXISTS' }), undefined);
});

schema('a killed migration continues at the next start and changes everything once', async () => {
  const label = uniqueName('Probe');
  const name = `147_${label}`;
  const text = `MATCH (n:${label}) WHERE n.changed IS NULL
    WITH n LIMIT 20
    SET n.changed = true, n.times = coalesce(n.times, 0) + 1
    RETURN count(*) AS changed`;
  await service.graph.query(`UNWIND range(1, 40000) AS at CREATE (:${label})`);
  const program = runProgram('hold-upgrade.ts', name, text);
  await program.line(name);
  await program.kill();
  const counts = async () =>
    (
      await service.graph.query(
        `MATCH (n:${label}) RETURN count(n.changed) AS changed, count(n) AS total, coalesce(max(n.times), 0) AS most`,
      )
    )[0];
  const halfway = await counts();
  assert.ok(Number(halfway?.['changed']) > 0 && Number(halfway?.['changed']) < 40_000, JSON.stringify(halfway));
  assert.equal(
    (await steps()).filter((step) => step['name'] === name),
    [],
  );
  const faster = text.replace('LIMIT 20', 'LIMIT 5000');
  const lines = await apply([{ name, text: faster }]);
  assert.ok(lines.includes(`step ${name}`), lines.join('\n'));
  assert.equal(await counts(), { changed: 40_000, total: 40_000, most: 1 });
  assert.is((await steps()).filter((step) => step['name'] === name).length, 1);
  await service.graph.query(`MATCH (n:${label}) CALL (n) { DELETE n } IN TRANSACTIONS OF 5000 ROWS`);
  await apply();
});

schema('a store with an incomplete restore is refused', async () => {
  await service.graph.query("CREATE (:Restore {name: 'restore'})");
  const message = await refusedBy(() => applySchema(service.graph, service.registry.kinds));
  await service.graph.query('MATCH (n:Restore) DELETE n');
  assert.match(message, /incomplete/);
});

schema('processes agree if their key rings share a version, and the last ring counts', async () => {
  const name = uniqueName('ring');
  const agree = (...fingerprints: string[]) => claimFingerprint(service.graph, name, fingerprints, 'SECRETS_KEY');
  await agree('a');
  await agree('b', 'a');
  await agree('a');
  await agree('b', 'a');
  await agree('c', 'b');
  for (const strangers of [['a'], ['x', 'y'], ['d']]) {
    assert.match(await refusedBy(() => agree(...strangers)), /SECRETS_KEY/);
  }
  await agree('b');
});

schema('a store from before key versions has one fingerprint', async () => {
  const name = uniqueName('old');
  await service.graph.query('CREATE (:Fingerprint {name: $name, value: "a"})', { name });
  assert.match(await refusedBy(() => claimFingerprint(service.graph, name, ['b'], 'SECRETS_KEY')), /SECRETS_KEY/);
  await claimFingerprint(service.graph, name, ['b', 'a'], 'SECRETS_KEY');
});

schema.run();
