import * as assert from 'uvu/assert';
import { openGraph } from '../../src/graph/client.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that routed reads see the latest write. */

const test = suite('graph: routing');

const uri = process.env['TEST_NEO4J_URI'] ?? '';

const open = (address: string) =>
  openGraph({
    uri: address,
    user: process.env['TEST_NEO4J_USER'] ?? '',
    password: process.env['TEST_NEO4J_PASSWORD'] ?? '',
    database: 'neo4j',
    transactionMs: 30_000,
  });

test('reads through a routing table see previous writes', async () => {
  const graph = open(uri.replace(/^bolt/, 'neo4j'));
  try {
    assert.is(await graph.isReachable(), true);
    const name = uniqueName('routed');
    await graph.query('CREATE (:Routed {name: $name})', { name });
    const found = await graph.query('MATCH (n:Routed {name: $name}) RETURN n.name AS name', { name });
    assert.equal(found, [{ name }]);
    await graph.query('MATCH (n:Routed {name: $name}) DELETE n', { name });
  } finally {
    await graph.close();
  }
});

test('an unreachable server is reported', async () => {
  const graph = open('neo4j://127.0.0.1:9');
  try {
    assert.is(await graph.isReachable(), false);
  } finally {
    await graph.close();
  }
});

test.run();
