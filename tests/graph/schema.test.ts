import * as assert from 'uvu/assert';
import { StartupError } from '../../src/errors.ts';
import { agreeOn, applySchema } from '../../src/graph/schema.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const schema = suite('schema of the store');

let service: Service;

schema.before(async () => {
  service = await openService();
});

const refusedBy = async (work: () => Promise<void>): Promise<string> => {
  try {
    await work();
  } catch (failure) {
    assert.instance(failure, StartupError);
    return (failure as Error).message;
  }
  return assert.unreachable('nothing was refused') as never;
};

const steps = () => service.graph.query('MATCH (n:SchemaStep) RETURN n.name AS name, n.hash AS hash ORDER BY name');

schema('twice, and by two processes at once, changes nothing', async () => {
  const before = await steps();
  assert.ok(before.length > 20);
  const { kinds } = service.registry;
  await Promise.all([applySchema(service.graph, kinds), applySchema(service.graph, kinds)]);
  assert.equal(await steps(), before);
});

schema('a step whose content changed is applied again, by two processes at once', async () => {
  await service.graph.query('MATCH (n:SchemaStep {name: "Table_list"}) SET n.hash = "older"');
  const { kinds } = service.registry;
  await Promise.all([applySchema(service.graph, kinds), applySchema(service.graph, kinds)]);
  const [step] = (await steps()).filter((row) => row['name'] === 'Table_list');
  assert.is.not(step?.['hash'], 'older');
});

schema('states that an older program kept join the history of their kind', async () => {
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

schema('every kind has a unique name, an order for its lists and one for every ancestor', async () => {
  const rows = await service.graph.query('SHOW INDEXES YIELD name, labelsOrTypes, properties RETURN *');
  const has = (label: string, properties: readonly string[]) =>
    rows.some(
      (row) =>
        (row['labelsOrTypes'] as string[] | null)?.[0] === label &&
        JSON.stringify(row['properties']) === JSON.stringify(properties),
    );
  for (const kind of service.registry.kinds) {
    assert.ok(has(kind.label, ['fullyQualifiedName']), kind.label);
    assert.ok(has(kind.label, ['deleted', 'sortKey']), kind.label);
    for (let depth = 1; depth <= kind.scopeDepth; depth += 1) {
      assert.ok(has(kind.label, [`scope${depth}`, 'deleted', 'sortKey']), `${kind.label} ${depth}`);
    }
  }
});

schema('a store that a newer version wrote is refused', async () => {
  const name = uniqueName('future');
  await service.graph.query('CREATE (:SchemaStep {name: $name, hash: "x", version: 99})', { name });
  const message = await refusedBy(() => applySchema(service.graph, service.registry.kinds));
  await service.graph.query('MATCH (n:SchemaStep {name: $name}) DELETE n', { name });
  assert.match(message, /newer version/);
});

schema('a process with another key than the store was set up with is refused, naming the variable', async () => {
  const name = uniqueName('key');
  await agreeOn(service.graph, name, 'fingerprint-1', 'AUTH_KEY_FILE');
  await agreeOn(service.graph, name, 'fingerprint-1', 'AUTH_KEY_FILE');
  const message = await refusedBy(() => agreeOn(service.graph, name, 'fingerprint-2', 'AUTH_KEY_FILE'));
  assert.match(message, /AUTH_KEY_FILE/);
  assert.not.match(message, /fingerprint-\d/);
});

schema.run();
