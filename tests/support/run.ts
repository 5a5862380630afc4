/**
 * The test command. It runs the test files in processes that share two Neo4j servers (or the server named by NEO4J_URI), and
 * ends with the line `N passed, N failed`. Arguments narrow the run to matching file names.
 *   --all        also the heavy tests, which start databases and programs of their own, and every kind in every sweep
 *   --heavy      only the heavy tests
 *   --no-retry   no second try for what fails
 *   --bin N      only the N-th bin of the plan that the run prints, in its order on a server of its own
 *   --weigh      writes down how long each file took, from which later runs plan
 */
import { parseArgs } from 'node:util';
import { listTestFiles, type Tier } from './test-files.ts';
import { runFiles } from './test-run.ts';
import { closingLines, isGreen, judge, missingResult } from './verdict.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    heavy: { type: 'boolean', default: false },
    'no-retry': { type: 'boolean', default: false },
    bin: { type: 'string' },
    weigh: { type: 'boolean', default: false },
  },
});

/** Tests of the runner have files of their own. */
const folder = process.env['TEST_FOLDER'] ?? 'tests';

/** A file that is named is run, whatever its tier. */
const tierOf = (): Tier => {
  if (values.heavy) return 'heavy';
  return values.all || positionals.length > 0 ? 'all' : 'gate';
};

if (values.all) process.env['EVERY_KIND'] = 'true';

const main = async (): Promise<number> => {
  const files = await listTestFiles(folder, tierOf(), new RegExp(positionals.join('|'), 'i'));
  // Whoever ends the run ends the tests; the servers are then stopped as ever.
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => ending.abort());
  const verdict =
    files.length > 0
      ? await runFiles(files, {
          folder,
          secondTries: !values['no-retry'],
          ...(values.bin === undefined ? {} : { bin: Number(values.bin) }),
          isWeighed: values.weigh,
          ending: ending.signal,
        })
      : judge([missingResult(positionals.join(' '), 'no file has such a name')], []);
  for (const line of closingLines(verdict)) console.log(line);
  return isGreen(verdict) ? 0 : 1;
};

process.exitCode = await main();
