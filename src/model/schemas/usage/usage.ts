import * as v from 'valibot';
import { CalendarDate, Integer, listOf, must, Ref, shape, UsageDetails } from '../../values.ts';

/** The most that may be told of one day at once: what clients keep such counts in. */
const MAX_COUNT = 2_147_483_647;

/** As far back as one answer goes. */
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
