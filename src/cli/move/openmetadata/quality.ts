import type { JsonObject } from '../../../model/json.ts';
import { attempt } from '../../attempt.ts';
import { type CatalogAnswer, objectOf, textOf } from '../../catalog-client.ts';
import { TEST_STEPS } from './collections.ts';
import { fitRequest } from './fit-request.ts';
import { type ImportRoom, showProgress } from './import-room.ts';
import { readCollection } from './read-collection.ts';
import { addTo } from './tally.ts';

/** Brings the newest results of tests, and the suites that people put together. */

const CASES = 'dataQuality/testCases';
const SUITES = 'dataQuality/testSuites';

const resultOf = (room: ImportRoom, testCase: CatalogAnswer): JsonObject | undefined => {
  const result = objectOf(testCase['testCaseResult']);
  if (result['timestamp'] === undefined) return undefined;
  const schema = { $ref: '#/components/schemas/CreateTestCaseResult' };
  const { fqn: _, ...body } = fitRequest(room.fit, result, schema, 'testCaseResult');
  return { ...body, testCaseFQN: textOf(testCase['fullyQualifiedName']) };
};

const writeResults = async (room: ImportRoom): Promise<void> => {
  const { move, known, target, tally } = room;
  const fields = TEST_STEPS.find(({ type }) => type === 'testCase')?.fields ?? [];
  for await (const page of readCollection(move.source, known, CASES, { pageSize: move.pageSize, fields })) {
    const kept = page.records.filter(({ deleted }) => deleted !== true);
    const rows = kept.map((one) => resultOf(room, one)).filter((row) => row !== undefined);
    const { passed, refused } = await target.sendRows('test result', `${CASES}/testCaseResults/bulk`, rows);
    addTo(tally.written, 'test result', passed);
    tally.refusals.push(...refused.map(({ name, message }) => ({ name, message })));
  }
};

/** A suite of the tests of one table comes to be with them; others were put together by people. */
const isLogical = ({ basic, executable }: CatalogAnswer): boolean => basic !== true && executable !== true;

/** Adds the tests of a suite. Tests that are in it already change nothing. */
const fillSuite = async (room: ImportRoom, suite: CatalogAnswer): Promise<void> => {
  const { move, known, target, tally } = room;
  const name = textOf(suite['fullyQualifiedName']) || textOf(suite['name']);
  const own = await target.find(`${SUITES}/name/${encodeURIComponent(name)}`);
  if (own === undefined) return;
  const query = { testSuiteId: textOf(suite['id']) };
  for await (const { records } of readCollection(move.source, known, CASES, { pageSize: move.pageSize, query })) {
    const testCaseIds: string[] = [];
    for (const { fullyQualifiedName, deleted } of records) {
      if (deleted === true) continue;
      const found = await target.find(`${CASES}/name/${encodeURIComponent(textOf(fullyQualifiedName))}`);
      if (found) testCaseIds.push(textOf(found['id']));
    }
    if (testCaseIds.length === 0 || move.isDryRun) continue;
    const body = { testSuiteId: textOf(own['id']), testCaseIds };
    await attempt(tally, `testSuite ${name}`, () => target.send('PUT', `${CASES}/logicalTestCases`, body));
  }
};

const writeSuites = async (room: ImportRoom): Promise<void> => {
  const { move, known, target, tally, fit } = room;
  const fields = ['owners', 'tags', 'domains', 'reviewers'];
  let done = 0;
  for await (const page of readCollection(move.source, known, SUITES, { pageSize: move.pageSize, fields })) {
    for (const suite of page.records) {
      done += 1;
      showProgress(room, 'testSuite', done, page.total);
      if (suite['deleted'] === true || !isLogical(suite)) continue;
      const { tests: _, summary: __, testCaseResultSummary: ___, ...given } = suite;
      const row = fitRequest(fit, given, target.createSchema(SUITES), 'testSuite');
      const { passed, refused } = await target.sendRows('testSuite', `${SUITES}/bulk`, [row]);
      addTo(tally.written, 'testSuite', passed);
      tally.refusals.push(...refused.map(({ name, message }) => ({ name, message })));
      if (refused.length === 0) await fillSuite(room, suite);
    }
  }
};

export const writeQuality = async (room: ImportRoom): Promise<void> => {
  await writeResults(room);
  await writeSuites(room);
};
