import { CalendarDate, listOf, must, Ref, shape } from '../../values.ts';
import { InsightPaging } from './paging.ts';

const DeadEnd = shape('DeadEnd', {
  entity: must(Ref),
  lastUsed: CalendarDate,
  upstreamOnlyFor: must(listOf(Ref)),
});

export const DeadEndsAnswer = shape('DeadEnds', { data: must(listOf(DeadEnd)), paging: must(InsightPaging) });
