import { must, oneOf, shape, Text } from '../../model/values.ts';
import { FACET_SUBJECTS } from './facets/facet-report.ts';

/** What answers say of parts of events that were not understood. */

/** A part of a SQL text that could not be resolved, and the reason. */
export const UnresolvedSql = shape('UnresolvedSql', { text: must(Text), reason: must(Text) });

/** A facet that was not applied to what it is of. */
export const UnappliedFacetResult = shape('OpenLineageUnappliedFacet', {
  of: must(oneOf(FACET_SUBJECTS)),
  namespace: Text,
  name: Text,
  facet: must(Text),
  reason: must(Text),
});
