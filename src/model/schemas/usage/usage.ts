import * as v from 'valibot';
import { CalendarDate, Integer, listOf, must, Ref, shape, UsageDetails } from '../../values.ts';

/** The schemas of usage counts. */

/** The maximum count per day, because clients store it in 32 bits. */
const MAX_COUNT = 2_147_483_647;

/** The maximum number of days in one answer. */
export const MAX_USAGE_DAYS = 30;

const DailyUsageCount = v.pipe(
  Integer,
  v.minValue(0, 'must be greater than or equal to 0'),
  v.maxValue(MAX_COUNT, `must be less than or equal to ${MAX_COUNT}`),
);

export const DailyCount = shape('DailyCount', { date: must(CalendarDate), count: must(DailyUsageCount) });

export const EntityUsage = shape('EntityUsage', {
  entity: must(Ref),
  usage: must(listOf(UsageDetails, MAX_USAGE_DAYS)),
});
