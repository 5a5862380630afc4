/** A program that applies the schema and the data migration in its arguments to the database of this test run. */
import { loadKinds } from '../../src/catalog/registry.ts';
import { applySchema } from '../../src/graph/apply-schema.ts';
import { openGraph } from '../../src/graph/client.ts';
import { documentIndexSteps } from '../../src/search-documents/index/fulltext-index.ts';
import { placeOfRun } from './service.ts';

const [name = '', text = ''] = process.argv.slice(2);
const { kinds } = await loadKinds();
const graph = openGraph({ ...placeOfRun(), database: 'neo4j', transactionMs: 30_000 });
const report = (line: string) => console.log(line);
await applySchema(graph, kinds, [...documentIndexSteps(kinds), { name, text }], { report });
console.log('done');
await graph.close();
process.exit();
