import * as assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { COMMANDS } from '../src/cli/commands.ts';
import { packageRoot } from '../src/graph/package-root.ts';
import { anchorsOf, proseOf, readPages } from './support/documentation.ts';
import { suite } from './support/suite.ts';

/** Shows that the repository follows its own rules of naming, size and structure. */

const MOST_LINES = 400;
const MOST_README_LINES = 150;

/** What belongs to the project: everything git knows or would take, ignored files left out. */
const listed = (): readonly string[] => {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
  return execFileSync('git', args, { cwd: packageRoot, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && existsSync(`${packageRoot}/${path}`));
};

const files = listed();
const read = (path: string): string => readFileSync(`${packageRoot}/${path}`, 'utf8');
const below = (folder: string, ending: string): string[] =>
  files.filter((path) => path.startsWith(`${folder}/`) && path.endsWith(ending));

/** Written by a generator, so that only the API decides on their names and lengths. */
const GENERATED = ['src/explorer/api/schema.ts'];

const sources = [...below('src', '.ts'), ...below('src', '.tsx')].filter((path) => !GENERATED.includes(path));
const written = files.filter((path) =>
  /\.(tsx?|js|json|cypher|md|ya?ml|xml|css|html)$|Dockerfile|\.ci\/run/.test(path),
);
const pages = readPages();
const manifest = JSON.parse(read('package.json')) as Record<'dependencies' | 'devDependencies', Record<string, string>>;

/** The files in which a pattern occurs; the guard itself spells the patterns and is left out. */
const holding = (paths: readonly string[], pattern: RegExp): string[] =>
  paths.filter((path) => path !== 'tests/tidy.test.ts' && pattern.test(read(path)));

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '');

/** The rows of the table below a heading of a page, as cells without their back-quotes. */
const tableBelow = (page: string, heading: string): string[][] => {
  const sections = read(page).split(/^## /m);
  const section = sections.find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim().replaceAll('`', '')));
};

const firstCells = (page: string, heading: string): string[] =>
  tableBelow(page, heading)
    .map(([first = '']) => first)
    .sort();

const test = suite('tidy: repository rules');

test('every suite is run', () => {
  for (const path of below('tests', '.test.ts')) {
    const text = read(path);
    const made = text.match(/^const \w+ = suite\(/gm)?.length ?? 0;
    assert.ok(made > 0, `${path} declares a suite`);
    assert.equal(text.match(/^\w+\.run\(\);$/gm)?.length, made, `${path} runs every suite it declares`);
  }
});

/** What takes a test long to start: databases, services, other search engines, and programs that others publish. */
const HEAVY_STARTS =
  /\b(startEmbeddedServer|startService|startCompanyService|launchService|openTypesense|providePython|provideNodePackages|provideGoTool|runProgram)\(/;

/** The files of `npm test` that start something of that all the same, by the reason. */
const HEAVY_IN_GATE: Readonly<Record<string, readonly string[]>> = {
  'the one service process of the gate': ['serve/one-process'],
  'the one killed job of the gate': ['jobs/killed-job'],
  'another process changes the schema or holds the home, which is what they are about': [
    'graph/apply-schema',
    'platform/home-lock',
  ],
};

/** A test file and the files of `tests` that it imports, whether at first or second hand. */
const withImports = (path: string): ReadonlySet<string> => {
  const seen = new Set([path]);
  for (const one of seen) {
    for (const [, name = ''] of read(one).matchAll(/^import (?!type )[^;]*?from '(\.[^']+)';$/gm)) {
      const imported = posix.join(posix.dirname(one), name);
      if (imported.startsWith('tests/') && imported.endsWith('.ts')) seen.add(imported);
    }
  }
  return seen;
};

test('only heavy tests start databases, services and programs, apart from a few', () => {
  const gate = below('tests', '.test.ts').filter((path) => !path.endsWith('.heavy.test.ts'));
  const starting = gate.filter((path) => holding([...withImports(path)], HEAVY_STARTS).length > 0);
  const known = Object.values(HEAVY_IN_GATE).flatMap((names) => names.map((name) => `tests/${name}.test.ts`));
  assert.deepEqual(starting.sort(), known.sort());
});

/** Clocks and pauses, by which a busy machine decides on a verdict. */
const CLOCKS =
  /^import \{[^}]*\bset(Timeout|Interval)\b[^}]*\} from 'node:timers\/promises'|\bset(Timeout|Interval)\(|\bperformance\.now\(|\b(cpuUsage|hrtime)\b/m;

/** The files of `npm test` that have one all the same, by the reason. None of them fails where it takes longer. */
const CLOCKS_IN_GATE: Readonly<Record<string, readonly string[]>> = {
  'a reader or a source that is slow is what they are about': ['http/event-stream', 'http/log'],
  'what comes to a halt, or is not asked by itself, is seen in no other way': ['access/second-process', 'http/server'],
  'processes come at moments of their own': ['platform/home-lock'],
  'an answer is kept when it was the same for so long, or longer': ['serve/warm-up'],
  'the rounds of one timer are counted by another': ['graph/sweep'],
};

test('only a few tests of the gate read a clock or pause', () => {
  const gate = below('tests', '.test.ts').filter((path) => !path.endsWith('.heavy.test.ts'));
  const known = Object.values(CLOCKS_IN_GATE).flatMap((names) => names.map((name) => `tests/${name}.test.ts`));
  assert.deepEqual(holding(gate, CLOCKS).sort(), known.sort());
});

test('a statement that only locks a record sets a constant property', () => {
  // Neo4j reads the value before it takes the lock, so that anything else would undo what others have just written.
  const lasting = new Set(['entityType', 'id', 'key']);
  const changing = below('cypher', '.cypher').filter((path) =>
    [...read(path).matchAll(/\b(\w+)\.(\w+) = \1\.\2\b(?! [+-])/g)].some(([, , name = '']) => !lasting.has(name)),
  );
  assert.deepEqual(changing, []);
});

test('sources have no any, no default export and no to-do comments', () => {
  const typed = sources.filter((path) => /(:|\bas|<|,)\s*any\b(?!\s*:)/.test(withoutComments(read(path))));
  assert.deepEqual(typed, []);
  // Vite reads nothing else from its configuration.
  assert.deepEqual(holding(sources, /^export default\b/m), ['src/explorer/vite.config.ts']);
  assert.deepEqual(holding(written, /(?<!')\b(TODO|FIXME|XXX)\b/), []);
});

test('the explorer imports nothing of the service', () => {
  const explorer = sources.filter((path) => path.startsWith('src/explorer/'));
  assert.ok(explorer.length > 30);
  const outside = explorer.filter((path) =>
    [...read(path).matchAll(/(?:from|import|import\() ?'(\.[^']*)'/g)].some(
      ([, name = '']) => !posix.join(posix.dirname(path), name).startsWith('src/explorer/'),
    ),
  );
  assert.deepEqual(outside, []);
});

test('no name is exported by two files of one program', () => {
  // One word has one meaning: a name that a reader finds in two places would need a second look each time. The explorer is
  // a program of its own, which meets the service in the API alone, and has the same words for the same things.
  const places = new Map<string, string[]>();
  for (const path of sources) {
    for (const [, name = ''] of read(path).matchAll(
      /^export (?:async )?(?:const|function|class|type|interface) (\w+)/gm,
    )) {
      const program = path.startsWith('src/explorer/') ? 'explorer' : 'service';
      places.set(`${name} of the ${program}`, [...(places.get(`${name} of the ${program}`) ?? []), path]);
    }
  }
  assert.ok(places.size > 1000, `${places.size} exported names were found`);
  const shared = [...places].filter(([, paths]) => new Set(paths).size > 1);
  assert.deepEqual(shared, []);
});

test(`no source file is longer than ${MOST_LINES} lines`, () => {
  const long = sources.filter((path) => read(path).split('\n').length - 1 > MOST_LINES);
  assert.deepEqual(long, []);
});

test('every statement is declared and starts with a comment on its result', () => {
  const quoted = sources.flatMap((path) => read(path).match(/(['`])[a-z]+(\/[a-z0-9_${}A-Z]+)+\1/g) ?? []);
  const patterns = [...new Set(quoted)].map((text) => text.slice(1, -1).replace(/\$\{\w+\}/g, '[a-z0-9]+'));
  const declared = new RegExp(`^(${patterns.join('|')})$`);
  for (const path of below('cypher', '.cypher')) {
    assert.match(read(path), /^\/\/ \S/, `${path} begins with a comment`);
    const name = path.slice('cypher/'.length, -'.cypher'.length);
    // The steps of the schema are found by their numbers.
    if (!name.startsWith('schema/')) assert.match(name, declared, `${path} is declared somewhere`);
  }
});

/** What a statement does, as the first word of its file. `claim` locks what it reads; `close` keeps it as past. */
const STATEMENT_VERBS = 'claim close count create delete find list read update walk'.split(' ');

test('statements are in the folders of the rooms and start with one of ten verbs', () => {
  const rooms = new Set(sources.map((path) => path.split('/')[1]));
  const named = below('cypher', '.cypher').filter((path) => !path.startsWith('cypher/schema/'));
  const strange = named.filter((path) => !rooms.has(path.split('/')[1]));
  assert.deepEqual(strange, []);
  const verbOf = (path: string) => posix.basename(path, '.cypher').replace(/_.*/, '');
  const others = named.filter((path) => !STATEMENT_VERBS.includes(verbOf(path)));
  assert.deepEqual(others, []);
});

test('no file contains a path of one machine', () => {
  assert.deepEqual(holding(written, /(?<![\w.:])\/(home|root|Users|work|opt|mnt|tmp)\//), []);
});

test('no file names the host of a package registry', () => {
  assert.deepEqual(holding(files, /registry\.[a-z]+js|repo1?\.maven|\.jfrog|artifactory|nexus\.|pypi\.org/i), []);
  assert.ok(!/"resolved"/.test(read('package-lock.json')), 'package-lock.json carries no addresses');
});

test('the lock file contains the packages of every platform, so that npm ci requests none', () => {
  type Locked = { readonly optionalDependencies?: Readonly<Record<string, string>> };
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
  const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies));
  const locked = Object.keys(packages);
  assert.deepEqual(
    wanted.filter((name) => !locked.some((path) => path.endsWith(`node_modules/${name}`))),
    [],
  );
});

test('the documentation gives a reason for each dependency and nothing else', () => {
  const used = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).sort();
  assert.deepEqual(firstCells('docs/supply-chain.md', 'Dependencies'), used);
});

test('the documentation lists every environment variable with its default', () => {
  const config = ['src/config.ts', 'src/tracing-config.ts'].map(read).join('\n');
  const known = [...new Set(config.match(/(?<=')[A-Z][A-Z0-9]+(_[A-Z0-9]+)*(?=')/g))].sort();
  assert.deepEqual(firstCells('docs/operating.md', 'Configuration'), known);
  for (const [name = '', standard = ''] of tableBelow('docs/operating.md', 'Configuration')) {
    const reading = config
      .slice(config.lastIndexOf(`'${name}'`))
      .slice(0, 160)
      .replaceAll('_', '');
    for (const value of standard === '' ? [] : standard.split(',')) {
      assert.ok(reading.includes(value.replaceAll('_', '')), `${name} is ${value} unless set`);
    }
  }
});

test('commands and files named by the documentation exist', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const program = COMMANDS.map(({ name }) => name.split(' ')[0] ?? '').concat('help');
  for (const { path, text } of pages) {
    for (const [, name = ''] of text.matchAll(/npm run (?:--silent )?([a-z0-9:-]+)/g)) {
      assert.ok(scripts[name], `${path}: npm run ${name}`);
    }
    for (const [, name = ''] of text.matchAll(/(?:npx |`)tributary ([a-z]+( [a-z]+)?)/g)) {
      const [command = ''] = name.split(' ');
      assert.ok(program.includes(command), `${path}: tributary ${name}`);
    }
    for (const [file] of text.matchAll(/(?<![\w/])(src|tests|cypher|seeds)\/[\w./-]+\.(ts|json|xml|cypher)\b/g)) {
      assert.ok(files.includes(file), `${path}: ${file} exists`);
    }
  }
});

test(`the README has at most ${MOST_README_LINES} lines and links every page`, () => {
  const readme = read('README.md');
  assert.ok(readme.split('\n').length - 1 <= MOST_README_LINES);
  const unnamed = pages.filter(({ path }) => path !== 'README.md' && !readme.includes(`](${path})`));
  assert.deepEqual(
    unnamed.map(({ path }) => path),
    [],
  );
});

test('every page starts with its title and a sentence', () => {
  for (const { path, text } of pages) assert.match(text, /^# \S.*\n\n[A-Z«`]/, path);
});

test('every relative link of the documentation resolves to a file and a heading', () => {
  const broken = pages.flatMap((page) =>
    [...proseOf(page).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)]
      .map(([, link, picture]) => link ?? picture ?? '')
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [file = '', anchor] = target.split('#');
        const path = file === '' ? page.path : posix.join(posix.dirname(page.path), file);
        const known = pages.find((other) => other.path === path);
        const leads = anchor === undefined || (known !== undefined && anchorsOf(known).has(anchor));
        return !files.includes(path) || !leads;
      })
      .map((target) => `${page.path}: ${target}`),
  );
  assert.deepEqual(broken, []);
});

test.run();
