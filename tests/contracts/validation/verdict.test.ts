import * as assert from 'uvu/assert';
import { tallyQuality } from '../../../src/contracts/validation/quality.ts';
import { summariseValidation, type ValidationDimensions } from '../../../src/contracts/validation/verdict.ts';
import { suite } from '../../support/suite.ts';

/** Shows that the status and message of a result follow from its parts. */

const test = suite('contracts/validation: verdict');

test('tests are counted by their latest status', () => {
  const cases: readonly (readonly [readonly (string | undefined)[], object, number])[] = [
    [[], { passed: 0, failed: 0, total: 0 }, 0],
    [['Success'], { passed: 1, failed: 0, total: 1, qualityScore: 100 }, 0],
    [['Failed', 'Aborted'], { passed: 0, failed: 2, total: 2, qualityScore: 0 }, 0],
    [['Queued', undefined], { passed: 0, failed: 0, total: 2 }, 2],
    [['Success', 'Success', 'Success', 'Aborted', undefined], { passed: 3, failed: 1, total: 5, qualityScore: 75 }, 1],
  ];
  for (const [statuses, qualityValidation, pending] of cases) {
    assert.equal(tallyQuality(statuses), { qualityValidation, pending });
  }
});

const counts = (passed: number, failed: number, pending = 0) => ({ passed, failed, total: passed + failed + pending });

const [GOOD, BAD, MIXED, NONE] = [counts(2, 0), counts(0, 2), counts(3, 2), counts(0, 0)];

test('the overall status follows from the parts', () => {
  const cases: readonly (readonly [ValidationDimensions, string])[] = [
    [{}, 'Success'],
    [{ schemaValidation: NONE, semanticsValidation: NONE, qualityValidation: NONE, slaValidation: {} }, 'Success'],
    [{ schemaValidation: GOOD, semanticsValidation: GOOD, qualityValidation: GOOD }, 'Success'],
    [{ slaValidation: { latencyMet: true } }, 'Success'],
    [{ schemaValidation: BAD }, 'Failed'],
    [{ schemaValidation: MIXED }, 'Failed'],
    [{ schemaValidation: BAD, semanticsValidation: BAD, qualityValidation: BAD }, 'Failed'],
    [{ schemaValidation: MIXED, semanticsValidation: GOOD }, 'PartialSuccess'],
    [{ schemaValidation: GOOD, slaValidation: { latencyMet: true, refreshFrequencyMet: false } }, 'PartialSuccess'],
    [{ semanticsValidation: GOOD, slaValidation: { availabilityMet: false } }, 'PartialSuccess'],
    [{ slaValidation: { availabilityMet: false } }, 'Failed'],
    [{ slaValidation: { availabilityMet: true }, qualityValidation: BAD }, 'PartialSuccess'],
    [{ qualityValidation: counts(0, 0, 2) }, 'Queued'],
    [{ qualityValidation: counts(1, 0, 2), slaValidation: {}, schemaValidation: NONE }, 'Queued'],
    [{ qualityValidation: counts(0, 0, 2), schemaValidation: GOOD }, 'Running'],
    [{ qualityValidation: counts(0, 0, 2), slaValidation: { latencyMet: true } }, 'Running'],
    [{ qualityValidation: counts(0, 0, 2), schemaValidation: BAD }, 'Failed'],
    [{ qualityValidation: counts(0, 0, 2), schemaValidation: BAD, semanticsValidation: GOOD }, 'PartialSuccess'],
    [{ qualityValidation: counts(1, 1, 2) }, 'Failed'],
  ];
  for (const [dimensions, wanted] of cases)
    assert.is(summariseValidation(dimensions).status, wanted, JSON.stringify(dimensions));
});

test('the message lists what failed, what is pending and what has another type', () => {
  const mismatched = (count: number) => Array.from({ length: count }, () => 'a: expected INT, got STRING');
  const cases: readonly (readonly [ValidationDimensions, string])[] = [
    [{}, 'No validation defined'],
    [{ schemaValidation: NONE, slaValidation: {} }, 'No validation defined'],
    [{ schemaValidation: GOOD }, 'All validations passed'],
    [
      { schemaValidation: MIXED, slaValidation: { refreshFrequencyMet: false } },
      'Schema: 2 of 5 columns failed; SLA: refresh frequency missed',
    ],
    [{ schemaValidation: counts(0, 1) }, 'Schema: 1 of 1 column failed'],
    [
      { semanticsValidation: counts(2, 1), qualityValidation: counts(0, 1, 1), schemaValidation: GOOD },
      'Semantics: 1 of 3 rules failed; Quality: 1 of 2 tests failed',
    ],
    [
      { slaValidation: { refreshFrequencyMet: false, latencyMet: false, availabilityMet: false } },
      'SLA: refresh frequency missed, latency missed, availability missed',
    ],
    [{ qualityValidation: counts(1, 0, 2), schemaValidation: GOOD }, 'Quality: 2 of 3 tests pending'],
    [
      { schemaValidation: { ...GOOD, typeMismatchFields: mismatched(1) } },
      'All validations passed; Schema: 1 type mismatch',
    ],
    [
      { schemaValidation: { ...MIXED, typeMismatchFields: mismatched(2) } },
      'Schema: 2 of 5 columns failed, 2 type mismatches',
    ],
  ];
  for (const [dimensions, wanted] of cases) assert.is(summariseValidation(dimensions).result, wanted);
});

test.run();
