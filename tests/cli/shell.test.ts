import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { COMMANDS } from '../../src/cli/commands.ts';
import { formatColumns, stripControls } from '../../src/cli/output.ts';
import { packageRoot } from '../../src/graph/package-root.ts';
import { TRIBUTARY } from '../support/program.ts';
import { suite } from '../support/suite.ts';

/** Shows that every command of the shell explains itself, refuses wrong usage and leaves nothing behind. */

const test = suite('cli: shell');

let folder: string;

const home = () => join(folder, 'home');

type Shown = { readonly code: unknown; readonly stdout: string; readonly stderr: string };

const run = (args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<Shown> =>
  new Promise((resolve) => {
    const env = { ...process.env, TRIBUTARY_HOME: home(), ...variables };
    execFile(process.execPath, [TRIBUTARY, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-shell-'));
});

test.after(() => rm(folder, { recursive: true, force: true }));

test('help and version go to stdout', async () => {
  for (const line of [['--help'], ['help']]) {
    const { code, stdout, stderr } = await run(line);
    assert.equal([code, stderr], [0, '']);
    for (const { name, summary } of COMMANDS) assert.ok(stdout.includes(name) && stdout.includes(summary), name);
  }
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
  assert.equal(await run(['--version']), { code: 0, stdout: `tributary ${version}\n`, stderr: '' });
});

for (const { name, summary, flags = [], examples } of COMMANDS) {
  test(`${name} explains itself, tells the version and refuses unknown flags`, async () => {
    const words = name.split(' ');
    const help = await run([...words, '--help']);
    assert.equal([help.code, help.stderr], [0, '']);
    for (const text of [summary, ...flags.map((flag) => `--${flag.name}`), ...examples]) {
      assert.ok(help.stdout.includes(text), text);
    }
    const controls = [...help.stdout.replaceAll('\n', '')].filter((letter) => letter < ' ');
    assert.equal(controls, [], 'no colours in a pipe');
    assert.match((await run([...words, '--version'])).stdout, /^tributary \d/);
    const refused = await run([...words, '--nonsense']);
    assert.equal([refused.code, refused.stdout], [2, '']);
    assert.match(refused.stderr, /There is no flag --nonsense/);
  });
}

test('the help of a command names the commands that begin with its word', async () => {
  assert.match((await run(['lineage', '--help'])).stdout, /tributary lineage FQN[\s\S]*tributary lineage sql/);
  assert.match((await run(['token', '--help'])).stdout, /tributary token issue[\s\S]*tributary token revoke/);
});

test('a misspelt command, flag or value is refused with what is allowed', async () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['reindx'], /There is no command reindx\. Did you mean reindex\?/],
    [['seed', '--sever', 'x'], /There is no flag --sever\. Did you mean --server\?/],
    [['token', 'isue'], /tributary token needs one of issue, revoke\. Did you mean token issue\?/],
    [['contract', 'check', 'a.sql', '--entity', 'a', '--format', 'pdf'], /expected one of text, json, markdown/],
    [['seed', 'more'], /tributary seed takes no arguments/],
    [['backup'], /tributary backup takes FILE/],
    [['token', 'issue'], /tributary token issue needs --user NAME/],
    [['import', 'dbt', 'target'], /tributary import dbt needs --service NAME/],
    [['diff', 'a.b'], /tributary diff needs --from TIME/],
    [['status', '--server', 'catalog.example'], /needs --token/],
    [['status', '--token', 't', '--server', 'catalog.example'], /expected an address that starts with http/],
  ];
  for (const [line, message] of cases) {
    const { code, stdout, stderr } = await run(line);
    assert.equal([code, stdout], [2, ''], line.join(' '));
    assert.match(stderr, message);
    assert.match(stderr, /«tributary .*--help»/, 'it points to the help');
  }
});

test('a group of commands shows what each needs, on stdout when asked', async () => {
  const bare = await run(['token']);
  assert.equal([bare.code, bare.stdout], [2, '']);
  for (const line of [
    ['token', '--help'],
    ['help', 'token'],
  ]) {
    const { code, stdout, stderr } = await run(line);
    assert.equal([code, stderr], [0, '']);
    for (const text of [stdout, bare.stderr]) {
      assert.match(text, /^ {2}tributary token issue --user NAME \[flags\] +Print a token/m);
      assert.match(text, /^ {2}tributary token revoke --user NAME \[flags\]/m);
    }
  }
});

test('the service and its token come from variables, and the local token is sent to no other service', async () => {
  const server = { TRIBUTARY_SERVER: 'http://127.0.0.1:1' };
  const alone = await run(['seed'], server);
  assert.equal([alone.code, /needs --token/.test(alone.stderr)], [2, true]);
  const both = await run(['seed'], { ...server, TRIBUTARY_TOKEN: 'secret-token' });
  assert.is(both.code, 1);
  assert.match(both.stderr, /No service answers at http:\/\/127\.0\.0\.1:1/);
  assert.not.match(both.stderr, /secret-token/);
});

test('no command makes a home, and no token is printed without one', async () => {
  for (const line of [
    ['token', 'issue', '--user', 'ann'],
    ['token', 'revoke', '--user', 'ann'],
    ['keys', 'rotate'],
  ]) {
    const { code, stdout, stderr } = await run(line);
    assert.equal([code, stdout], [1, ''], line.join(' '));
    assert.match(stderr, /There is no folder/);
  }
  for (const line of [['seed'], ['reindex'], ['audit', 'verify']]) assert.is((await run(line)).code, 1);
  assert.is(existsSync(home()), false);
});

test('control characters are removed, and tables fit the width', () => {
  assert.is(stripControls('a\u001b[31mred\u001b]0;title\u0007\u202eb\u0001c\nd'), 'aredbc d');
  const lines = formatColumns(
    [
      ['Name', 'Text'],
      ['orders', 'x'.repeat(100)],
    ],
    40,
  );
  assert.ok(lines.every((line) => line.length <= 40));
  assert.match(lines[1] ?? '', /^orders {2}x+…$/);
});

test('the page of commands names every command with its summary', () => {
  const page = readFileSync(join(packageRoot, 'docs', 'cli.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `tributary ([^`]+)` \| ([^|]+) \|$/gm)].map(([, line, text]) => [line, text]);
  const wanted = COMMANDS.map(({ name, operands = [], summary }) => [[name, ...operands].join(' '), summary]);
  assert.equal(
    rows,
    wanted.map(([line, text]) => [line?.replaceAll('|', '/'), text]),
  );
});

test.run();
