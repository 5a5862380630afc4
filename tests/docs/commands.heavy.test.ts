import * as assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Block, blocksOf, readPages } from '../support/documentation.ts';
import { includes, installProgram, readerEnvironment, runBlock } from '../support/documentation-commands.ts';
import { startCompanyService } from '../support/prepared-home.ts';
import { type ServiceProcess, stopServiceProcess } from '../support/service-process.ts';
import { suite } from '../support/suite.ts';

/**
 * Shows that every shell block of the README and of docs/ works, on a service with the sample company. A JSON block
 * after a shell block is a part of its answer.
 */

const test = suite('docs: commands of the documentation');

/** Blocks that this test does not run, by page and beginning, with the reason. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'README.md: npm ci && npm start': 'installs packages and starts a service on a fixed port; the test starts its own',
  'README.md: npm run seed': 'builds the repository; the test has loaded the sample company by the same command',
  'docs/quick-start.md: npm ci && npm start': 'the same block as in the README',
  'docs/quick-start.md: npm run seed': 'the same block as in the README',
  'docs/quick-start.md: NEO4J_PASSWORD=choose-one': 'needs Docker',
  'docs/operating.md: TRIBUTARY_HOME=restored npx tributary restore nightly.backup':
    'ends with a service that runs until it is stopped; tests/backup runs the restore',
  'docs/operating.md: npx tributary backup move.backup': 'needs a second Neo4j server and stops the service',
  'docs/performance.md: npm run bench -- --tables 10000': 'takes many minutes',
  'docs/supply-chain.md: npm run pin:jars': 'changes files of the repository; tests/graph/pins.test.ts checks the pins',
  'docs/supply-chain.md: docker buildx imagetools inspect': 'needs Docker and the network',
  'docs/developing.md: npm run types:explorer':
    'changes files of the repository; tests/explorer/api-types.test.ts makes the same and compares',
  'docs/supply-chain.md: npm run --silent sbom > sbom.json': 'tests/sbom.heavy.test.ts runs it in the repository',
};

/** Pages whose commands need other programs, which `bring-your-data` has, or other catalogs, which `move` plays. */
const ELSEWHERE: readonly string[] = [
  'docs/bring-your-data.md',
  'docs/move/from-marquez.md',
  'docs/move/from-openmetadata.md',
];

/** Blocks that end with another exit code than 0, by page and beginning. */
const EXIT_CODES: Readonly<Record<string, number>> = {
  'docs/cli.md: npx tributary contract check shop_postgres.shop.sales.orders': 1,
  'docs/contracts.md: npx tributary contract check shop_postgres.shop.sales.orders': 1,
  'docs/quick-start.md: npx tributary contract check warehouse_snowflake.ANALYTICS.MARTS.REVENUE_DAILY': 1,
  "docs/contracts.md: echo 'ALTER TABLE sales.orders DROP COLUMN total;' > change.sql": 1,
};

const LANGUAGES = ['json', 'mermaid', 'sh', 'text'];

/** What a list says of the block with this name. */
const lookUp = <Value>(list: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.entries(list).find(([beginning]) => name.startsWith(beginning))?.[1];

const nameOf = ({ page, code }: Block): string => `${page}: ${code.split('\n')[0]}`;

const blocks = readPages().flatMap(blocksOf);
const commands = blocks.flatMap((block, at) => {
  const next = blocks[at + 1];
  const answer = next?.page === block.page && next.language === 'json' ? next.code : undefined;
  return block.language === 'sh' && !ELSEWHERE.includes(block.page)
    ? [{ name: nameOf(block), code: block.code, answer }]
    : [];
});

let folder = '';
let service: ServiceProcess | undefined;

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-docs-'));
  const home = join(folder, '.tributary');
  await installProgram(folder);
  service = await startCompanyService(home);
  const redirect = `connect-to = "127.0.0.1:8585:${new URL(service.address).host}"`;
  await writeFile(join(folder, '.curlrc'), `${redirect}\nfail-with-body\nmax-time = 120\n`);
});

test.after(async () => {
  if (service) await stopServiceProcess(service, 'SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

test('every block names its language', () => {
  const others = blocks.filter(({ language }) => !LANGUAGES.includes(language));
  assert.deepEqual(others.map(nameOf), []);
});

test('every exception is a block of a page', () => {
  const unused = [...Object.keys(NOT_RUN), ...Object.keys(EXIT_CODES)].filter(
    (beginning) => !commands.some(({ name }) => name.startsWith(beginning)),
  );
  assert.deepEqual(unused, []);
});

for (const { name, code, answer } of commands.filter((command) => lookUp(NOT_RUN, command.name) === undefined)) {
  test(name, async () => {
    const {
      code: exitCode,
      output,
      errors,
    } = await runBlock(code, { folder, env: { ...readerEnvironment(), CURL_HOME: folder } });
    assert.equal(exitCode, lookUp(EXIT_CODES, name) ?? 0, `${output}\n${errors}`);
    if (answer !== undefined) {
      assert.ok(includes(JSON.parse(output), JSON.parse(answer)), `the page shows ${answer}, the answer is ${output}`);
    }
  });
}

test.run();
