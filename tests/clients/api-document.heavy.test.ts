import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { ok } from '../support/expect.ts';
import { anonymous, openService } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { ENVIRONMENTS } from './environments.ts';
import { runNodeProgram } from './node.ts';

/** Shows that tools that others publish accept the API document: a linter, and a generator of TypeScript types. */

const test = suite('clients: API document in published tools');

/** What the linter may warn of. Clients expect paths such as `/tables/name/{fqn}` beside `/tables/{id}/versions`. */
const ACCEPTED_WARNINGS = ['no-ambiguous-paths'];

type Problem = { readonly severity: string; readonly ruleId: string; readonly message: string };

type Operation = { readonly operationId: string; readonly responses: Readonly<Record<string, JsonObject>> };

/** A program as an explorer of lineage would be: it names the types of the answers and lets the client infer the rest. */
const EXPLORER = `
import createClient from 'openapi-fetch';
import type { LineageGraph, LineageImpact, LineagePaths, operations, paths } from './api.ts';

const client = createClient<paths, 'application/json'>({ baseUrl: 'http://127.0.0.1:8585', headers: { Authorization: 'Bearer token' } });

/** Only answers to compact=true have entities. */
const plain = <Body extends object | undefined>(body: Body): Exclude<Body, { entities: unknown }> => {
  if (body && 'entities' in body) throw new Error('this answer is compact');
  return body as Exclude<Body, { entities: unknown }>;
};

export const readGraph = async (id: string): Promise<LineageGraph> => {
  const { data, error } = await client.GET('/v1/lineage/graph', { params: { query: { id, upstreamDepth: 2 } } });
  if (data === undefined) throw new Error(error.message);
  return plain(data);
};

export const readImpact = async (id: string): Promise<LineageImpact | undefined> =>
  plain((await client.GET('/v1/lineage/impact', { params: { query: { id, change: 'drop' } } })).data);

export const nameNodes = ({ nodes }: LineageGraph): (string | undefined)[] => nodes.map((node) => node.fullyQualifiedName);

export const nameAffected = ({ root, affected }: LineageImpact): (string | undefined)[] =>
  [root.fullyQualifiedName, ...affected.map(({ entity }) => entity.hidden ? entity.id : entity.fullyQualifiedName)];

export const findPaths = async (from: string, to: string): Promise<LineagePaths | undefined> =>
  plain((await client.GET('/v1/lineage/paths', { params: { query: { from, to } } })).data);

export const nameCompactNodes = async (id: string): Promise<(string | undefined)[]> => {
  const { data } = await client.GET('/v1/lineage/graph', { params: { query: { id, compact: true, fields: 'name' } } });
  return data && 'entities' in data ? data.nodes.map((node) => data.entities[node]?.name) : [];
};

export const addEdge = (from: string, to: string) =>
  client.PUT('/v1/lineage', {
    body: { edge: { fromEntity: { id: from, type: 'table' }, toEntity: { id: to, type: 'table' } } },
  });

// @ts-expect-error The types refuse a parameter that does not exist.
export const misspelt = () => client.GET('/v1/lineage/graph', { params: { query: { upstreamDepht: 2 } } });

type JsonAnswer<Answers, Status extends keyof Answers> =
  Answers[Status] extends { content: { 'application/json': infer Body } } ? Body : never;
/** Fails to compile for \`any\`, \`unknown\` and \`never\`, which say nothing about an answer. */
type Described<Body extends object> = [Body] extends [never] ? never : 0 extends 1 & Body ? never : true;
`;

let folder: string | undefined;
const operations: Operation[] = [];

const provided = await ENVIRONMENTS.apiDocument();

/** A line for each lineage operation that answers JSON, which compiles when the answer has a type. */
const describedAnswers = (): string[] =>
  operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses)
      .filter(([status, { content }]) => status.startsWith('2') && 'application/json' in Object(content))
      .map(
        ([status]) =>
          `export const ${operationId}${status}: Described<JsonAnswer<operations['${operationId}']['responses'], ${status}>> = true;`,
      ),
  );

if ('missing' in provided) {
  test.skipped('lint of the API document, and types made of it', provided.missing);
  test('a skipped run has a reason', () => assert.ok(provided.missing.length > 0));
} else {
  test.before(async () => {
    // The compiler finds the packages above the folder of the program.
    folder = await mkdtemp(join(provided.folder, 'run-'));
    const document = ok(await anonymous(await openService()).get('/openapi.json'));
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
    const newer = ok(await anonymous(await openService()).get('/openapi.json?version=3.2'));
    await writeFile(join(folder, 'openapi-3.2.json'), JSON.stringify(newer));
    const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    for (const [path, item] of Object.entries(paths))
      if (path.startsWith('/v1/lineage')) operations.push(...Object.values(item));
  });

  test.after(async () => {
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const run = (program: string, args: readonly string[]) =>
    runNodeProgram(provided.folder, program, args, folder ?? tmpdir());

  for (const file of ['openapi.json', 'openapi-3.2.json'])
    test(`the linter finds no error in ${file}, and warns only of ambiguous paths`, async () => {
      const { output, errors } = await run('redocly', ['lint', file, '--format=json', '--max-problems=10000']);
      assert.match(output, /"totals"/, errors);
      const { totals, problems } = JSON.parse(output) as { totals: { errors: number }; problems: readonly Problem[] };
      const unexpected = problems.filter(
        ({ severity, ruleId }) => severity === 'error' || !ACCEPTED_WARNINGS.includes(ruleId),
      );
      assert.equal(
        unexpected.map(({ ruleId, message }) => `${ruleId}: ${message}`),
        [],
      );
      assert.is(totals.errors, 0);
    });

  test('generated types compile strictly, and describe the answers of all lineage operations', async () => {
    const generated = await run('openapi-typescript', [
      'openapi.json',
      '--root-types',
      '--root-types-no-schema-prefix',
      '--output',
      'api.ts',
    ]);
    assert.is(generated.code, 0, generated.errors);
    const lines = describedAnswers();
    assert.ok(lines.length >= 30, `${lines.length} answers`);
    await writeFile(join(folder ?? '', 'explorer.ts'), [EXPLORER, ...lines].join('\n'));
    const options = ['--strict', '--noEmit', '--target', 'es2022', '--module', 'nodenext'];
    const compiled = await run('tsc', [
      ...options,
      '--allowImportingTsExtensions',
      '--lib',
      'es2022,dom',
      'explorer.ts',
    ]);
    assert.is(compiled.code, 0, compiled.output.slice(0, 2000));
  });
}

test.run();
