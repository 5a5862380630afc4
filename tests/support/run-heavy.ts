/**
 * Runs the heavy tests whose turn it is on the day of the last commit, one after the other, and tells what came of them.
 * What fails is named and fails nothing: it depends on more than the change. The argument says after how many minutes to end.
 */
import { execFileSync } from 'node:child_process';
import { chooseHeavyTests } from './heavy-turn.ts';
import { listTestFiles } from './test-files.ts';
import { runFiles } from './test-run.ts';

const [minutes = '10'] = process.argv.slice(2);
const FOLDER = 'tests';

const dayOfLastCommit = (): Date =>
  new Date(execFileSync('git', ['log', '-1', '--format=%cI'], { encoding: 'utf8' }).trim());

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => ending.abort());
const timer = setTimeout(() => ending.abort(), Number(minutes) * 60_000);

const files = chooseHeavyTests(await listTestFiles(FOLDER, 'heavy', /./), dayOfLastCommit());
console.log(`heavy tests of this day: ${files.join(' ')}`);
const verdict = await runFiles(files, { folder: FOLDER, secondTries: true, shards: 1, ending: ending.signal });
clearTimeout(timer);
for (const { file, failed, isUnrun } of verdict.failures) {
  const what = failed.map(({ title, error }) => `${title} (${error})`).join('; ');
  console.log(isUnrun ? `HEAVY NOT RUN ${file}: ${minutes} minutes were over` : `HEAVY FAILED ${file}: ${what}`);
}
for (const { file } of verdict.unsteady) console.log(`HEAVY UNSTEADY ${file}`);
console.log(
  `heavy tests: ${verdict.passed} cases passed in ${files.length - verdict.failures.length} of ${files.length} files`,
);
