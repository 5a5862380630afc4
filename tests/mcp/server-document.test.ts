import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { SERVICE_FLAGS } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { packageRoot } from '../../src/graph/package-root.ts';
import { suite } from '../support/suite.ts';

/** Shows that the document for registries of MCP servers says what the package is, in the members that these know. */

const test = suite('mcp: document for registries');

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
const read = (path: string): any => JSON.parse(readFileSync(join(packageRoot, path), 'utf8'));

const manifest = read('package.json');
const document = read('server.json');

/** What registries know of a document, its packages and their variables; a member of another name would say nothing. */
const KNOWN = {
  document: ['name', 'title', 'description', 'version', 'packages'],
  package: [
    'registryType',
    'identifier',
    'version',
    'runtimeHint',
    'transport',
    'packageArguments',
    'environmentVariables',
  ],
  variable: ['name', 'description', 'placeholder', 'format', 'isSecret'],
};

const expectMembers = (value: object, known: readonly string[], required: readonly string[]): void => {
  assert.equal(
    Object.keys(value).filter((name) => !known.includes(name)),
    [],
  );
  assert.equal(
    required.filter((name) => !(name in value)),
    [],
  );
};

test('it has the members that registries require, and no other than they know', () => {
  expectMembers(document, KNOWN.document, ['name', 'description', 'version']);
  assert.match(document.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  assert.ok(document.description.length <= 100, `the description has ${document.description.length} characters`);
  assert.match(document.version, /^\d+\.\d+\.\d+/);
  assert.is(document.packages.length, 1);
  for (const one of document.packages) {
    expectMembers(one, KNOWN.package, ['registryType', 'identifier', 'transport']);
    for (const variable of one.environmentVariables) expectMembers(variable, KNOWN.variable, ['name', 'description']);
  }
});

test('it names the package and its version as the package does', () => {
  assert.equal([document.name, document.version], [manifest.mcpName, manifest.version]);
  const [{ registryType, identifier, version, transport }] = document.packages;
  assert.equal(
    [registryType, identifier, version, transport],
    ['npm', manifest.name, manifest.version, { type: 'stdio' }],
  );
});

test('what it has clients start is a command of the package, with variables that the command reads', () => {
  const [{ packageArguments, environmentVariables }] = document.packages;
  assert.is(Object.keys(manifest.bin)[0], manifest.name, 'npx starts the program by the name of the package');
  const [argument] = packageArguments;
  const command = COMMANDS.find(({ name }) => name === argument.value);
  assert.is(command?.name, 'mcp');
  assert.equal(
    environmentVariables.map(({ name }: { name: string }) => name),
    SERVICE_FLAGS.map(({ variable }) => variable),
  );
  const token = environmentVariables.find(({ name }: { name: string }) => name === 'TRIBUTARY_TOKEN');
  assert.is(token.isSecret, true);
});

test.run();
